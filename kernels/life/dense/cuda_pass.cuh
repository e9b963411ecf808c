// A pass of the dense kernels, and what the kernels share. It needs no CUDA runtime, so that a test
// runs them on an emulated device (correctness/life/tests/emulated/dense_emulated_test.cpp).
#pragma once

#include <cstdint>

namespace ratchet::life {

/// What a pass of any kernel reads and writes: at most kPassSteps generations.
struct Pass {
  const std::uint32_t* from;
  std::uint32_t* to;
  /// Words from one column to the next (columns), or from one row to the next (rows); a multiple
  /// of 4 for columns, so that four rows are one aligned load.
  std::uint64_t pitch;
  int width, height;  // cells
  unsigned steps;
  bool torus;
};

/// The two 32-cell windows of a thread overlap their neighbours by 16 cells.
inline constexpr unsigned kPassSteps = 16;

/// Which of the 32 cells from x on lie in a row of `width` cells.
__device__ inline std::uint32_t cells_inside(int x, int width) {
  const int begin = max(-x, 0), end = min(width - x, 32);
  if (begin >= end) return 0;
  return (end - begin == 32 ? ~0u : (1u << (end - begin)) - 1) << begin;
}

/// Words (rows x columns of them), transposed: between the Grid's row order and columns.
template <class = void>
__global__ void transpose_words(const std::uint32_t* from, std::uint64_t from_pitch,
                                std::uint32_t* to, std::uint64_t to_pitch, std::uint32_t rows,
                                std::uint32_t columns) {
  __shared__ std::uint32_t tile[32][33];
  const std::uint64_t row0 = std::uint64_t{blockIdx.y} * 32,
                      column0 = std::uint64_t{blockIdx.x} * 32;
  for (unsigned i = threadIdx.y; i < 32; i += blockDim.y)
    if (row0 + i < rows && column0 + threadIdx.x < columns)
      tile[i][threadIdx.x] = from[(row0 + i) * from_pitch + column0 + threadIdx.x];
  __syncthreads();
  for (unsigned i = threadIdx.y; i < 32; i += blockDim.y)
    if (column0 + i < columns && row0 + threadIdx.x < rows)
      to[(column0 + i) * to_pitch + row0 + threadIdx.x] = tile[threadIdx.x][i];
}

}  // namespace ratchet::life
