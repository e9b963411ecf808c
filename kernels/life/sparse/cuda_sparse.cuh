// Tiles of 32 x 32 cells, of which a pass computes only those whose surroundings changed.
//
// A pass takes every tile kPeriod generations further, from one grid to the other. A tile and the
// kPeriod cells around it are all that its next pass depends on: where none of these cells differ
// from kPeriod generations ago, the next pass would repeat what the last one wrote, and the tile is
// skipped. It is then the same in both grids, so the other grid needs no copy either. That covers
// whatever is still or repeats itself after 1, 2, 3, 4, 6 or 12 generations.
//
// A grid is stored as life::Grid stores it, seen as 32-bit words.
// Source: Dijkstra and Brouwer, "Future Work"; the proof by unchanged surroundings: ratchet.
#pragma once

#include <cstdint>

#include "kernels/life/grid/rules.h"

namespace ratchet::life::sparse {

inline constexpr unsigned kPeriod = 12;  ///< generations of a pass, at most kHalo
inline constexpr unsigned kSide = 32;    ///< cells of a tile's side
inline constexpr int kHalo = 16;         ///< cells computed around a tile
inline constexpr unsigned kRows = 2;     ///< rows of a lane: a warp holds kSide + 2 kHalo
inline constexpr unsigned kBlock = 128;  ///< threads; every warp has a tile of its own
inline constexpr unsigned kEveryTile = ~0u;
static_assert(kPeriod <= kHalo && kRows * 32 == kSide + 2 * kHalo);

/// A grid of packed words and how it is cut into tiles.
struct Shape {
  std::uint32_t width, height;  // cells
  std::uint32_t pitch;          // 32-bit words a row
  std::uint32_t columns, rows;  // tiles
};

/// The tiles of the next pass, gathered while this one runs. Three counters take turns: one is
/// read, one is added to, one is cleared for the pass after.
struct Lists {
  const std::uint32_t* now;    // tile numbers, row by row; not read for kEveryTile
  const std::uint32_t* count;  // how many, kEveryTile for all
  std::uint32_t* next;
  std::uint32_t* next_count;
  std::uint32_t* clear_count;
  std::uint32_t* stamps;  // a tile: the pass that listed it last
  std::uint32_t pass;     // never 0, never used twice
};

/// A row of the window of 64 cells around a tile's 32, 16 cells further on either side.
struct Row {
  std::uint32_t left, right;
};
struct RowSums {
  Sum<std::uint32_t> left, right;
};

__device__ inline std::uint32_t west_of(const Row& row, bool right) {
  return right ? __funnelshift_l(row.left, row.right, 1) : row.left << 1;
}
__device__ inline std::uint32_t east_of(const Row& row, bool right) {
  return right ? row.right >> 1 : __funnelshift_r(row.left, row.right, 1);
}
__device__ inline RowSums sums_of(const Row& row) {
  return {sum_of(west_of(row, false), row.left, east_of(row, false)),
          sum_of(west_of(row, true), row.right, east_of(row, true))};
}
__device__ inline Row next_row(const RowSums& above, const Row& row, const RowSums& below) {
  return {
      shared_sums_6(above.left, west_of(row, false), row.left, east_of(row, false), below.left),
      shared_sums_6(above.right, west_of(row, true), row.right, east_of(row, true), below.right)};
}
__device__ inline Sum<std::uint32_t> from_lane_above(const Sum<std::uint32_t>& sums) {
  return {__shfl_up_sync(~0u, sums.sum, 1), __shfl_up_sync(~0u, sums.carry, 1)};
}
__device__ inline Sum<std::uint32_t> from_lane_below(const Sum<std::uint32_t>& sums) {
  return {__shfl_down_sync(~0u, sums.sum, 1), __shfl_down_sync(~0u, sums.carry, 1)};
}

/// A tile with its halo: lane l of a warp holds rows 2 l and 2 l + 1 of the window.
class Window {
 public:
  /// The tile whose upper left cell is (32 tile_x, y).
  __device__ Window(const std::uint32_t* grid, const Shape& shape, unsigned tile_x, int y)
      : first_(y + static_cast<int>(threadIdx.x % 32 * kRows) - kHalo) {
    const int x = static_cast<int>(tile_x * kSide) - kHalo;
    border_ = x < 0 || y < kHalo || x + 64 > static_cast<int>(shape.width) ||
              y + static_cast<int>(kSide) + kHalo > static_cast<int>(shape.height);
    const Row columns{inside(x, shape.width), inside(x + 32, shape.width)};
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) {
      const int y = first_ + static_cast<int>(r);
      const bool exists = y >= 0 && y < static_cast<int>(shape.height);
      cells_[r] = mask_[r] = {0, 0};
      old_[r] = 0;
      if (!exists) continue;
      mask_[r] = columns;
      const std::uint32_t* words = grid + std::uint64_t{shape.pitch} * static_cast<unsigned>(y);
      const std::uint32_t before = tile_x > 0 ? words[tile_x - 1] : 0;
      const std::uint32_t after = tile_x + 1 < shape.columns ? words[tile_x + 1] : 0;
      old_[r] = words[tile_x];
      cells_[r] = {__funnelshift_r(before, old_[r], 16), __funnelshift_r(old_[r], after, 16)};
    }
  }

  __device__ void advance(unsigned generations) {
    if (border_)
      advance_masked<true>(generations);
    else
      advance_masked<false>(generations);
  }

  /// What of a lane's rows changed in a pass, as a mask of columns: in all of them, in those among
  /// the tile's first kPeriod rows, and in those among its last.
  struct Difference {
    std::uint32_t all, top, bottom;
  };
  /// Writes the tile to `grid`; returns how it differs from what was read.
  __device__ Difference store(std::uint32_t* grid, const Shape& shape, unsigned tile_x) const {
    Difference difference{0, 0, 0};
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) {
      const unsigned row = threadIdx.x % 32 * kRows + r - kHalo;  // in the tile
      const int y = first_ + static_cast<int>(r);
      if (row >= kSide || y >= static_cast<int>(shape.height)) continue;
      const std::uint32_t word = __funnelshift_r(cells_[r].left, cells_[r].right, 16);
      grid[std::uint64_t{shape.pitch} * static_cast<unsigned>(y) + tile_x] = word;
      const std::uint32_t changed = word ^ old_[r];
      difference.all |= changed;
      if (row < kPeriod) difference.top |= changed;
      if (row >= kSide - kPeriod) difference.bottom |= changed;
    }
    return difference;
  }

 private:
  /// The bits of 32 cells from x on that lie in the universe.
  __device__ static std::uint32_t inside(int x, std::uint32_t width) {
    const int end = static_cast<int>(width) - x;  // cells from x to the right border
    const std::uint32_t right = end >= 32 ? ~0u : end <= 0 ? 0 : (1u << end) - 1;
    return x >= 0 ? right : x > -32 ? right & ~0u << -x : 0;
  }

  template <bool kBorder>
  __device__ void advance_masked(unsigned generations) {
#pragma unroll 1
    for (unsigned g = 0; g < generations; ++g) {
      const RowSums first = sums_of(cells_[0]), second = sums_of(cells_[1]);
      const RowSums above{from_lane_above(second.left), from_lane_above(second.right)};
      const RowSums below{from_lane_below(first.left), from_lane_below(first.right)};
      cells_[0] = next_row(above, cells_[0], second);
      cells_[1] = next_row(first, cells_[1], below);
      if constexpr (kBorder) {
#pragma unroll
        for (unsigned r = 0; r < kRows; ++r)
          cells_[r] = {cells_[r].left & mask_[r].left, cells_[r].right & mask_[r].right};
      }
    }
  }

  int first_;  // the lane's first row in the universe
  bool border_;
  Row cells_[kRows], mask_[kRows];
  std::uint32_t old_[kRows];
};

/// Puts the tiles that depend on a changed cell on the next list: the tile itself, and each of its
/// neighbours that has a changed cell within kPeriod of it. Called by a whole warp, with the same
/// arguments in all lanes.
__device__ inline void list_dependents(const Window::Difference& changed, const Shape& shape,
                                       unsigned tile_x, unsigned tile_y, const Lists& lists) {
  const unsigned lane = threadIdx.x % 32;
  const int dx = static_cast<int>(lane % 3) - 1, dy = static_cast<int>(lane / 3) - 1;
  const std::uint32_t rows = dy < 0 ? changed.top : dy > 0 ? changed.bottom : changed.all;
  constexpr std::uint32_t kEdge = (1u << kPeriod) - 1;
  const std::uint32_t cells = dx < 0   ? rows & kEdge
                              : dx > 0 ? rows & kEdge << (32 - kPeriod)
                                       : rows;
  const unsigned x = tile_x + static_cast<unsigned>(dx), y = tile_y + static_cast<unsigned>(dy);
  bool fresh = lane < 9 && cells != 0 && x < shape.columns && y < shape.rows;
  const std::uint32_t tile = y * shape.columns + x;
  if (fresh) fresh = atomicExch(&lists.stamps[tile], lists.pass) != lists.pass;
  const unsigned takers = __ballot_sync(~0u, fresh);
  if (takers == 0) return;
  std::uint32_t place = 0;
  if (lane == 0) place = atomicAdd(lists.next_count, static_cast<unsigned>(__popc(takers)));
  place = __shfl_sync(~0u, place, 0);
  if (fresh) lists.next[place + static_cast<unsigned>(__popc(takers & ((1u << lane) - 1)))] = tile;
}

/// One pass: the listed tiles from one grid to the other, kPeriod generations.
template <class = void>
__global__ void __launch_bounds__(kBlock)
    pass(const std::uint32_t* from, std::uint32_t* to, const Shape shape, const Lists lists) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *lists.clear_count = 0;
  const bool every = *lists.count == kEveryTile;
  const std::uint32_t count = every ? shape.columns * shape.rows : *lists.count;
  for (std::uint32_t i = (blockIdx.x * kBlock + threadIdx.x) / 32; i < count;
       i += gridDim.x * (kBlock / 32)) {
    const std::uint32_t tile = every ? i : lists.now[i];
    const unsigned tile_x = tile % shape.columns, tile_y = tile / shape.columns;
    Window window(from, shape, tile_x, static_cast<int>(tile_y * kSide));
    window.advance(kPeriod);
    const Window::Difference own = window.store(to, shape, tile_x);
    const Window::Difference changed{__reduce_or_sync(~0u, own.all), __reduce_or_sync(~0u, own.top),
                                     __reduce_or_sync(~0u, own.bottom)};
    if (changed.all != 0) list_dependents(changed, shape, tile_x, tile_y, lists);
  }
}

/// Every tile, fewer generations: the rest of a run that kPeriod does not divide. Lists nothing.
template <class = void>
__global__ void __launch_bounds__(kBlock) remainder(const std::uint32_t* from, std::uint32_t* to,
                                                    const Shape shape, unsigned generations) {
  const std::uint32_t count = shape.columns * shape.rows;
  for (std::uint32_t tile = (blockIdx.x * kBlock + threadIdx.x) / 32; tile < count;
       tile += gridDim.x * (kBlock / 32)) {
    const unsigned tile_x = tile % shape.columns;
    Window window(from, shape, tile_x, static_cast<int>(tile / shape.columns * kSide));
    window.advance(generations);
    window.store(to, shape, tile_x);
  }
}

}  // namespace ratchet::life::sparse
