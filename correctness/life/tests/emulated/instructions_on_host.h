// Instructions that the kernels of life name, on a CPU: for
// kernels/life/strided/cuda_strided_ptx.cuh.
#pragma once

#include <cstdint>

namespace ratchet::life::strided {

template <int kTable>
std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t d = 0;
  for (int i = 0; i < 8; ++i)
    if (kTable >> i & 1) d |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return d;
}
template <int kFactor>
std::uint32_t mad(std::uint32_t a, std::uint32_t c) {
  return a * static_cast<std::uint32_t>(kFactor) + c;
}

}  // namespace ratchet::life::strided
