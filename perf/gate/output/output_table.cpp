// The table for the terminal: within 120 columns, whatever the rows are called.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "perf/support/printable.h"
#include "perf/gate/output/output.h"
#include "perf/gate/output/output_row.h"

namespace ratchet::gate {
namespace {

constexpr std::size_t columns = 120;
constexpr std::size_t widest_name = 38;  ///< a longer one takes a line of its own
constexpr const char* gap = "  ";
using Cells = std::array<std::string, 8>;

Cells cells(const OutputRow& row) {
  return {row.verdict,       row.name,           effect_text(row),     interval_text(row),
          detects_text(row), launches_text(row), throughput_text(row), row.reason};
}

/// fmt would count bytes, or columns by its own lights.
std::string padded(const std::string& text, std::size_t width) {
  const std::size_t length = characters(text);
  return length < width ? text + std::string(width - length, ' ') : text;
}

/// Lines of at most `width` characters, broken at spaces where there are any.
std::vector<std::string> wrapped(std::string text, std::size_t width) {
  std::vector<std::string> lines;
  while (characters(text) > width) {
    std::size_t end = 0;  // of the first `width` characters, in bytes
    for (std::size_t count = 0; count < width; ++end)
      count += end + 1 >= text.size() || (static_cast<unsigned char>(text[end + 1]) & 0xc0) != 0x80;
    const std::size_t space = text.rfind(' ', end);
    if (space != std::string::npos && space > 0) {
      lines.push_back(text.substr(0, space));
      text.erase(0, space + 1);
    } else {
      lines.push_back(text.substr(0, end));
      text.erase(0, end);
    }
  }
  lines.push_back(text);
  return lines;
}

std::array<std::size_t, 8> widths_of(const std::vector<Cells>& table) {
  std::array<std::size_t, 8> widths{};
  for (const Cells& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t width = characters(row[i]);
      if (i != 1 || width <= widest_name) widths[i] = std::max(widths[i], width);
    }
  }
  return widths;
}

void add_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

/// A row; a reason that does not fit goes on below, indented.
void add_row(std::string& text, const Cells& row, const std::array<std::size_t, 8>& widths) {
  std::string line;
  const std::string indent(widths[0] + 4, ' ');
  for (std::size_t i = 0; i + 1 < row.size(); ++i) {
    line += padded(row[i], widths[i]) + gap;
    if (i == 1 && characters(row[i]) > widest_name) {
      add_line(text, line);
      line = std::string(widths[0] + widths[1] + 4, ' ');
    }
  }
  if (characters(line) + characters(row.back()) <= columns) {
    add_line(text, line + row.back());
    return;
  }
  add_line(text, line);
  for (const std::string& part : wrapped(row.back(), columns - indent.size()))
    add_line(text, indent + part);
}

}  // namespace

std::string terminal_table(const std::vector<RowReport>& reports) {
  std::vector<Cells> table = {
      {"verdict", "row", "change", "interval", "detects", "launches", "units/s", "reason"}};
  for (const RowReport& report : reports) table.push_back(cells(output_row(report, false)));
  const auto widths = widths_of(table);
  const std::size_t figures = std::accumulate(widths.begin(), widths.end() - 1, std::size_t{0});
  if (figures + 7 * 2 + 6 > columns) table.front().back().clear();  // reasons stand below
  std::string text;
  for (const Cells& row : table) add_row(text, row, widths);
  return text;
}

}  // namespace ratchet::gate
