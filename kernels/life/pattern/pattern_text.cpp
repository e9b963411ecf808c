#include "kernels/life/pattern/pattern_text.h"

#include <algorithm>
#include <bit>

#include "perf/support/error.h"

namespace ratchet::life {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Where a place of the text is for a person: "LINE:COLUMN", from 1.
std::string line_and_column(std::string_view text, std::size_t place) {
  std::size_t line = 1, begin = 0;
  for (std::size_t i = 0; i < place; ++i) {
    const bool pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if ((text[i] != '\n' && text[i] != '\r') || pair) continue;
    ++line;
    begin = i + 1;
  }
  return std::to_string(line) + ":" + std::to_string(place - begin + 1);
}

}  // namespace

void PatternText::skip() {
  if (!at_end()) ++next_;
}

void PatternText::skip_blanks() {
  while (peek() == ' ' || peek() == '\t') skip();
}

void PatternText::skip_blanks_and_ends() {
  while (!at_end() && (peek() == ' ' || peek() == '\t' || at_line_end())) skip();
}

std::string_view PatternText::take_line() {
  const std::size_t begin = next_;
  while (!at_line_end()) skip();
  const std::string_view line = text_.substr(begin, next_ - begin);
  const bool carriage_return = peek() == '\r';
  skip();
  if (carriage_return && peek() == '\n') skip();
  return line;
}

std::uint64_t PatternText::take_number(const char* what) {
  const std::size_t begin = next_;
  std::uint64_t value = 0;
  if (!is_digit(peek())) fail(here() + " where " + what + " was expected");
  for (; is_digit(peek()); skip()) {
    value = value * 10 + static_cast<std::uint64_t>(peek() - '0');
    if (value > kMaxSide)
      fail(begin, std::string(what) + " beyond " + std::to_string(kMaxSide) + ", the most allowed");
  }
  return value;
}

void PatternText::fail(std::size_t place, const std::string& what) const {
  throw Error(name_ + ":" + line_and_column(text_, place) + ": " + what);
}

std::string PatternText::here() const {
  if (at_end()) return "the end of the file";
  if (at_line_end()) return "the end of the line";
  const auto byte = static_cast<unsigned char>(peek());
  if (byte >= 32 && byte < 127) return std::string("'") + peek() + "'";
  const char* digits = "0123456789ABCDEF";
  return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

Grid PatternText::grid(std::uint64_t width, std::uint64_t height, std::size_t place) const {
  const std::string size = std::to_string(width) + " x " + std::to_string(height) + " cells";
  if (width == 0 || height == 0 || width > kMaxSide || height > kMaxSide)
    fail(place, "a pattern of " + size + ": each side must be 1 to " + std::to_string(kMaxSide));
  if (width * height > max_cells_)
    fail(place, "a pattern of " + size + ", more than the " + std::to_string(max_cells_) +
                    " that are read");
  return Grid(width, height);
}

void set_run(Grid& grid, std::uint64_t x, std::uint64_t y, std::uint64_t count) {
  for (const std::uint64_t end = x + count; x < end;) {
    const std::uint64_t bits = std::min<std::uint64_t>(64 - x % 64, end - x);
    grid.row(y)[x / 64] |= (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1)
                           << x % 64;
    x += bits;
  }
}

std::uint64_t run_length(const Grid& grid, std::uint64_t x, std::uint64_t y, bool alive) {
  std::uint64_t end = x;
  while (end < grid.width()) {
    const std::uint64_t word = grid.row(y)[end / 64] >> end % 64;
    const auto same =
        static_cast<std::uint64_t>(std::countr_zero(alive ? ~word : word));  // 64 where all are
    const std::uint64_t left = 64 - end % 64;
    end += std::min(same, left);
    if (same < left) break;
  }
  return std::min(end, grid.width()) - x;
}

}  // namespace ratchet::life
