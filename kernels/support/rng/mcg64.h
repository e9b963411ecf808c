// A multiplicative congruential generator modulo 2^64 of which the high words are used: on a GPU
// one wide multiply and one narrow one, nothing else.
//
// The multiplier has 32 bits and good lattices (Steele and Vigna, "Computationally easy, spectrally
// good multipliers for congruential pseudorandom number generators", Software: Practice and
// Experience 52, 2022). The lowest bit of the words has a period of 2^31 only. So a stream is for
// some 10^6 of its 2^62 words, from a hashed start.
#pragma once

#include <cstdint>

#include "kernels/support/rng/gpu_seed.h"
#include "kernels/support/rng/inline.h"

namespace ratchet {

class Mcg64 {
 public:
  RATCHET_HD Mcg64(std::uint64_t seed, std::uint64_t stream) {
    const std::uint64_t state = mix64(seed + stream) | 1;
    low_ = static_cast<std::uint32_t>(state);
    high_ = static_cast<std::uint32_t>(state >> 32);
  }
  /// Written as the two instructions it is: the compiler would fold successive steps into jumps,
  /// whose multipliers have 64 bits.
  RATCHET_HD RATCHET_INLINE std::uint32_t next() {
    std::uint64_t product;
#if defined(__CUDA_ARCH__)
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(low_), "n"(kMultiplier));
    asm("mad.lo.u32 %0, %1, %2, %3;"
        : "=r"(high_)
        : "r"(high_), "n"(kMultiplier), "r"(static_cast<std::uint32_t>(product >> 32)));
#else
    product = std::uint64_t{low_} * kMultiplier;
    high_ = high_ * kMultiplier + static_cast<std::uint32_t>(product >> 32);
#endif
    low_ = static_cast<std::uint32_t>(product);
    return high_;
  }

 private:
  static constexpr std::uint32_t kMultiplier = 0xe817fb2d;
  std::uint32_t low_, high_;
};

}  // namespace ratchet
