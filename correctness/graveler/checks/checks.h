// The checks of the graveler family, as functions that return test results.
//
// They serve the quick check before every timing (check.cpp), the test suite (graveler_test.cpp)
// and the tests of the checks themselves (negative/negative_test.cpp). Under a correct stage each
// test raises a false alarm with probability kFalseAlarm or less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "correctness/support/binomial_law.h"
#include "correctness/support/test_result.h"
#include "kernels/graveler/graveler.h"

namespace ratchet::graveler {

using correctness::BinomialLaw;
using correctness::TestResults;

/// The rolls of a round are as independent as the layout claims: all of them, given independent
/// words, or any fewer than `independent_below` (5 at least) where words are shared through masks.
/// Sites in range. Exact, by the graph of rolls and the bits they read; needs no device.
TestResults check_layout(const Layout& layout);

/// Which outcome bits are in use, per battle of a round, sorted: bit 32 * word + i. 231 each when
/// right.
std::vector<std::vector<std::uint16_t>> used_bits(const Trace& trace);

/// The trace under Stream::counter against the definition: the same ones in every battle, the
/// outcome's bits in a fixed one-to-one relation with the turns, popcount(outcome) = ones. Uses
/// about `max_groups` groups, at least one block, and at least 256 battles of each place in a
/// round; `least_rounds` rounds of the first group.
TestResults check_replay(const GravelerStage& stage, std::uint64_t seed, std::uint32_t max_groups,
                         std::uint32_t least_rounds = 0);

/// The distribution of ones per battle against `law`, and the number of battles against `battles`.
TestResults check_histogram(const Histogram& histogram, std::uint64_t battles,
                            const BinomialLaw& law);

/// The shape of a trace: as many neighbouring groups as `max_groups` allows, and as many rounds as
/// make `battles` battles in all.
struct TraceShape {
  std::uint32_t max_groups = 64;
  std::uint64_t battles = std::uint64_t{1} << 20;
};
/// A trace of that shape on the stage's own stream.
Trace own_trace(const GravelerStage& stage, std::uint64_t seed, const TraceShape& shape);

/// Turns within a battle, battles of a group and neighbouring groups and blocks are independent,
/// with every turn a one with probability 1/4: frequencies, pairs, lags, triples, repeated
/// outcomes.
TestResults check_independence(const Trace& trace);

/// The maximum over `battles` battles, in `repetitions` runs of one prepared instance, against its
/// law.
TestResults check_maximum(const GravelerStage& stage, std::uint64_t seed, std::uint64_t battles,
                          std::uint32_t repetitions);

/// The maxima of many runs of `battles` battles each, by value, against their law under `law` of
/// one battle: mean, shape where there are 100 or more, and not all the same.
TestResults check_maxima(const Histogram& maxima, std::uint64_t battles, const BinomialLaw& law);

/// Exactly `battles` battles: in the histogram, in the result of each of two runs, in units().
TestResults check_counts(const GravelerStage& stage, std::uint64_t battles);

/// One seed gives one result, twice (on one CPU thread, see check_first_run); another seed gives
/// another; another run draws fresh numbers.
TestResults check_seeds(const GravelerStage& stage);

/// Seeds that differ in one bit, are close or are 2^32 apart give outcomes that are not correlated,
/// nor shifted copies of each other.
TestResults check_related_seeds(const GravelerStage& stage);

/// No run of a seed is a run of a neighbouring seed, nor of one 2^32 on, up to three runs before or
/// after. Their maxima agree as often as those of independent runs.
TestResults check_runs_of_seeds(const GravelerStage& stage);

/// Battle counts out of range are refused by an error that names stage, parameter and range.
TestResults check_refusals(const GravelerStage& stage);

/// A stage marked as_printed shows its known error. The wrong law fits and the right one is
/// refuted. More battles are played, and counted, than were asked for.
TestResults check_as_printed(const GravelerStage& stage, std::uint64_t battles);

/// Seeds as the text makes them, one up from thread to thread: the first battles of 2^16 threads
/// are no sample of the law, the third ones are.
TestResults check_neighbouring_seeds(const GravelerStage& stage);

/// Turns of a battle that the stage really plays: 231, but fewer of one marked as_printed.
unsigned turns_played(const GravelerStage& stage);
/// Battles of one seed below which the law does not judge the sum of many. 0, but more for a stage
/// marked as_printed: its first battles are no sample of the law.
std::uint64_t least_battles_of_law(const GravelerStage& stage);

/// What a timed instance computed at its own parameters, as far as `budget_s` seconds see. First
/// the law of the maxima of its further runs. Then first runs of fresh instances with these
/// parameters under other seeds: their maxima must be the highest bins of their histograms. At
/// least one of each, whatever they take.
TestResults check_timed(const GravelerStage& stage, const Parameters& parameters, Simulation& timed,
                        double budget_s);

/// A run of 2 * `half` battles has the maximum of two runs of `half`, one after the other, and of
/// its histogram, over `seeds` seeds. Exact on a CPU, whose workers go on with their streams, where
/// each of `threads` workers' share of `half` is of whole rounds.
TestResults check_halves(const GravelerStage& stage, std::uint64_t half, std::uint32_t seeds,
                         std::uint64_t threads);

/// The first run of a fresh instance plays the battles that histogram() records under the same
/// seed. So its maximum is the highest bin in use. What the law of a maximum is too coarse for, a
/// lost lane, warp or tail in the reduction, shows here, over `seeds` seeds. One CPU thread unless
/// said: with more, which thread plays which share may be up to the scheduler.
TestResults check_first_run(const GravelerStage& stage, std::uint64_t battles, std::uint32_t seeds,
                            std::uint64_t threads = 1);

/// The stage's defaults with battles and seed set, and this many threads where it has threads; 0
/// leaves them at their default.
Parameters parameters_for(const GravelerStage& stage, std::uint64_t battles, std::uint64_t seed,
                          std::uint64_t threads = 0);
/// What traces are taken with: a thread per group, up to 64, where the stage has threads.
Parameters trace_parameters(const GravelerStage& stage, std::uint64_t seed,
                            std::uint32_t max_groups);

// Which battles of a trace are compared with which, and the tests on whole battles (not on single
// turns).

/// A distance in the trace's order of battles. From the end of one group into the next the two
/// battles are as independent as any. So no pair has to be left out.
struct Lag {
  std::size_t entries = 0;
  std::string name;
};

/// Battles of one group in the trace.
std::size_t group_length(const Trace& trace);

/// 1 to 16 battles on; 1, 2, 4, 8, 16, 32 groups on, also with a step of a battle or two for
/// streams that run behind one another; 1 and 2 blocks on. Only those for which most of the trace
/// has a partner.
std::vector<Lag> lags_of(const Trace& trace);

/// Pairs of lags for triples: consecutive battles, neighbouring groups, both mixed.
std::vector<std::pair<Lag, Lag>> triples_of(const Trace& trace);

/// Ones of battles at each lag: products of deviations, and of squared deviations, and triples.
TestResults scan_counts(const Trace& trace, const std::vector<Lag>& lags);

/// No run of four outcome words occurs twice, at any place in a battle: streams that overlap, equal
/// seeds, a state that is not written back. Among 10^6 battles chance makes one once in 10^12
/// traces.
correctness::TestResult check_repeats(const Trace& trace,
                                      const std::vector<std::vector<std::uint16_t>>& used);

}  // namespace ratchet::graveler
