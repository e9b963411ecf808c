// The text's second loop body: 29 words for two battles.
#pragma once

#include "kernels/graveler/graveler.h"
#include "kernels/graveler/rounds/cuda_pairs.cuh"

namespace ratchet::graveler {

/// Seven pairs of words make 224 turns; the 14 bits that each of two battles still lacks come from
/// one word, shifted. All 28 bits are different ones: 31..25 with 24..18, and 17..11 with 10..4.
struct TwoBattlesRound {
  __device__ explicit TwoBattlesRound(unsigned) {}
  template <class W, class S>
  __device__ void play(W& words, S& sink, unsigned active) {
    unsigned ones[2] = {0, 0};
#pragma unroll
    for (unsigned battle = 0; battle < 2; ++battle)
#pragma unroll
      for (unsigned i = 0; i < 7; ++i) {
        const std::uint32_t first = words.next();
        const std::uint32_t hits = first & words.next();
        ones[battle] += __popc(hits);
        sink.outcome(battle, i, hits);
      }
    const std::uint32_t last = words.next();
    const std::uint32_t hits[2] = {last & last << 7 & kLastSeven,
                                   last << 14 & last << 21 & kLastSeven};
#pragma unroll
    for (unsigned battle = 0; battle < 2; ++battle) {
      sink.outcome(battle, 7, hits[battle]);
      if (battle < active) sink.count(battle, ones[battle] + __popc(hits[battle]));
    }
  }
};

inline Layout two_battles_layout() {
  Layout layout;
  layout.words = 29;
  layout.battles = 2;
  layout.site = [](std::uint32_t battle, std::uint32_t turn) {
    if (turn >= 224) {
      const std::uint32_t bit = 25 + (turn - 224) - 14 * battle;
      return Site{.word_a = 28, .bit_a = bit, .word_b = 28, .bit_b = bit - 7};
    }
    const std::uint32_t word = 14 * battle + 2 * (turn / 32);
    return Site{.word_a = word, .bit_a = turn % 32, .word_b = word + 1, .bit_b = turn % 32};
  };
  return layout;
}

}  // namespace ratchet::graveler
