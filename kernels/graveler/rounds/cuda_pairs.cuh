// The text's first loop body: 16 words in 8 pairs, 8 population counts a battle.
#pragma once

#include <cstdint>

namespace ratchet::graveler {

/// Keeps 7 of 32 bits: turns 225 to 231. The text writes !((1 << 25) - 1), which is Rust; in C++
/// `!` is logical and would make it 0.
inline constexpr std::uint32_t kLastSeven = ~((1u << 25) - 1);

/// `Mask` is ANDed into the last pair.
template <std::uint32_t Mask>
struct PairsRound {
  __device__ explicit PairsRound(unsigned) {}
  template <class W, class S>
  __device__ void play(W& words, S& sink, unsigned) {
    unsigned ones = 0;
#pragma unroll
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint32_t first = words.next();
      const std::uint32_t hits = first & words.next() & (i == 7 ? Mask : ~0u);
      ones += __popc(hits);
      sink.outcome(0, i, hits);
    }
    sink.count(0, ones);
  }
};

}  // namespace ratchet::graveler
