// What the searches are defined to do, once more: on cards as text, by the reference and the words
// of the counter alone. What stages and tests took from the same headers would agree whatever these
// said.
#pragma once

#include <cstdint>

#include "kernels/bmn/bmn.h"
#include "kernels/bmn/search/climb.h"

namespace ratchet::bmn {

/// Shuffle `index` under `seed` as reference/bmn.h defines it.
Deal defined_shuffle(std::uint64_t seed, std::uint64_t index);

/// `deal`, of 26 cards a player, after the swap that words 4 * block to 4 * block + 3 of a stream
/// decide by search/swaps.h.
Deal defined_swap(const Deal& deal, std::uint64_t seed, std::uint64_t stream, std::uint64_t block);

/// Deal `index` of chains of `length` deals under `seed`.
Deal defined_chain(std::uint64_t seed, std::uint64_t index, std::uint64_t length);

/// A climber led by the rules at the head of search/climb.h, with the definition as judge. Each
/// goes its own way, so that any can be followed alone.
class DefinedClimber {
 public:
  DefinedClimber(const search::ClimbPlan& plan, std::uint32_t number);
  /// Plays the next round's candidates and chooses; returns how many of them were capped.
  std::uint64_t make_round();
  const search::Climber& state() const { return state_; }

 private:
  void begin();

  search::ClimbPlan plan_;
  std::uint32_t number_;
  std::uint64_t blocks_ = 1;  ///< of its words that are used up; the first is that of a shuffle
  search::Climber state_;
};

}  // namespace ratchet::bmn
