// Search for schedules whose exact relations no battle shows: annealing on the number of meetings.
#pragma once

#include <random>
#include <vector>

#include "correctness/graveler/checks/ring15/schedule.h"

namespace ratchet::graveler {

/// What a search is for.
struct SearchGoal {
  unsigned multiplications = 20;  ///< in a round: those of Ring15
  unsigned in_a_row = 3;          ///< at most, so that both pipes have work
};
/// Of Ring15Rows: more of them, since a battle of 06_tensor_count sees few words of a stream.
inline constexpr SearchGoal kRowsGoal{32, 4};

/// Rounds in turn over which the words of one battle are looked at.
inline constexpr unsigned kLongRun = 8;

/// Whether no battle, in each of `rounds` rounds in turn, shows an exact relation.
bool long_runs_are_free(const RingSchedule& schedule, const std::vector<BattleRolls>& battles,
                        unsigned rounds);

/// Whether the words that a battle holds all 32 bits of are free of relations, even if every step
/// were linear at every bit. Then no chain of likely relations through carries joins rolls of a
/// battle within a round. Rotations commute, so a sum of relations between rotated words remains
/// one when all bits of a word are added up. These sums are examined.
bool battles_are_free_at_all_bits(const RingSchedule& schedule,
                                  const std::vector<BattleRolls>& battles);

/// The fewest rolls at bit 0, of all rolls of two rounds in turn, that show an exact relation
/// together: 1 to 3, or 4 for more than three. All 30 outcomes of a round hold too many relations
/// for it to be none.
unsigned fewest_dependent_rolls(const RingSchedule& schedule);

/// What a schedule needs beyond no faults. Battles of either layout are free: alone, by twos, in
/// long runs and at all bits. No three rolls of two rounds depend on each other.
bool is_free(const RingSchedule& schedule, const std::vector<BattleRolls>& shared,
             const std::vector<BattleRolls>& tensor);

struct Annealed {
  RingSchedule schedule;
  unsigned faults = 0;
};

/// What annealing makes small: meetings in any scope of `battles`, at bit 0 or were all steps
/// linear at all bits; relations that hold among the words that a battle is made of, at bit 0 in
/// two rounds or of whole words; and multiplications in a row that are too many.
unsigned faults_of(const RingSchedule& schedule, const std::vector<BattleRolls>& battles,
                   const SearchGoal& goal = {});

/// Draws a schedule of the goal with no rotation twice. Moves its taps and steps until there are no
/// faults, or for 30 000 moves.
Annealed anneal_schedule(const std::vector<BattleRolls>& battles, std::mt19937_64& random,
                         const SearchGoal& goal = {});

/// A schedule without faults, moved on among such until no three rolls of two rounds depend on each
/// other, or for 3000 moves. With many multiplications annealing alone hardly ever gets there.
RingSchedule part_three_rolls(RingSchedule schedule, const std::vector<BattleRolls>& battles,
                              std::mt19937_64& random, const SearchGoal& goal);

}  // namespace ratchet::graveler
