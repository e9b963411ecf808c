#include "kernels/life/grid/grid.h"

#include <algorithm>
#include <bit>
#include <string>
#include <thread>

#include "kernels/support/counter_stream.h"
#include "perf/support/error.h"

namespace ratchet::life {

Grid::Grid(std::uint64_t width, std::uint64_t height)
    : width_(width), height_(height), words_per_row_((width + 63) / 64) {
  if (width == 0 || height == 0 || width > kMaxSide || height > kMaxSide)
    throw Error("a grid of " + std::to_string(width) + " x " + std::to_string(height) +
                " cells: each side must be 1 to " + std::to_string(kMaxSide));
  try {
    words_.resize(words_per_row_ * height);
  } catch (const std::bad_alloc&) {
    throw Error("a grid of " + std::to_string(width) + " x " + std::to_string(height) +
                " cells needs " + std::to_string((words_per_row_ * height) >> 17) +
                " MiB of memory, which this machine refused; choose a smaller grid");
  }
}

void Grid::set(std::uint64_t x, std::uint64_t y, bool alive) {
  const std::uint64_t bit = std::uint64_t{1} << x % 64;
  std::uint64_t& word = row(y)[x / 64];
  word = alive ? word | bit : word & ~bit;
}

std::uint64_t Grid::last_word_mask() const {
  return width_ % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << width_ % 64) - 1;
}

std::uint64_t Grid::population() const {
  std::uint64_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::uint64_t>(std::popcount(word));
  return count;
}

Box bounding_box(const Grid& grid) {
  std::uint64_t left = grid.width(), right = 0, top = grid.height(), bottom = 0;
  for (std::uint64_t y = 0; y < grid.height(); ++y)
    for (std::uint64_t w = 0; w < grid.words_per_row(); ++w) {
      const std::uint64_t word = grid.row(y)[w];
      if (word == 0) continue;
      left = std::min<std::uint64_t>(left, w * 64 + static_cast<unsigned>(std::countr_zero(word)));
      right = std::max<std::uint64_t>(right,
                                      w * 64 + 63 - static_cast<unsigned>(std::countl_zero(word)));
      top = std::min(top, y);
      bottom = y;
    }
  if (left == grid.width()) return {};
  return {left, top, right - left + 1, bottom - top + 1};
}

Grid placed(const Grid& pattern, std::uint64_t width, std::uint64_t height, std::uint64_t x,
            std::uint64_t y) {
  if (x + pattern.width() > width || y + pattern.height() > height)
    throw Error("a pattern of " + std::to_string(pattern.width()) + " x " +
                std::to_string(pattern.height()) + " cells at (" + std::to_string(x) + ", " +
                std::to_string(y) + ") does not fit a grid of " + std::to_string(width) + " x " +
                std::to_string(height) + "; choose a larger width and height");
  Grid grid(width, height);
  for (std::uint64_t row = 0; row < pattern.height(); ++row)
    for (std::uint64_t column = 0; column < pattern.width(); ++column)
      if (pattern.at(column, row)) grid.set(x + column, y + row, true);
  return grid;
}

namespace {

/// 64 cells: bit by bit, whether an 8-bit random number is below `density`. From the lowest binary
/// digit of the density up: a digit of 1 ORs a random word in, a digit of 0 ANDs it. Digits below
/// the lowest 1 change nothing, and no word is drawn for them.
std::uint64_t soup_word(std::uint64_t seed, std::uint64_t y, std::uint64_t w, unsigned density) {
  if (density == 0) return 0;
  if (density >= 256) return ~std::uint64_t{0};
  std::uint64_t cells = 0;
  for (unsigned digit = static_cast<unsigned>(std::countr_zero(density)); digit < 8; ++digit) {
    const std::uint64_t random = counter_word64(seed, y, 8 * w + digit);
    cells = density >> digit & 1 ? cells | random : cells & random;
  }
  return cells;
}

}  // namespace

void soup_row(std::uint64_t* row, std::uint64_t width, std::uint64_t y, std::uint64_t seed,
              unsigned density) {
  const std::uint64_t words = (width + 63) / 64;
  for (std::uint64_t w = 0; w < words; ++w) row[w] = soup_word(seed, y, w, density);
  if (width % 64 != 0) row[words - 1] &= (std::uint64_t{1} << width % 64) - 1;
}

Grid soup(std::uint64_t width, std::uint64_t height, std::uint64_t seed, unsigned density) {
  Grid grid(width, height);
  const auto fill = [&](std::uint64_t first, std::uint64_t step) {
    for (std::uint64_t y = first; y < height; y += step)
      soup_row(grid.row(y), width, y, seed, density);
  };
  // A billion cells take seconds on one thread.
  const std::uint64_t threads =
      grid.words().size() < 65536 ? 1 : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (std::uint64_t t = 1; t < threads; ++t) helpers.emplace_back(fill, t, threads);
  fill(0, threads);
  helpers.clear();
  return grid;
}

}  // namespace ratchet::life
