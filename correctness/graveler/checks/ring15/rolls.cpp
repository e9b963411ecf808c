#include "correctness/graveler/checks/ring15/rolls.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "kernels/graveler/cage/cuda_cage_layout.h"

namespace ratchet::graveler {
namespace {

/// Outcome words of a battle by lane, round 0.
template <class Where>
std::map<unsigned, RollWords> rolls_by_lane(unsigned battle, Where where) {
  std::map<unsigned, std::map<unsigned, std::uint32_t>> bits;
  for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
    const OutcomeBit at = where(battle, turn);
    bits[at.lane][at.outcome] |= 1u << at.bit;
  }
  std::map<unsigned, RollWords> rolls;
  for (const auto& [lane, outcomes] : bits)
    for (const auto& [outcome, mask] : outcomes) rolls[lane].push_back({0, outcome, mask});
  return rolls;
}

}  // namespace

std::vector<BattleRolls> rolls_of_shared_masks() {
  std::vector<BattleRolls> battles;
  for (unsigned battle = 0; battle < 4; ++battle)
    for (auto& [lane, words] : rolls_by_lane(battle, shared_masks_bit))
      battles.push_back(
          {fmt::format("battle {} of 05_shared_masks", battle), "05_shared_masks", words});
  return battles;
}

std::vector<BattleRolls> rolls_of_words_in_turn() {
  std::vector<BattleRolls> battles = rolls_of_shared_masks();
  for (unsigned battle = 0; battle < 4; ++battle)
    for (RollWord& word : battles[battle].words)
      if (word.bits == ~0u) word.outcome = word.outcome / 4 + 7 * battle;
  return battles;
}

std::vector<BattleRolls> rolls_of_tensor_count() {
  std::vector<BattleRolls> battles;
  for (const unsigned row : {0u, 8u})  // the lanes of rows 1 to 7 and 9 to 15 do what these do
    for (unsigned column = 0; column < 8; ++column)
      for (auto& [lane, words] : rolls_by_lane(8 * row + column, tensor_count_bit))
        battles.push_back(
            {fmt::format("battle {} of 06_tensor_count, lane {}", 8 * row + column, lane),
             fmt::format("06_tensor_count, lane {}", lane), words});
  return battles;
}

std::vector<Scope> scopes_of(const std::vector<BattleRolls>& battles) {
  std::vector<Scope> alone, together, successive;
  for (std::size_t i = 0; i < battles.size(); ++i) {
    alone.push_back({battles[i].name, battles[i].words, 1, false});
    for (std::size_t j = 0; j < battles.size(); ++j) {
      if (battles[i].stream != battles[j].stream) continue;
      const auto scope = [&](const char* with, unsigned rounds, bool neighbours) {
        return Scope{battles[i].name + with + battles[j].name,
                     battles[i].words + later(battles[j].words, rounds), 2, neighbours};
      };
      const bool around = i + 1 == battles.size() && j == 0;
      if (i < j) together.push_back(scope(" and ", 0, i + 1 == j));
      successive.push_back(scope(" and, a round later, ", 1, i == j || around));
    }
  }
  alone.insert(alone.end(), together.begin(), together.end());
  alone.insert(alone.end(), successive.begin(), successive.end());
  return alone;
}

RollWords whole_words(const RollWords& words) {
  RollWords whole;
  for (const RollWord& word : words)
    if (word.bits == ~0u) whole.push_back(word);
  return whole;
}

RollWords later(RollWords words, unsigned rounds) {
  for (RollWord& word : words) word.round += rounds;
  return words;
}

RollWords operator+(RollWords words, const RollWords& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace ratchet::graveler
