// Which rolls of a stream of words belong to one battle, in the stages whose rolls come from the
// cage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ratchet::graveler {

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
/// Of every battle of a round of graveler/cuda/06_tensor_count and every lane that adds to it, but
/// for lanes that have the same rolls at the same place as one before.
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

}  // namespace ratchet::graveler
