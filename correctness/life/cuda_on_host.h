// CUDA C++ on a CPU: the words of the language, and what a thread does by itself. What threads do
// together is in warp_on_host.h or grid_on_host.h, of which a program includes one, in one file.
#pragma once

#include <algorithm>
#include <cstdint>

#define __device__
#define __global__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))

struct Index {
  unsigned x = 0;
};
inline Index threadIdx, blockIdx, blockDim, gridDim;

struct __attribute__((may_alias, aligned(16))) uint4 {
  std::uint32_t x, y, z, w;
};
inline uint4 make_uint4(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
  return {x, y, z, w};
}
using std::max;
using std::min;

/// The upper half of (high:low) << by.
inline std::uint32_t __funnelshift_l(std::uint32_t low, std::uint32_t high, std::uint32_t by) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return static_cast<std::uint32_t>(both << by % 32 >> 32);
}

inline std::uint32_t __funnelshift_r(std::uint32_t low, std::uint32_t high, std::uint32_t by) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return static_cast<std::uint32_t>(both >> by % 32);
}

// For kernels/life/cuda_strided_ptx.cuh.
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
