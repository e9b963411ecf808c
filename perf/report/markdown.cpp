#include "perf/report/markdown.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace ratchet::report {
namespace {

std::string line(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) {
    text += ' ';
    for (const char c : cell) {
      if (c == '|') text += '\\';
      text += c;
    }
    text += " |";
  }
  return text + "\n";
}

/// Four significant digits without an exponent.
std::string four_digits(double value) {
  const int whole = value >= 1 ? static_cast<int>(std::log10(value)) + 1 : 1;
  return fmt::format("{:.{}f}", value, whole >= 4 ? 0 : 4 - whole);
}

}  // namespace

Table::Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

void Table::add(std::vector<std::string> cells) {
  if (cells.size() != rows_.front().size())
    throw std::invalid_argument("a table row of the wrong width");
  rows_.push_back(std::move(cells));
}

void Table::add_column(const std::string& name, const std::vector<std::string>& cells) {
  if (cells.size() + 1 != rows_.size())
    throw std::invalid_argument("a table column of the wrong height");
  rows_.front().push_back(name);
  for (std::size_t i = 0; i < cells.size(); ++i) rows_[i + 1].push_back(cells[i]);
}

std::string Table::text() const {
  std::string text = line(rows_.front());
  text += line(std::vector<std::string>(rows_.front().size(), "---"));
  for (std::size_t i = 1; i < rows_.size(); ++i) text += line(rows_[i]);
  return text;
}

std::string format_seconds(double seconds) {
  if (seconds >= 1) return four_digits(seconds) + " s";
  if (seconds >= 1e-3) return four_digits(seconds * 1e3) + " ms";
  return four_digits(seconds * 1e6) + " us";
}

}  // namespace ratchet::report
