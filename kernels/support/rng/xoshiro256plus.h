// xoshiro256+ (Blackman, Vigna, ACM TOMS 2021), one generator: the definition that the lanes of
// xoshiro256plus-inl.h are tested against.
//
// Period 2^256 - 1. The lowest bits are a linear shift register and fail tests of linear complexity
// and matrix rank, which counting ANDed bits does not see.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/support/rng/splitmix64.h"

namespace ratchet {

class Xoshiro256Plus {
 public:
  /// The four state words in the order of the paper; not all zero.
  constexpr Xoshiro256Plus(std::uint64_t s0, std::uint64_t s1, std::uint64_t s2, std::uint64_t s3)
      : state_{s0, s1, s2, s3} {}
  /// Four seed words. Lanes seeded from different words start at random places of the period: S
  /// lanes of L draws overlap with a chance below S^2 L / 2^255, 1e-58 for 2^13 lanes of 2^40
  /// draws.
  explicit Xoshiro256Plus(SplitMix64& words) {
    for (auto& word : state_) word = words.next64();
  }

  constexpr std::uint64_t next64() {
    const std::uint64_t sum = state_[0] + state_[3];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return sum;
  }

  const std::uint64_t* state() const { return state_; }

 private:
  std::uint64_t state_[4];
};

}  // namespace ratchet
