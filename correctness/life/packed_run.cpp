#include "correctness/life/packed_run.h"

#include "kernels/life/rules.h"

namespace ratchet::life {
namespace {

/// Word w of row y, 0 beyond the borders; w may be -1.
std::uint64_t word(const Grid& grid, std::uint64_t w, std::int64_t y) {
  if (y < 0 || y >= static_cast<std::int64_t>(grid.height()) || w >= grid.words_per_row()) return 0;
  return grid.row(static_cast<std::uint64_t>(y))[w];
}

struct Line {
  std::uint64_t west, middle, east;
};
Line line(const Grid& grid, std::uint64_t w, std::int64_t y) {
  const std::uint64_t middle = word(grid, w, y);
  return {middle << 1 | word(grid, w - 1, y) >> 63, middle,
          middle >> 1 | word(grid, w + 1, y) << 63};
}

}  // namespace

Grid packed_run(Grid grid, std::uint64_t generations) {
  Grid next = grid;
  for (std::uint64_t g = 0; g < generations; ++g) {
    for (std::uint64_t y = 0; y < grid.height(); ++y)
      for (std::uint64_t w = 0; w < grid.words_per_row(); ++w) {
        const auto row = static_cast<std::int64_t>(y);
        const Line above = line(grid, w, row - 1), own = line(grid, w, row),
                   below = line(grid, w, row + 1);
        next.row(y)[w] = adder_network(
            Neighbourhood<std::uint64_t>{above.west, above.middle, above.east, own.west, own.middle,
                                         own.east, below.west, below.middle, below.east});
        if (w + 1 == grid.words_per_row()) next.row(y)[w] &= grid.last_word_mask();
      }
    std::swap(grid, next);
  }
  return grid;
}

}  // namespace ratchet::life
