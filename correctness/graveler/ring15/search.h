// Search for schedules whose exact relations no battle shows: annealing on the number of meetings.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "correctness/graveler/ring15/rolls.h"
#include "correctness/graveler/ring15/schedule.h"

namespace ratchet::graveler {

/// Multiplications in a round: as many as balance the FMA pipe against the ALU.
inline constexpr unsigned kMultiplications = 20;
/// Multiplications in a row, at most, so that both pipes have work.
inline constexpr unsigned kMultiplicationsInARow = 3;

/// Rounds in turn over which the words of one battle are looked at.
inline constexpr unsigned kLongRun = 8;

/// Whether no battle, in each of `rounds` rounds in turn, shows an exact relation.
bool long_runs_are_free(const RingSchedule& schedule, const std::vector<BattleRolls>& battles,
                        unsigned rounds);

/// Whether the words that a battle holds all 32 bits of are free of relations even if every step
/// were linear at every bit, rotations and all. Then no chain of likely relations, through whatever
/// carries, leads from rolls of a battle to rolls of the same battle within a round: rotations
/// commute, so a sum of relations between rotated words remains one when all bits of a word are
/// added up, and that is what is looked at.
bool battles_are_free_at_all_bits(const RingSchedule& schedule,
                                  const std::vector<BattleRolls>& battles);

struct Annealed {
  RingSchedule schedule;
  unsigned faults = 0;  ///< meetings left, and multiplications in a row that are too many
};

/// Draws a schedule with kMultiplications multiplications and no rotation twice, and moves its taps
/// and steps until there are no meetings in any scope of `battles`, or for 30 000 moves.
Annealed anneal_schedule(const std::vector<BattleRolls>& battles, std::mt19937_64& random);

}  // namespace ratchet::graveler
