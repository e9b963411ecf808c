// A universe on the host, packed: what every life stage starts from and hands back.
#pragma once

#include <cstdint>
#include <vector>

namespace ratchet::life {

/// width x height cells, one bit each. Rows follow each other, each padded to whole 64-bit words:
/// cell (x, y) is bit x % 64 of words[y * words_per_row() + x / 64]. Padding bits are 0.
class Grid {
 public:
  Grid() = default;
  /// All dead. Throws `Error` for a side of 0 or beyond kMaxSide.
  Grid(std::uint64_t width, std::uint64_t height);

  std::uint64_t width() const { return width_; }
  std::uint64_t height() const { return height_; }
  std::uint64_t words_per_row() const { return words_per_row_; }
  std::uint64_t* row(std::uint64_t y) { return words_.data() + y * words_per_row_; }
  const std::uint64_t* row(std::uint64_t y) const { return words_.data() + y * words_per_row_; }
  std::vector<std::uint64_t>& words() { return words_; }
  const std::vector<std::uint64_t>& words() const { return words_; }

  bool at(std::uint64_t x, std::uint64_t y) const { return row(y)[x / 64] >> x % 64 & 1; }
  void set(std::uint64_t x, std::uint64_t y, bool alive);
  /// The bits of a row's last word that are cells.
  std::uint64_t last_word_mask() const;
  /// Live cells.
  std::uint64_t population() const;

  bool operator==(const Grid&) const = default;

 private:
  std::uint64_t width_ = 0, height_ = 0, words_per_row_ = 0;
  std::vector<std::uint64_t> words_;
};

/// Sides beyond this are refused: 2^20 x 2^20 cells for 2^20 generations still fit 64 bits.
inline constexpr std::uint64_t kMaxSide = std::uint64_t{1} << 20;

/// The smallest rectangle that holds all live cells; all 0 when there are none.
struct Box {
  std::uint64_t x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Box&) const = default;
};
Box bounding_box(const Grid& grid);

/// `pattern` on a dead grid of width x height, its top left cell at (x, y). Throws `Error` when it
/// does not fit.
Grid placed(const Grid& pattern, std::uint64_t width, std::uint64_t height, std::uint64_t x,
            std::uint64_t y);

/// Random cells, each alive with probability density / 256, exactly: word w of row y is a function
/// of (seed, y, w) alone, so a part of a large soup can be made without the rest. Bit b of a word
/// compares `density` with 8 random bits, of counter_word64(seed, y, 8 * w + k), k = 0..7.
/// `density` is 0..256.
Grid soup(std::uint64_t width, std::uint64_t height, std::uint64_t seed, unsigned density);
/// One row of it, into words_per_row words at `row`.
void soup_row(std::uint64_t* row, std::uint64_t width, std::uint64_t y, std::uint64_t seed,
              unsigned density);

}  // namespace ratchet::life
