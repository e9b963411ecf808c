#include "correctness/life/oracles/oracle.h"

#include <algorithm>

namespace ratchet::life {
namespace {

using Word = std::uint64_t;

/// The grid with a word more at both ends of every row and a row more above and below. What lies
/// beyond the border is in the bits next to it: bit 63 of the word before, and the bit after the
/// last cell, which is padding of the last word or bit 0 of the word after.
class Framed {
 public:
  Framed(std::uint64_t width, std::uint64_t height)
      : width_(width),
        height_(height),
        stride_((width + 63) / 64 + 2),
        words_(stride_ * (height + 2)) {}

  /// Row y, from -1 to height; [0] is the first word of cells.
  Word* row(std::int64_t y) {
    return words_.data() + static_cast<std::uint64_t>(y + 1) * stride_ + 1;
  }
  std::uint64_t words_per_row() const { return stride_ - 2; }

  void set_frame(Edge edge) {
    const std::uint64_t last = width_ - 1;
    const auto height = static_cast<std::int64_t>(height_);
    for (std::int64_t y = 0; y < height; ++y) {
      Word* cells = row(y);
      const bool torus = edge == Edge::torus;
      const Word first_cell = torus ? cells[0] & 1 : 0;
      const Word last_cell = torus ? cells[last / 64] >> last % 64 & 1 : 0;
      cells[-1] = last_cell << 63;
      if (width_ % 64 == 0)
        cells[width_ / 64] = first_cell;
      else
        cells[width_ / 64] |= first_cell << width_ % 64;
    }
    const auto copy = [&](std::int64_t from, std::int64_t to) {
      if (edge == Edge::torus)
        std::copy_n(row(from) - 1, stride_, row(to) - 1);
      else
        std::fill_n(row(to) - 1, stride_, 0);
    };
    copy(height - 1, -1);
    copy(0, height);
  }

 private:
  std::uint64_t width_, height_, stride_;
  std::vector<Word> words_;
};

/// Ones and twos of the count of live cells in a row of three.
struct Count {
  Word ones, twos;
};

/// One row of the next generation from the three around it.
void next_row(const Word* above, const Word* row, const Word* below, Word* next,
              std::uint64_t words, Word last_mask) {
  const auto west = [](const Word* r, std::uint64_t w) { return r[w] << 1 | *(r + w - 1) >> 63; };
  const auto east = [](const Word* r, std::uint64_t w) { return r[w] >> 1 | r[w + 1] << 63; };
  for (std::uint64_t w = 0; w < words; ++w) {
    const auto three = [&](const Word* r) {
      const Word a = west(r, w), b = r[w], c = east(r, w);
      return Count{a ^ b ^ c, (a & b) | (a & c) | (b & c)};
    };
    const Count up = three(above), down = three(below);
    const Word a = west(row, w), c = east(row, w);
    const Count beside{a ^ c, a & c};
    const Word ones = up.ones ^ down.ones ^ beside.ones;
    const Word carry = (up.ones & down.ones) | (up.ones & beside.ones) | (down.ones & beside.ones);
    // Two or three neighbours: exactly one of the four twos.
    const Word odd = up.twos ^ down.twos ^ beside.twos ^ carry;
    const Word one_two = odd & ~((up.twos & down.twos) | (beside.twos & carry));
    next[w] = one_two & (ones | row[w]);
  }
  next[words - 1] &= last_mask;
}

}  // namespace

Grid oracle_run(const Grid& start, std::uint64_t generations, Edge edge) {
  const std::uint64_t words = start.words_per_row();
  Framed now(start.width(), start.height()), next = now;
  for (std::uint64_t y = 0; y < start.height(); ++y)
    std::copy_n(start.row(y), words, now.row(static_cast<std::int64_t>(y)));
  for (std::uint64_t generation = 0; generation < generations; ++generation) {
    now.set_frame(edge);
    for (std::int64_t y = 0; y < static_cast<std::int64_t>(start.height()); ++y)
      next_row(now.row(y - 1), now.row(y), now.row(y + 1), next.row(y), words,
               start.last_word_mask());
    std::swap(now, next);
  }
  Grid end(start.width(), start.height());
  for (std::uint64_t y = 0; y < end.height(); ++y)
    std::copy_n(now.row(static_cast<std::int64_t>(y)), words, end.row(y));
  return end;
}

}  // namespace ratchet::life
