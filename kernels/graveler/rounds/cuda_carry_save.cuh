// A round of graveler/cuda/05_shared_masks: four battles of 45 words, counted by carry-save adders.
#pragma once

#include <cstdint>

#include "kernels/graveler/cage/cage.h"

namespace ratchet::graveler {

/// A battle takes every fourth outcome word (shared_masks_bit()): words drawn close together share
/// more of the generator's relations than its taps can keep apart (README).
struct CarrySaveRound {
  __device__ explicit CarrySaveRound(unsigned) {}

  struct Keep {
    std::uint32_t outcome[kCageOutcomes];
    template <unsigned Y>
    __device__ void operator()(std::uint32_t y) {
      outcome[Y] = y;
    }
  };

  /// Ones in a battle's seven words, every fourth from the first: full adders first, so that three
  /// counts do instead of seven.
  static __device__ unsigned count(const std::uint32_t* first) {
    const auto w = [first](unsigned i) { return first[4 * i]; };
    const auto sum = [](auto a, auto b, auto c) { return a ^ b ^ c; };
    const auto carry = [](auto a, auto b, auto c) { return (a & b) | (c & (a | b)); };
    const std::uint32_t s1 = sum(w(0), w(1), w(2)), c1 = carry(w(0), w(1), w(2));
    const std::uint32_t s2 = sum(w(3), w(4), w(5)), c2 = carry(w(3), w(4), w(5));
    const std::uint32_t s3 = sum(s1, s2, w(6)), c3 = carry(s1, s2, w(6));
    return __popc(s3) + 2 * __popc(sum(c1, c2, c3)) + 4 * __popc(carry(c1, c2, c3));
  }

  template <class W, class S>
  __device__ void play(W& words, S& sink, unsigned active) {
    std::uint32_t pool[kCageWords];
    Keep keep;
    cage_round(words, pool, keep);
#pragma unroll
    for (unsigned battle = 0; battle < 4; ++battle) {
      const std::uint32_t last = keep.outcome[28] & (0x7fu << 7 * battle);
#pragma unroll
      for (unsigned i = 0; i < 7; ++i) sink.outcome(battle, i, keep.outcome[4 * i + battle]);
      sink.outcome(battle, 7, last);
      if (battle < active) sink.count(battle, count(keep.outcome + battle) + __popc(last));
    }
  }
};

}  // namespace ratchet::graveler
