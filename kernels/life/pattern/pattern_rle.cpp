// RLE patterns: comments "#...", a header "x = m, y = n, rule = B3/S23", and runs of dead (b) and
// live (o) cells, $ at the end of a row, ! at the end of the pattern; what follows is no pattern.
#include <algorithm>
#include <optional>

#include "kernels/life/pattern/pattern_text.h"

namespace ratchet::life {
namespace {

/// Birth and survival of an outer-totalistic rule: bit n for n live neighbours.
struct Rule {
  unsigned birth = 0, survival = 0;
  bool operator==(const Rule&) const = default;
};
constexpr Rule kLife{1u << 3, 1u << 2 | 1u << 3};

/// Takes digits 0 to 8 off the front.
unsigned take_counts(std::string_view& text) {
  unsigned counts = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '8') {
    counts |= 1u << (text[0] - '0');
    text.remove_prefix(1);
  }
  return counts;
}

/// Takes `letter`, large or small, off the front.
bool take_letter(std::string_view& text, char letter) {
  if (text.empty() || (text[0] != letter && text[0] != letter - 'A' + 'a')) return false;
  text.remove_prefix(1);
  return true;
}

/// "B3/S23", "S23/B3", "B3S23" in either case, or the older "23/3", survival first.
std::optional<Rule> parse_rule(std::string_view text) {
  Rule rule;
  const bool birth_first = take_letter(text, 'B');
  const bool letters = birth_first || take_letter(text, 'S');
  (birth_first ? rule.birth : rule.survival) = take_counts(text);
  const bool slash = !text.empty() && text[0] == '/';
  if (slash) text.remove_prefix(1);
  if (letters ? !take_letter(text, birth_first ? 'S' : 'B') : !slash) return std::nullopt;
  (birth_first ? rule.survival : rule.birth) = take_counts(text);
  if (!text.empty()) return std::nullopt;
  return rule;
}

bool is_life_by_name(std::string_view text) {
  constexpr std::string_view name = "LIFE";
  return std::equal(text.begin(), text.end(), name.begin(), name.end(),
                    [](char c, char wanted) { return c == wanted || c == wanted - 'A' + 'a'; });
}

/// Takes the rest of the line, which must name the rule of the Game of Life.
void take_rule(PatternText& text) {
  text.skip_blanks();
  const std::size_t place = text.place();
  std::string_view name = text.take_line();
  while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) name.remove_suffix(1);
  const std::size_t colon = name.find(':');
  if (colon != name.npos)
    text.fail(place + colon,
              "a bounded grid (':' in the rule) cannot be read; leave it away, and set width, "
              "height and torus of the stage instead");
  if (!is_life_by_name(name) && parse_rule(name) != kLife)
    text.fail(place, "a rule other than B3/S23, which is the only one there is here");
}

/// Comments before the header. "#r" names a rule in files of before there was one in the header.
void take_comments(PatternText& text) {
  for (text.skip_blanks_and_ends(); text.peek() == '#'; text.skip_blanks_and_ends()) {
    const std::size_t place = text.place();
    text.skip();
    if (text.peek() == 'r') {
      text.skip();
      take_rule(text);
    } else if (text.take_line().substr(0, 4) == "Life") {
      text.fail(place, "a file of Life 1.05 or 1.06; RLE or plaintext was expected");
    }
  }
}

void expect(PatternText& text, char wanted, const char* after) {
  text.skip_blanks();
  const bool small = text.peek() == wanted;
  const bool capital = wanted >= 'a' && wanted <= 'z' && text.peek() == wanted - 'a' + 'A';
  if (!small && !capital)
    text.fail(text.here() + " where '" + wanted + "' was expected " + after +
              "; a header reads \"x = m, y = n, rule = B3/S23\"");
  text.skip();
}

/// The header's line; returns an empty grid of its size.
Grid take_header(PatternText& text) {
  const std::size_t place = text.place();
  expect(text, 'x', "at the start of the header");
  expect(text, '=', "after x");
  text.skip_blanks();
  const std::uint64_t width = text.take_number("a number of columns");
  expect(text, ',', "after the number of columns");
  expect(text, 'y', "after the number of columns");
  expect(text, '=', "after y");
  text.skip_blanks();
  const std::uint64_t height = text.take_number("a number of rows");
  text.skip_blanks();
  if (text.at_line_end()) {
    text.take_line();
  } else {
    expect(text, ',', "after the number of rows");
    for (const char letter : std::string_view("rule")) expect(text, letter, "in the word rule");
    expect(text, '=', "after rule");
    take_rule(text);
  }
  return text.grid(width, height, place);
}

/// Where the next run starts.
struct Pen {
  std::uint64_t x = 0, y = 0;
};

/// A run of `count` times the next character, which is not '!'.
void take_run(PatternText& text, Grid& grid, Pen& pen, std::uint64_t count, std::size_t place) {
  const char tag = text.peek();
  if (tag == '$') {
    // A '$' may stand behind the last row, and no more than that.
    if (count > grid.height() - pen.y)
      text.fail(place, "a row beyond the " + std::to_string(grid.height()) + " of the header");
    pen = {0, pen.y + count};
  } else if (tag == 'b' || tag == 'o') {
    if (pen.y == grid.height())
      text.fail(place, "a row beyond the " + std::to_string(grid.height()) + " of the header");
    if (count > grid.width() - pen.x)
      text.fail(place, "a run to column " + std::to_string(pen.x + count) + " of a row of " +
                           std::to_string(grid.width()) + " cells");
    if (tag == 'o') set_run(grid, pen.x, pen.y, count);
    pen.x += count;
  } else {
    text.fail(text.here() + (text.at_end()
                                 ? " without a '!' before it"
                                 : " in the pattern; a number, b, o, $ or ! was expected"));
  }
  text.skip();
}

}  // namespace

Grid parse_rle(PatternText& text) {
  take_comments(text);
  Grid grid = take_header(text);
  Pen pen;
  for (text.skip_blanks_and_ends(); text.peek() != '!'; text.skip_blanks_and_ends()) {
    const std::size_t place = text.place();
    if (text.peek() == '#') {  // Golly takes comments between the lines too
      text.take_line();
      continue;
    }
    const bool counted = text.peek() >= '0' && text.peek() <= '9';
    const std::uint64_t count = counted ? text.take_number("a run") : 1;
    if (count == 0) text.fail(place, "a run of 0 cells");
    if (counted) text.skip_blanks_and_ends();
    if (text.peek() == '!') text.fail(place, "a number before '!'; b, o or $ was expected");
    take_run(text, grid, pen, count, place);
  }
  return grid;
}

namespace {

/// Puts runs into lines of at most 70 characters; none is broken.
class RleLines {
 public:
  explicit RleLines(std::string& text) : text_(text) {}
  void add(std::uint64_t count, char tag) {
    const std::string run = (count > 1 ? std::to_string(count) : "") + tag;
    if (used_ + run.size() > 70) {
      text_ += '\n';
      used_ = 0;
    }
    text_ += run;
    used_ += run.size();
  }

 private:
  std::string& text_;
  std::size_t used_ = 0;
};

}  // namespace

std::string format_rle(const Grid& grid) {
  std::string text = "x = " + std::to_string(grid.width()) +
                     ", y = " + std::to_string(grid.height()) + ", rule = B3/S23\n";
  RleLines lines(text);
  std::uint64_t rows_ended = 0;  // '$' is written when there is something below
  for (std::uint64_t y = 0; y < grid.height(); ++y) {
    bool alive = grid.at(0, y);
    for (std::uint64_t x = 0; x < grid.width(); alive = !alive) {
      const std::uint64_t count = run_length(grid, x, y, alive);
      const bool rest_is_dead = !alive && x + count == grid.width();
      if (!rest_is_dead) {
        if (rows_ended < y) lines.add(y - rows_ended, '$');
        rows_ended = y;
        lines.add(count, alive ? 'o' : 'b');
      }
      x += count;
    }
  }
  lines.add(1, '!');
  return text + '\n';
}

}  // namespace ratchet::life
