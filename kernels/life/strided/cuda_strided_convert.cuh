// Between the packed rows of a Grid and the strided layout, on the device; and the ghosts of a
// torus whose rows do not end with a word. None of it is timed but the ghosts.
#pragma once

#include "kernels/life/strided/strided_layout.h"

namespace ratchet::life::strided {

/// Word `j` of a row, gathered bit by bit: read(cell) is the cell's state, the cells of a torus
/// taken modulo its width. j may lie beyond both ends.
template <class Read>
__device__ std::uint32_t gathered(const Layout& layout, std::int64_t j, Read read) {
  std::uint32_t word = 0;
  for (unsigned bit = 0; bit < 32; ++bit) {
    std::int64_t cell = std::int64_t{bit} * layout.words + j;
    if (layout.edge == Edge::torus)
      cell = (cell % layout.width + layout.width) % layout.width;
    else if (cell < 0 || cell >= layout.width)
      continue;
    word |= read(static_cast<std::uint32_t>(cell)) << bit;
  }
  return word;
}

/// Rows [0, gridDim.x) of `packed`, 32-bit words in the order of a Grid, `packed_pitch` apart,
/// to `rows`, which points at word 0 of the first of them.
static __global__ void to_strided(Layout layout, const std::uint32_t* packed,
                                  std::uint32_t packed_pitch, std::uint32_t* rows) {
  const std::uint32_t* from = packed + std::uint64_t{blockIdx.x} * packed_pitch;
  std::uint32_t* to = rows + std::uint64_t{blockIdx.x} * layout.pitch;
  for (std::uint32_t j = threadIdx.x; j < layout.words; j += blockDim.x)
    to[j] =
        gathered(layout, j, [&](std::uint32_t cell) { return from[cell / 32] >> cell % 32 & 1; });
}

static __global__ void from_strided(Layout layout, const std::uint32_t* rows,
                                    std::uint32_t packed_pitch, std::uint32_t* packed) {
  const std::uint32_t* from = rows + std::uint64_t{blockIdx.x} * layout.pitch;
  std::uint32_t* to = packed + std::uint64_t{blockIdx.x} * packed_pitch;
  for (std::uint32_t w = threadIdx.x; w < packed_pitch; w += blockDim.x) {
    std::uint32_t word = 0;
    for (std::uint32_t bit = 0; bit < 32 && 32 * w + bit < layout.width; ++bit) {
      const std::uint32_t cell = 32 * w + bit;
      word |= (from[cell % layout.words] >> cell / layout.words & 1) << bit;
    }
    to[w] = word;
  }
}

/// The group of words beyond each end of every row.
[[maybe_unused]] static __global__ void gather_ghosts(Layout layout, std::uint32_t* rows) {
  std::uint32_t* row = rows + std::uint64_t{blockIdx.x} * layout.pitch;
  const auto cell_of = [&](std::uint32_t cell) {
    return row[cell % layout.words] >> cell / layout.words & 1;
  };
  const std::int64_t group = layout.group, at = threadIdx.x;
  const std::int64_t j = at < group ? at - group : at - group + layout.words;
  row[j] = gathered(layout, j, cell_of);
}

}  // namespace ratchet::life::strided
