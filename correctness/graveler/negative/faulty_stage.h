// A small, slow graveler stage with a fault of choice, to prove that the checks reject it.
//
// 16 groups, each with its own std::mt19937_64; a round is one battle of eight pairs of 32-bit
// words.
#pragma once

#include <memory>
#include <string>

#include "kernels/graveler/graveler.h"

namespace ratchet::graveler {

enum class Fault {
  none,
  short_mask,   ///< 230 turns
  long_mask,    ///< 232 turns
  reused_word,  ///< the second pair takes its first word from the first pair
  or_for_and,
  biased_generator,  ///< P(bit) such that P(one) = 1/4 + 1e-3
  dropped_tail,      ///< the battles beyond a multiple of the groups are not played
  one_too_many,      ///< ... or rounded up
  sticky_battles,    ///< a turn copies that of the battle before with probability 1 %
  linear_battles,    ///< each third battle's words are the XOR of the two before: pairs look right
  linear_words,      ///< the third pair's words are the XOR of those of the first and the second
  equal_seeds,       ///< neighbouring groups draw the same words
  overlapping_streams,  ///< each group starts 37 battles after its neighbour in the same stream
  lost_groups,          ///< the maximum leaves out the upper half of the groups
  stale_state,          ///< every run repeats the first
  seed_ignored,
  seed_cut,         ///< of the seed 63 bits matter
  shifted_seeds,    ///< a seed's stream is that of the seed before, one battle on
  claimed_battles,  ///< the result claims all battles, but the last fifth enters no maximum
  ones_off,         ///< counts are not those of the outcome: a lane's count goes to its neighbour
  printed,          ///< mask 0 and battles too many, as in the text
};

/// `name` must be a valid stage name; the parameters are the common ones.
std::unique_ptr<GravelerStage> faulty_stage(Fault fault,
                                            const std::string& name = "graveler/cpu/90_faulty");

}  // namespace ratchet::graveler
