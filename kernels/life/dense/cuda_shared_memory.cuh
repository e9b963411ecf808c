// The text's kernel with shared memory: the threads of a block lie on top of each other, hand each
// other their outermost rows through shared memory, and meet at a barrier every generation.
#pragma once

#include "kernels/life/dense/cuda_windows.cuh"

namespace ratchet::life {

inline constexpr int kColumnThreads = 256;

/// First and last rows of a block's threads; entries 0 and kColumnThreads + 1 belong to nobody:
/// what lies there is read into the halo only.
struct SharedRows {
  RowPair first[kColumnThreads + 2], last[kColumnThreads + 2];
};

template <class Rule, bool kBorder, unsigned kRows>
__device__ void advance_through_shared(Windows<kRows>& windows, SharedRows (&shared)[2],
                                       unsigned steps) {
  const unsigned self = threadIdx.x + 1;
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    // Two sets in turn: one barrier a generation is enough.
    SharedRows& rows = shared[step % 2];
    rows.first[self] = windows.first();
    rows.last[self] = windows.last();
    __syncthreads();
    advance<Rule, kBorder>(windows, rows.last[self - 1], rows.first[self + 1]);
  }
}

/// Blocks: x is the column, y the tile of kColumnThreads * kRows rows.
template <class Rule, unsigned kRows>
__global__ void __launch_bounds__(kColumnThreads) shared_memory_pass(const Pass pass) {
  __shared__ SharedRows shared[2];
  constexpr int kTile = kColumnThreads * static_cast<int>(kRows);
  constexpr int kHalo = static_cast<int>(kPassSteps);
  const int thread = static_cast<int>(threadIdx.x), column = static_cast<int>(blockIdx.x);
  const int tile = static_cast<int>(blockIdx.y) * (kTile - 2 * kHalo) - kHalo;
  const int first = thread * static_cast<int>(kRows);
  for (unsigned i = threadIdx.x; i < sizeof(shared) / 4; i += kColumnThreads)
    reinterpret_cast<std::uint32_t*>(shared)[i] = 0;
  __syncthreads();
  // Warps whose rows lie so far below the universe that no row of it depends on them in a pass.
  if (tile + (thread / 32 * 32) * static_cast<int>(kRows) > pass.height + kHalo) return;

  const bool border = at_border(pass, column, tile, kTile);
  Windows<kRows> windows(pass, column, tile + first, border);
  if (border)
    advance_through_shared<Rule, true>(windows, shared, pass.steps);
  else
    advance_through_shared<Rule, false>(windows, shared, pass.steps);
  windows.store(first, kHalo, kTile - kHalo, border);
}

}  // namespace ratchet::life
