// Layout of the stages whose rolls come from the cage.
#pragma once

#include <functional>

#include "kernels/graveler/cage/cage.h"
#include "kernels/graveler/graveler.h"

namespace ratchet::graveler {

/// The bit that is a turn: bit `bit` of outcome word `outcome` of lane `lane`.
struct OutcomeBit {
  std::uint32_t lane, outcome, bit;
};

/// graveler/cuda/05_shared_masks: outcome words b, 4 + b, ... 24 + b are turns 0..223 of battle b
/// of four, so that its words come from all over the round; word 28 holds everyone's last seven.
constexpr OutcomeBit shared_masks_bit(std::uint32_t battle, std::uint32_t turn) {
  const bool last = turn >= 224;
  return {.lane = 0,
          .outcome = last ? 28 : turn / 32 * 4 + battle,
          .bit = last ? 7 * battle + turn - 224 : turn % 32};
}

/// graveler/cuda/06_tensor_count: battle n of a row is bits 231 n .. 231 n + 230 of its 60 words;
/// word 4 * step + lane % 4 is a lane's step-th. Two outcomes make a step, the odd one for the
/// lower eight of 16 rows; eight battles a row.
constexpr OutcomeBit tensor_count_bit(std::uint32_t battle, std::uint32_t turn) {
  const std::uint32_t row = battle / 8;
  const std::uint32_t position = kTurns * (battle % 8) + turn;
  const std::uint32_t word = position / 32, step = word / 4;
  // Register pair (step % 2) of BMMA step / 2, odd for the lower rows.
  return {.lane = row % 8 * 4 + word % 4,
          .outcome = step / 2 * 4 + step % 2 * 2 + row / 8,
          .bit = position % 32};
}

/// A round of `lanes` cages that yields `battles` battles; `where` says which outcome bit a turn
/// is.
inline Layout cage_layout(std::uint32_t lanes, std::uint32_t battles,
                          std::function<OutcomeBit(std::uint32_t, std::uint32_t)> where) {
  Layout layout;
  layout.lanes = lanes;
  layout.words = kCageWords;
  layout.battles = battles;
  layout.hit = 0;  // all three words agree: both differences are 0
  layout.independent_below = kCageGirth;
  layout.site = [where = std::move(where)](std::uint32_t battle, std::uint32_t turn) {
    const OutcomeBit at = where(battle, turn);
    return Site{.lane = at.lane,
                .word_a = cage_word(at.outcome, 0),
                .bit_a = at.bit,
                .word_b = cage_word(at.outcome, 1),
                .bit_b = at.bit,
                .word_m = cage_word(at.outcome, 2),
                .bit_m = at.bit};
  };
  return layout;
}

}  // namespace ratchet::graveler
