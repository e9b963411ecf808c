// Plaintext patterns: a row a line, '.' dead, 'O' or '*' alive; lines that start with '!' are
// comments, and an empty line is a row of dead cells.
#include <algorithm>
#include <vector>

#include "kernels/life/pattern/pattern_text.h"

namespace ratchet::life {
namespace {

/// One row as found: its runs of live cells, and how long it is.
struct PlainRow {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> live;  ///< first cell and count of each run
  std::uint64_t width = 0;
};

PlainRow take_row(PatternText& text) {
  PlainRow row;
  for (; !text.at_line_end(); text.skip()) {
    const char c = text.peek();
    if (c == ' ' || c == '\t') {  // blanks at the end of a line are nobody's cells
      const std::size_t place = text.place();
      text.skip_blanks();
      if (text.at_line_end()) break;
      text.fail(place, "a blank inside a row; '.', 'O' or '*' was expected");
    }
    if (c != '.' && c != 'O' && c != '*')
      text.fail(text.here() + " in a plaintext pattern; '.', 'O' or '*' was expected");
    if (row.width == kMaxSide)
      text.fail("a row of more than " + std::to_string(kMaxSide) + " cells");
    if (c != '.') {
      const bool goes_on =
          !row.live.empty() && row.live.back().first + row.live.back().second == row.width;
      if (!goes_on) row.live.emplace_back(row.width, 0);
      ++row.live.back().second;
    }
    ++row.width;
  }
  text.take_line();
  return row;
}

}  // namespace

Grid parse_plaintext(PatternText& text) {
  std::vector<PlainRow> rows;
  std::uint64_t width = 0;
  while (!text.at_end()) {
    if (text.peek() == '!') {
      text.take_line();
      continue;
    }
    if (rows.size() == kMaxSide) text.fail("more than " + std::to_string(kMaxSide) + " rows");
    rows.push_back(take_row(text));
    width = std::max(width, rows.back().width);
  }
  if (width == 0) text.fail("the end of the file where rows of '.' and 'O' were expected");
  Grid grid = text.grid(width, rows.size(), text.place());
  for (std::uint64_t y = 0; y < rows.size(); ++y)
    for (const auto& [x, count] : rows[y].live) set_run(grid, x, y, count);
  return grid;
}

std::string format_plaintext(const Grid& grid) {
  std::string text;
  text.reserve((grid.width() + 1) * grid.height());
  for (std::uint64_t y = 0; y < grid.height(); ++y) {
    bool alive = grid.at(0, y);
    for (std::uint64_t x = 0; x < grid.width(); alive = !alive) {
      const std::uint64_t count = run_length(grid, x, y, alive);
      text.append(count, alive ? 'O' : '.');
      x += count;
    }
    text += '\n';
  }
  return text;
}

}  // namespace ratchet::life
