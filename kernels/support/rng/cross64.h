// Two 64-bit sums, each of which adds up a multiple of the other's high half; the low words are
// used: on a GPU one wide multiply-add a word, nothing else.
//
// A step is undone by the same subtraction. So it permutes the 128 bits of state, on cycles as long
// as those of a random permutation: some 2^127 steps. Nothing is known of them by proof; the words
// are judged by PractRand (correctness/tiny_mc/oracles/practrand.tsv). The high words are no random
// numbers: each moves by less than the multiplier's share of the other. Source: ratchet.
#pragma once

#include <cstdint>

#include "kernels/support/rng/gpu_seed.h"
#include "kernels/support/rng/inline.h"

namespace ratchet {

class Cross64 {
 public:
  RATCHET_HD Cross64(std::uint64_t seed, std::uint64_t stream)
      : next_(mix64(seed + stream)), last_(mix64(next_ + 0x9E3779B97F4A7C15ull)) {}

  /// Written as the instruction, which adds in place: in an unrolled
  /// loop the exchange of both costs nothing.
  RATCHET_HD RATCHET_INLINE std::uint32_t next() {
    const auto factor = static_cast<std::uint32_t>(last_ >> 32);
#if defined(__CUDA_ARCH__)
    auto low = static_cast<std::uint32_t>(next_), high = static_cast<std::uint32_t>(next_ >> 32);
    asm("mad.lo.cc.u32 %0, %2, %3, %0;\n\tmadc.hi.u32 %1, %2, %3, %1;"
        : "+r"(low), "+r"(high)
        : "r"(factor), "n"(kMultiplier));
    const std::uint64_t sum = low | std::uint64_t{high} << 32;
#else
    const std::uint64_t sum = next_ + std::uint64_t{factor} * kMultiplier;
#endif
    next_ = last_;
    last_ = sum;
    return static_cast<std::uint32_t>(sum);
  }

 private:
  static constexpr std::uint32_t kMultiplier = 0xe817fb2d;
  std::uint64_t next_, last_;
};

}  // namespace ratchet
