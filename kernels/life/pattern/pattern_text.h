// What the readers and writers of the two pattern formats share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/life/grid/grid.h"

namespace ratchet::life {

/// Walks through a text and knows line and column, for errors. CR LF, LF and CR alone end a line.
class PatternText {
 public:
  PatternText(std::string_view text, std::string name, std::uint64_t max_cells)
      : text_(text), name_(std::move(name)), max_cells_(max_cells) {}

  bool at_end() const { return next_ == text_.size(); }
  /// The next byte, or 0 at the end (a 0 in the text is no character of either format).
  char peek() const { return at_end() ? '\0' : text_[next_]; }
  /// Steps over the next byte.
  void skip();
  void skip_blanks();           ///< spaces and tabs
  void skip_blanks_and_ends();  ///< and ends of lines
  bool at_line_end() const { return at_end() || peek() == '\n' || peek() == '\r'; }
  /// Takes the rest of the line, its end too, and returns it without that.
  std::string_view take_line();

  /// Takes decimal digits. Refuses none at all and values beyond kMaxSide, where the number starts.
  std::uint64_t take_number(const char* what);

  /// Throws the `Error` of this place, or of `place`.
  [[noreturn]] void fail(const std::string& what) const { fail(next_, what); }
  [[noreturn]] void fail(std::size_t place, const std::string& what) const;
  std::size_t place() const { return next_; }
  /// "'q'", "byte 0xE2", "the end of the line" or "the end of the file": what stands here.
  std::string here() const;

  /// An empty grid, or the error of `place` where it would be larger than allowed.
  Grid grid(std::uint64_t width, std::uint64_t height, std::size_t place) const;

 private:
  std::string_view text_;
  std::string name_;
  std::uint64_t max_cells_;
  std::size_t next_ = 0;
};

/// Brings `count` cells of row y to life, from x on.
void set_run(Grid& grid, std::uint64_t x, std::uint64_t y, std::uint64_t count);

/// How many cells of row y from x on are all `alive`, the first of them known to be.
std::uint64_t run_length(const Grid& grid, std::uint64_t x, std::uint64_t y, bool alive);

Grid parse_rle(PatternText& text);
Grid parse_plaintext(PatternText& text);
std::string format_rle(const Grid& grid);
std::string format_plaintext(const Grid& grid);

}  // namespace ratchet::life
