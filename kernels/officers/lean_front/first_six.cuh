// The first six candidates that are left, in order. Candidates stand in words of three places
// (front/candidates.cuh); as bytes, eight of them are two words, of which one permutation takes any
// four.
#pragma once

#include "kernels/officers/front/candidates.cuh"

namespace ratchet::officers::lean {

using namespace front;

inline constexpr std::uint32_t kChoices = 256;
/// The places of the set bits of `chosen`, in order, a nibble each.
__device__ inline std::uint32_t order_of(std::uint32_t chosen) {
  std::uint32_t order = 0;
  for (std::uint32_t place = 0, to = 0; place < 8; ++place)
    if (chosen >> place & 1) order |= place << to, to += 4;
  return order;
}
/// Which of three places are open, as bits 0, 1 and 2.
__device__ inline std::uint32_t open_bits(std::uint32_t open) {
  return (open >> 8 & 1) | (open >> 17 & 2) | (open >> 26 & 4);
}
/// Of the candidates of three words, the first eight, those that are `chosen`, six at the most:
/// `order` is order_of(chosen).
__device__ inline void first_six(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                                 std::uint32_t chosen, std::uint32_t order,
                                 std::uint32_t (&words)[2]) {
  const std::uint32_t low = (c0 & 0xff) | (c0 >> 2 & 0xff00) | (c0 >> 4 & 0xff0000) | c1 << 24;
  const std::uint32_t high =
      (c1 >> 10 & 0xff) | (c1 >> 12 & 0xff00) | (c2 << 16 & 0xff0000) | (c2 << 14 & 0xff000000);
  const std::uint32_t x = __byte_perm(low, high, order & 0xffff);
  const std::uint32_t y = __byte_perm(low, high, order >> 16);
  const auto count = static_cast<std::uint32_t>(__popc(static_cast<int>(chosen)));
  words[0] = (x & 0xff) | (x & 0xff00) << 2 | (x & 0xff0000) << 4;
  words[1] = x >> 24 | (y & 0xff) << 10 | (y & 0xff00) << 12;
  words[0] |= (kExcluded * kLanes3) << 10 * (count < 3 ? count : 3);
  words[1] |= (kExcluded * kLanes3) << 10 * (count < 3 ? 0 : count < 6 ? count - 3 : 3);
}

}  // namespace ratchet::officers::lean
