// What the programs of the family look for: the longest games, and those that never end.
#pragma once

#include <string>
#include <vector>

#include "kernels/bmn/search/climb.h"

namespace ratchet::bmn::search {

/// What becomes of a deal, with no cap, by exact comparison of states: "2879 turns, 404 tricks" or
/// "never ends: from turn 34 on it repeats every 440 turns, 62 tricks".
std::string fate_of(const Deal& deal);

/// The longest so far, and how many that never end.
struct Best {
  std::uint64_t turns = 0, tricks = 0, endless = 0;

  /// As one line, and back. Throws `Error` where it is none.
  std::string text() const;
  static Best of_text(const std::string& text);

  /// Records that beat it, as lines in the text's form, "deal: turns, tricks", with `where` behind.
  /// A game of most turns may be that of most tricks.
  void take(const Deal& deal, std::uint64_t game_turns, std::uint64_t game_tricks,
            const std::string& where, std::vector<std::string>& records);
  /// A game that a stage gave up: proven to end or not.
  void take_capped(const Deal& deal, const std::string& where, std::vector<std::string>& records);
};

/// Throws `Error` where not all capped games of a run of `deals` were kept: one that was not may be
/// the one that never ends.
void demand_all_kept(std::uint64_t capped, std::size_t kept, std::uint64_t deals,
                     std::uint64_t cap);

/// Takes the best deals of a climb's last run, by turns and by tricks, and its capped candidates; a
/// climber's best is its game of most turns. Throws as demand_all_kept().
void take_climb(Best& best, const ClimbResult& result, std::uint64_t cap, const std::string& where,
                std::vector<std::string>& records);

/// The first of the stages named that can run here; never null. Throws `Error` when none can.
const Stage* fastest(const std::vector<std::string>& names);

}  // namespace ratchet::bmn::search
