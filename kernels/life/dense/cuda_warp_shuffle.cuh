// The text's kernel with warp shuffles: the lanes of a warp lie on top of each other, and a block
// is one warp. No shared memory, no barrier.
#pragma once

#include "kernels/life/dense/cuda_windows.cuh"

namespace ratchet::life {

__device__ inline std::uint32_t from_above(std::uint32_t word) {
  return __shfl_up_sync(~0u, word, 1);
}
__device__ inline std::uint32_t from_below(std::uint32_t word) {
  return __shfl_down_sync(~0u, word, 1);
}

/// Every word by its nine: the outermost rows go to the neighbours.
template <class Rule>
struct ExchangeRows {
  template <bool kBorder, unsigned kRows>
  __device__ static void advance(Windows<kRows>& windows) {
    const RowPair last = windows.last(), first = windows.first();
    const RowPair above{from_above(last.left), from_above(last.right)};
    const RowPair below{from_below(first.left), from_below(first.right)};
    life::advance<Rule, kBorder>(windows, above, below);
  }
};

/// Row sums shared between rows: their sums go instead, and nobody adds up a neighbour's row.
struct ExchangeSums {
  template <bool kBorder, unsigned kRows>
  __device__ static void advance(Windows<kRows>& windows) {
    const SumPair last = sums(windows.last()), first = sums(windows.first());
    const SumPair above{{from_above(last.left.sum), from_above(last.left.carry)},
                        {from_above(last.right.sum), from_above(last.right.carry)}};
    const SumPair below{{from_below(first.left.sum), from_below(first.left.carry)},
                        {from_below(first.right.sum), from_below(first.right.carry)}};
    advance_by_sums<kBorder>(windows, above, below);
  }
};

template <class Exchange, bool kBorder, unsigned kRows>
__device__ void advance_through_shuffles(Windows<kRows>& windows, unsigned steps) {
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) Exchange::template advance<kBorder>(windows);
}

/// Blocks of one warp: x is the column, y the tile of 32 * kRows rows.
template <class Exchange, unsigned kRows>
__global__ void __launch_bounds__(32) warp_shuffle_pass(const Pass pass) {
  constexpr int kTile = 32 * static_cast<int>(kRows), kHalo = static_cast<int>(kPassSteps);
  const int column = static_cast<int>(blockIdx.x);
  const int tile = static_cast<int>(blockIdx.y) * (kTile - 2 * kHalo) - kHalo;
  const int first = static_cast<int>(threadIdx.x * kRows);
  const bool border = at_border(pass, column, tile, kTile);
  Windows<kRows> windows(pass, column, tile + first, border);
  if (border)
    advance_through_shuffles<Exchange, true>(windows, pass.steps);
  else
    advance_through_shuffles<Exchange, false>(windows, pass.steps);
  windows.store(first, kHalo, kTile - kHalo, border);
}

}  // namespace ratchet::life
