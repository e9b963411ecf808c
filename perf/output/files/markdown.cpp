#include "perf/output/files/markdown.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <utility>

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

std::string superscript(int exponent) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(exponent)) text += c == '-' ? "⁻" : digits[c - '0'];
  return text;
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

std::string markdown(const Document& document) {
  std::string text, before;
  for (const TextBlock& block : document) {
    if (!text.empty() && (block.mark != "- " || before != block.mark)) text += '\n';
    before = block.mark;
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      text += line(block.rows[i]);
      if (i == 0) text += line(std::vector<std::string>(block.rows[i].size(), "---"));
    }
    if (block.rows.empty()) text += block.mark + block.words + "\n";
  }
  return text;
}

Document& operator+=(Document& document, Document more) {
  for (TextBlock& block : more) document.push_back(std::move(block));
  return document;
}

std::string format_power(double value, int digits) {
  const std::string plain = fmt::format("{:.{}g}", value, digits);
  if (value == 0 || (std::abs(value) >= 1e-3 && plain.find('e') == std::string::npos)) return plain;
  const std::string text = fmt::format("{:.{}e}", value, digits - 1);
  const std::size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  const std::string power = fmt::format("10{}", superscript(std::atoi(text.c_str() + e + 1)));
  return mantissa == "1" ? power : mantissa + "×" + power;
}

std::string format_binary(double value) {
  return fmt::format("2{}", superscript(std::ilogb(value)));
}

std::string format_rate(double value) {
  if (value < 1e3) return four_digits(value);
  // Rounded first, so that 999.96×10⁶ becomes 1.000×10⁹.
  const double rounded = std::stod(fmt::format("{:.3e}", value));
  const int exponent = static_cast<int>(std::floor(std::log10(rounded) + 1e-9)) / 3 * 3;
  return four_digits(rounded / std::pow(10, exponent)) + "×10" + superscript(exponent);
}

std::string format_seconds(double seconds) {
  if (seconds >= 1) return four_digits(seconds) + " s";
  if (seconds >= 1e-3) return four_digits(seconds * 1e3) + " ms";
  if (seconds >= 1e-6) return four_digits(seconds * 1e6) + " us";
  return four_digits(seconds * 1e9) + " ns";
}

}  // namespace ratchet::report
