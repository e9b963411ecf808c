// The earlier work's square tiles, under any rule: a warp holds 128 x 128 cells, 4 lanes wide and 8
// high, a lane one word of 32 cells in 16 rows; the inner 96 x 96 are right after 16 generations.
// Every row is shuffled both ways, a lane's first and last row also up and down. The universe lies
// by rows, and its border is dead.
//
// The kernel itself and its launch: cuda_square_tile_stage-inl.cuh.
#pragma once

#include <cstdint>

#include "kernels/life/dense/cuda_pass.cuh"
#include "kernels/life/grid/rules.h"

namespace ratchet::life {

/// One lane's rows, and which cells of the universe they are.
struct SquareTile {
  static constexpr int kRows = 16, kAcross = 4, kHalo = static_cast<int>(kPassSteps);
  static constexpr int kSide = 32 * kAcross, kFresh = kSide - 2 * kHalo;
  static constexpr int kKept = kFresh * kFresh;  // cells that a warp adds
  static_assert(kRows * 32 / kAcross == kSide, "a square");

  int x, y;  // the lane's first cell
  std::uint32_t words[kRows];
};

__device__ inline std::uint32_t word_at(const Pass& pass, int word, int y) {
  const bool inside = word >= 0 && word * 32 < pass.width && y >= 0 && y < pass.height;
  return inside ? pass.from[y * pass.pitch + word] : 0;
}

/// x is 16 beside a word's first cell.
__device__ inline void load(SquareTile& tile, const Pass& pass) {
  const int word = (tile.x + 16) / 32 - 1;
#pragma unroll
  for (int r = 0; r < SquareTile::kRows; ++r)
    tile.words[r] =
        __byte_perm(word_at(pass, word, tile.y + r), word_at(pass, word + 1, tile.y + r), 0x5432);
}

/// A row with its neighbours in the row lined up: two shuffles. The tile's own edge gets whatever
/// the shuffle leaves there; it is halo.
struct SquareRow {
  std::uint32_t west, centre, east;
};
__device__ inline SquareRow line_up(std::uint32_t centre) {
  const std::uint32_t left = __shfl_up_sync(~0u, centre, 1);
  const std::uint32_t right = __shfl_down_sync(~0u, centre, 1);
  return {__funnelshift_l(left, centre, 1), centre, __funnelshift_r(centre, right, 1)};
}

template <class Rule, bool kBorder>
__device__ void advance(SquareTile& tile, const Pass& pass, std::uint32_t cells) {
  constexpr int kRows = SquareTile::kRows, kAcross = SquareTile::kAcross;
  const std::uint32_t below = __shfl_down_sync(~0u, tile.words[0], kAcross);
  SquareRow north = line_up(__shfl_up_sync(~0u, tile.words[kRows - 1], kAcross));
  SquareRow here = line_up(tile.words[0]);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const SquareRow south = line_up(r + 1 < kRows ? tile.words[r + 1] : below);
    const std::uint32_t next = Rule::next(
        Neighbourhood<std::uint32_t>{north.west, north.centre, north.east, here.west, here.centre,
                                     here.east, south.west, south.centre, south.east});
    const bool dead =
        kBorder && static_cast<unsigned>(tile.y + r) >= static_cast<unsigned>(pass.height);
    tile.words[r] = dead ? 0 : kBorder ? next & cells : next;
    north = here;
    here = south;
  }
}

template <class Rule, bool kBorder>
__device__ void advance_all(SquareTile& tile, const Pass& pass, std::uint32_t cells) {
#pragma unroll 1
  for (unsigned step = 0; step < pass.steps; ++step) advance<Rule, kBorder>(tile, pass, cells);
}

/// Lane (i, j) writes the word that its right half and its neighbour's left half make up.
__device__ inline void store(const SquareTile& tile, const Pass& pass, int across, int down) {
  const int x = tile.x + 16;
#pragma unroll
  for (int r = 0; r < SquareTile::kRows; ++r) {
    const std::uint32_t right = __shfl_down_sync(~0u, tile.words[r], 1);
    const int at = down * SquareTile::kRows + r;
    if (across + 1 < SquareTile::kAcross && at >= SquareTile::kHalo &&
        at < SquareTile::kSide - SquareTile::kHalo && x < pass.width && tile.y + r < pass.height)
      pass.to[(tile.y + r) * pass.pitch + x / 32] = __byte_perm(tile.words[r], right, 0x5432);
  }
}

}  // namespace ratchet::life
