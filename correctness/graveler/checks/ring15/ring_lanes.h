// Streams of a ring of fifteen words, whatever its schedule, side by side: what sampling plays.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "correctness/graveler/checks/ring15/schedule.h"

namespace ratchet::graveler {

inline constexpr unsigned kLanes = 16;
using Lanes = std::array<std::uint32_t, kLanes>;

/// Neighbouring streams of a ring with any schedule, step by step side by side.
class RingLanes {
 public:
  RingLanes(const RingSchedule& schedule, std::uint64_t seed) : schedule_(schedule) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned i = 0; i < kRingWords; ++i) w_[i][lane] = Ring15(seed, lane).word(i);
  }

  /// The words of the next round, Ring15::kRound of them.
  void round(Lanes* pool) {
    for (unsigned n = 0; n < Ring15::kRound; ++n) {
      Lanes& word = w_[n % kRingWords];
      const Lanes& tapped = w_[schedule_.tap[n]];
      const int r = schedule_.rotation[n];
      const std::uint32_t m = Ring15::multiplier(n % kRingWords);
      if (r == 0)
        for (unsigned lane = 0; lane < kLanes; ++lane) word[lane] = word[lane] * m + tapped[lane];
      else
        for (unsigned lane = 0; lane < kLanes; ++lane)
          word[lane] = std::rotl(word[lane], r) + tapped[lane];
      pool[n] = word;
    }
  }

 private:
  RingSchedule schedule_;
  std::array<Lanes, kRingWords> w_;
};

}  // namespace ratchet::graveler
