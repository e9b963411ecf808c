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
