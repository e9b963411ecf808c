// The checks of the bmn family, as functions that return tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "correctness/support/test_result.h"
#include "kernels/bmn/bmn.h"
#include "kernels/bmn/search/climb.h"

namespace ratchet::bmn {

using correctness::TestResults;

/// The outcome of a deal by the definition.
Outcome by_definition(const Deal& deal, std::uint64_t cap);
/// What becomes of it, by exact cycle detection: "ends after ... turns" or "never ends: ...".
std::string proven_fate(const Deal& deal);

/// Every known deal that a Deal can hold; one hand empty, one card against 51, all courts on one
/// side, hands without courts. Then `random` deals of 0 to 52 cards, split anywhere.
std::vector<Deal> edge_deals(std::uint32_t random);

/// What a run of these games, of deals `first` and following, leaves: the sums and the longest,
/// these without their deals; of capped games their number.
Result sum_of(const std::vector<Outcome>& games, std::uint64_t first);

/// The stage's outcomes of `deals` under `cap` against the definition, deal by deal.
TestResults check_given(const BmnStage& stage, const std::vector<Deal>& deals, std::uint64_t cap);
/// The same with the cap and the shape of `parameters`.
TestResults check_given(const BmnStage& stage, const std::vector<Deal>& deals,
                        const Parameters& parameters);

/// The first run's games one by one against the definition, and its result against these games:
/// every sum, the histogram, the longest, the capped with their cards, the digest.
TestResults check_games(const BmnStage& stage, const Parameters& parameters);

/// Of an as_printed stage: whether the run plays its deal `index`, and how many it plays. It counts
/// all; of 128 batches of a block it plays the first. Throws `Error` for a stage that is not
/// listed.
bool plays_as_printed(const BmnStage& stage, const Parameters& parameters, std::uint64_t index);
std::uint64_t played_as_printed(const BmnStage& stage, const Parameters& parameters);
/// A first run shows the printed program's error: it reports all deals and plays those alone, each
/// as defined.
TestResults check_as_printed(const BmnStage& stage, const Parameters& parameters);

/// Every run of an instance, one after another, as check_games() sees the first by its result.
TestResults check_each_run(const BmnStage& stage, const Parameters& parameters, unsigned runs);

/// The second run of an instance plays the deals that follow those of the first. So digests of two
/// runs of n add up to that of one run of 2n. units() is what was played.
TestResults check_runs(const BmnStage& stage, std::uint64_t deals, std::uint64_t seed);

/// For a run of any number: its longest games have the turns and tricks that the definition gives
/// to the deals of their indices. A hundred of its capped games are capped by the definition, too.
correctness::TestResult check_longest(const BmnStage& stage, const Parameters& parameters,
                                      const Result& result);

/// Climbers after `runs` runs, one by one, against the rules of search/climb.h with the definition
/// as judge.
TestResults check_climb(const search::ClimbStage& stage, const Parameters& parameters,
                        unsigned runs);
/// 40 climbers, five candidates and six rounds, starting again after two, under a cap.
Parameters small_climb(const search::ClimbStage& stage, std::uint64_t cap);
/// Whether a deal is of 52 cards, 26 a player, four of each court.
bool has_all_cards(const Deal& deal);

/// A run's means and tail against the law of 4e7 random deals, and its number of deals.
TestResults check_lengths(const Result& result, std::uint64_t deals);

/// Shuffles by the tables against the definition on `deals` deals.
TestResults check_shuffles(std::uint64_t seed, std::uint32_t deals);
/// Uniformity of the deals that a run plays: courts by position, by pairs of positions, ranks by
/// position, neighbouring ranks, and successive deals, by chi-square over `deals` deals.
TestResults check_uniformity(std::uint64_t seed, std::uint64_t deals);

/// Deals of 71 seeds that differ in one bit, are close, or 2^32 apart. None occurs twice. No two
/// seeds have their courts at the same places more or less often than chance.
TestResults check_related_seeds();
/// The stage plays the deals of its seed, for each of those: by check_games.
TestResults check_seed_bits(const BmnStage& stage);

Parameters parameters_for(const BmnStage& stage, std::uint64_t deals, std::uint64_t seed,
                          std::uint64_t cap = kDefaultCap);

// The known games of correctness/bmn/*.tsv, read.

/// A row of a tab-separated table, by the names of its columns.
using OracleRow = std::map<std::string, std::string>;

/// The rows of correctness/bmn/<name>: comment lines left out, the first line left names the
/// columns (a '#' before the first name is dropped). Throws `Error` when the file is missing, empty
/// or ragged.
std::vector<OracleRow> oracle(const std::string& name);

// What the searches are defined to do, once more: on cards as text, by the reference and the words
// of the counter alone. What stages and tests took from the same headers would agree whatever these
// said.

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
