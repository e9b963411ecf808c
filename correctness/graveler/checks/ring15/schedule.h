// What a ring of fifteen words does in the 45 steps of a round, as data: what ring15 ships, what it
// was before, and what a search tries.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/support/rng/ring15.h"

namespace ratchet::graveler {

struct RingSchedule {
  std::array<std::uint8_t, Ring15::kRound> tap{};       ///< word that the step adds, 0..14
  std::array<std::uint8_t, Ring15::kRound> rotation{};  ///< 1..31; 0 stands for a multiplication
  bool operator==(const RingSchedule&) const = default;
};

/// Words of the ring that exist before the first step.
inline constexpr unsigned kRingWords = 15;

/// Of Ring15 and of Ring15Rows, kernels/support/rng/ring15.h.
RingSchedule shipped_schedule();
RingSchedule rows_schedule();

/// What ring15 shipped before, found by sampling three rolls at a time. Sampling misses that six
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

/// The schedule of two lists of 45 numbers, separated by commas; `otherwise` where both are empty.
/// Error says what is wrong with it.
RingSchedule chosen_schedule(const std::string& taps, const std::string& rotations,
                             const RingSchedule& otherwise = shipped_schedule());

// Which rolls of a stream of words belong to one battle, in the stages whose rolls come from the
// cage.

/// The bits in `bits` of an outcome word of a round.
struct RollWord {
  unsigned round, outcome;
  std::uint32_t bits;
};
using RollWords = std::vector<RollWord>;

/// The rolls of a battle that come from one stream. A battle of 06_tensor_count has rolls of four
/// streams; what streams do not share, words of one cannot show.
struct BattleRolls {
  std::string name;    ///< "battle 3 of 05_shared_masks"
  std::string stream;  ///< battles whose rolls come from one stream have this alike
  RollWords words;     ///< of round 0
};

/// Of every battle of a round of graveler/cuda/05_shared_masks.
std::vector<BattleRolls> rolls_of_shared_masks();
/// As that stage dealt its words before: seven in turn for each battle.
std::vector<BattleRolls> rolls_of_words_in_turn();
/// Of every battle of a round of graveler/cuda/06_tensor_count, which 07_more_multiplications deals
/// alike, and every lane that adds to it.
/// Lanes with the same rolls at the same place as an earlier one are left out.
std::vector<BattleRolls> rolls_of_tensor_count();

/// Rolls that are to be independent, together.
struct Scope {
  std::string name;
  RollWords words;
  unsigned battles = 1;
  bool neighbours = false;  ///< two that follow each other, or a battle and its own successor
};

/// Each battle; each two that share a stream, of one round and of two neighbouring rounds, a battle
/// and its own successor among them.
std::vector<Scope> scopes_of(const std::vector<BattleRolls>& battles);

/// The words of which all 32 bits are rolls.
RollWords whole_words(const RollWords& words);

/// The same rolls `rounds` later.
RollWords later(RollWords words, unsigned rounds);
RollWords operator+(RollWords words, const RollWords& more);

// Streams of a ring of fifteen words, whatever its schedule, side by side: what sampling plays.

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

// Whether outcome words of a ring scatter together: the covariance of how many rolls of two words
// come up. Algebra at bit 0 sees only what is exact there. A carry that ties neighbouring bits of
// two words is not, yet it moves the variance of a battle's ones.

/// Two outcome words of the cage, the second `rounds` later.
struct WordPair {
  unsigned first, second, rounds;
  double z;  ///< the sum of products of their deviations over its standard deviation
};

inline constexpr unsigned kRoundsApart = 3;  ///< in the same round, one later, two later

/// Every pair with |z| beyond `limit`, over `rounds` rounds of streams under `seed`. Of a million
/// rounds a correlation of 0.001 is a z of 1.
std::vector<WordPair> pairs_that_scatter_together(const RingSchedule& schedule, std::uint64_t seed,
                                                  std::uint64_t rounds, double limit);

}  // namespace ratchet::graveler
