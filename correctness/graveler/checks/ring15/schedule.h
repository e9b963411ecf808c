// What a ring of fifteen words does in the 45 steps of a round, as data: what ring15 ships, what it
// was before, and what a search tries.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "kernels/support/rng/ring15.h"

namespace ratchet::graveler {

struct RingSchedule {
  std::array<std::uint8_t, Ring15::kRound> tap{};       ///< word that the step adds, 0..14
  std::array<std::uint8_t, Ring15::kRound> rotation{};  ///< 1..31; 0 stands for a multiplication
  bool operator==(const RingSchedule&) const = default;
};

/// Words of the ring that exist before the first step.
inline constexpr unsigned kRingWords = 15;

/// Of kernels/support/rng/ring15.h.
RingSchedule shipped_schedule();

/// What ring15 shipped before: found by sampling three rolls at a time, which cannot see that six
/// rolls of the fourth battle of graveler/cuda/05_shared_masks always have an even number of
/// differences at bit 0.
RingSchedule sampled_schedule();

/// The word, in the order of all words ever drawn, that step `n` adds. Words -15 .. -1 are the ones
/// that the stream starts with; a step that is drawn in a later round has an `n` beyond 44.
inline int tapped_word(const RingSchedule& schedule, int n) {
  constexpr int ring = kRingWords;
  const int tap = schedule.tap[static_cast<unsigned>(n) % Ring15::kRound];
  return n - (n - tap + ring) % ring;
}

/// Two lines, as ring15.h has them.
std::string text_of(const RingSchedule& schedule);

/// The schedule of two lists of 45 numbers, separated by commas; the shipped one where both are
/// empty. Error says what is wrong with it.
RingSchedule chosen_schedule(const std::string& taps, const std::string& rotations);

}  // namespace ratchet::graveler
