// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), used to seed every other generator.
//
// Output k under a seed is mix(seed + (k + 1) * golden), a bijection of k. So streams that use
// disjoint ranges of k never share an output.
#pragma once

#include <cstdint>

#include "kernels/support/rng/inline.h"

namespace ratchet {

class SplitMix64 {
 public:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  ///< 2^64 / golden ratio, odd

  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  RATCHET_INLINE std::uint64_t next64() {
    state_ += kGolden;
    return mix(state_);
  }

  static RATCHET_INLINE std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// The seed words of stream `stream` under `seed`: outputs stream * 2^32 and following of one
/// SplitMix64 sequence. Different streams under a seed therefore get different words, as long as
/// they are below 2^32; stream 2^32 is stream 0 again. tiny_mc has the most streams: there that is
/// after 2^43 photons of one instance. The seed is mixed first so that neighbouring seeds do not
/// give shifted copies of one sequence.
inline SplitMix64 seeder(std::uint64_t seed, std::uint64_t stream) {
  return SplitMix64(SplitMix64::mix(~seed) + (stream << 32) * SplitMix64::kGolden);
}

}  // namespace ratchet
