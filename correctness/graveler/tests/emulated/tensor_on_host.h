// The binary tensor core's instructions on a CPU: for kernels/graveler/rounds/cuda_tensor.cuh.
#pragma once

#include <bit>

#include "correctness/emulator/grid_on_host.h"

namespace ratchet::graveler::tensor {

/// mma.m16n8k128 and .popc. The four lanes 4 n .. 4 n + 3 hold row n in `upper`, row n + 8 in
/// `lower`, and column n.
inline void count_128(int (&d)[4], std::uint32_t upper, std::uint32_t lower, std::uint32_t column) {
  const on_host::Values rows[] = {on_host::meet(upper), on_host::meet(lower)};
  const on_host::Values& columns = on_host::meet(column);
  const unsigned lane = on_host::this_lane();
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned k = 0; k < 4; ++k)
      d[i] +=
          std::popcount(rows[i / 2][lane / 4 * 4 + k] & columns[(lane % 4 * 2 + i % 2) * 4 + k]);
}
/// mma.m16n8k256: one after the other.
inline void count_256(int (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                      std::uint32_t b1) {
  count_128(d, a[0], a[1], b0);
  count_128(d, a[2], a[3], b1);
}

}  // namespace ratchet::graveler::tensor
