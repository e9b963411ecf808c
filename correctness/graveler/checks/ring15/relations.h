// The exact linear relations of ring15, and whether the rolls of a battle show one.
//
// At bit 0 a step is linear over GF(2): an addition has no carry there, an odd factor keeps the
// bit, a rotation brings another bit in. So every step is one relation between three bits,
//     x[n] bit 0  +  x[n - 15] bit 0, or bit 32 - r where it rotates by r  +  x[tap] bit 0  =  0,
// and it is the only one: given the words before, all other bits of x[n] take every value. A roll
// shows two differences of words (cage.h). Where a sum of differences is a sum of relations, the
// parity of those rolls' differences is the same for ever. Linear algebra finds all such sums, so
// nothing is sampled here.
#pragma once

#include <string>
#include <vector>

#include "correctness/graveler/checks/ring15/schedule.h"

namespace ratchet::graveler {

/// One bit of an outcome word.
struct Roll {
  unsigned round, outcome, bit;
  auto operator<=>(const Roll&) const = default;
};

/// A bit of a word, words numbered in the order drawn from the first of round 0.
struct WordBit {
  int word;
  unsigned bit;
  auto operator<=>(const WordBit&) const = default;
};

/// The bits whose sum is 0 by step `n`.
std::vector<WordBit> relation(const RingSchedule& schedule, int n);

/// A sum of relations that is a sum of differences of the rolls asked about.
struct Meeting {
  std::vector<Roll> rolls;  ///< those with a difference in the sum
  std::vector<int> steps;   ///< the relations in the sum, by the word that the step makes
};

/// A basis of the meetings of `rolls`, in rounds from 0 on, with the relations of the schedule.
/// What rolls have in common for any words, that is cycles of the cage, is no meeting.
std::vector<Meeting> meetings(const RingSchedule& schedule, const RollWords& rolls);

/// "6 rolls of outcomes 21, 22, 23 at bit 0, by steps 39 and 40".
std::string text_of(const Meeting& meeting);

}  // namespace ratchet::graveler
