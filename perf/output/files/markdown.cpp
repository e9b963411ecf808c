#include "perf/output/files/markdown.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <regex>
#include <stdexcept>
#include <utility>

#include "perf/support/json_file.h"

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

constexpr char superscripts[] =
    "((?:\u207b|\u2070|\u00b9|\u00b2|\u00b3|\u2074|\u2075|\u2076|\u2077|\u2078|\u2079)+)";

/// 9 for "⁹" or "9".
int exponent_of(const std::string& text) {
  for (int exponent = -30; exponent <= 30; ++exponent)
    if (superscript(exponent) == text || std::to_string(exponent) == text) return exponent;
  return 0;
}

/// Numbers that stand alone: those in names, and in `code`, are none.
nlohmann::json cell_json(const std::string& text) {
  static const std::regex code("`[^`]*`"),
      figure("(?:^|[ (])([-+]?[0-9]+(?:\\.[0-9]+)?)(?:(?:×|x)10(?:" + std::string(superscripts) +
             "|\\^(-?[0-9]+)))? ?(%|x|s|ms|us|ns)?(?=[ ,;)]|$)");
  nlohmann::json cell = {{"text", text}, {"figures", nlohmann::json::array()}};
  const std::string plain = std::regex_replace(text, code, "`");
  for (std::sregex_iterator at(plain.begin(), plain.end(), figure), end; at != end; ++at) {
    const std::string exponent = at->str(2) + at->str(3), unit = (*at)[4];
    const double scale = exponent.empty() ? 1 : std::pow(10.0, exponent_of(exponent));
    nlohmann::json found = {{"value", tidy_number(std::stod((*at)[1]) * scale)}};
    if (!unit.empty()) found["unit"] = unit;
    cell["figures"].push_back(std::move(found));
  }
  return cell;
}

}  // namespace

nlohmann::json tables_json(const Document& document) {
  nlohmann::json tables = nlohmann::json::array();
  std::string title;
  for (const TextBlock& block : document) {
    if (block.mark.starts_with("#")) title = block.words;
    if (block.mark != "|" || block.rows.empty()) continue;
    nlohmann::json rows = nlohmann::json::array();
    for (auto row = block.rows.begin() + 1; row != block.rows.end(); ++row) {
      nlohmann::json cells = nlohmann::json::array();
      for (const std::string& cell : *row) cells.push_back(cell_json(cell));
      rows.push_back(std::move(cells));
    }
    tables.push_back({{"title", title}, {"columns", block.rows.front()}, {"rows", rows}});
  }
  return tables;
}

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
  return four_digits(seconds * 1e6) + " us";
}

}  // namespace ratchet::report
