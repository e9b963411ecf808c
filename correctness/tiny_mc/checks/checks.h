// The checks of the tiny_mc family, as functions that return test results.
//
// They serve the quick check before every timing (check.cpp) and the test suite
// (tiny_mc_test.cpp). Means come from exact transport theory, standard deviations from the
// reference. Under a correct stage each test raises a false alarm with probability kFalseAlarm or
// less.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "correctness/support/test_result.h"
#include "kernels/tiny_mc/tiny_mc.h"

namespace ratchet::tiny_mc {

using correctness::TestResults;

/// Relative error that rounding may leave in a sum, beside the statistical one, by the deposits
/// that a photon adds to it on average: PhotonStage::rounding of one stage and its parameters.
using Rounding = std::function<double(double deposits)>;
Rounding rounding_of(const PhotonStage& stage, const Parameters& parameters);

/// A number summed over photons: its mean per photon, the standard deviation of one photon's, and
/// how many deposits a photon adds to it on average.
struct Expected {
  double mean = 0, sd = 0, deposits = 0;
};

/// Bin b holds shells first[b] to first[b + 1] - 1, and expects `expected[b]`. Neighbouring shells
/// are pooled until enough of the reference's photons carry the bin's sum. Then its sd is known,
/// and sums over photons are normal.
struct Binned {
  std::vector<std::uint32_t> first;  ///< one more than bins: the last is the number of shells
  std::vector<Expected> expected;
};

/// What a tally must look like.
struct HeatLaw {
  Medium medium;
  Binned heat, heat2;
  Expected sum;         ///< heat of all shells, exact
  Expected mean_shell;  ///< sum of shell * heat: sees what moves all photons a little
};

/// The law of `medium`: computed once and kept.
const HeatLaw& heat_law(const Medium& medium);

/// Photons that ended after round j of the schedule have made schedule.collisions_through(j)
/// collisions: probability (1 - s) s^j.
std::vector<double> ending_law(const Schedule& schedule);

/// The tally's heat and heat^2 against exact theory, shell by shell and in sum; finite everywhere;
/// the number of photons against `photons`.
TestResults check_heat(const Tally& tally, std::uint64_t photons, const HeatLaw& law,
                       const Rounding& rounding);

/// One run of `photons` photons of the stage in `medium`, by check_heat.
TestResults check_run(const PhotonStage& stage, const Medium& medium, std::uint64_t photons,
                      std::uint64_t seed);

/// What a timed instance computed at its own parameters. check_heat judges its last run. It also
/// judges the sum of as many further runs as `budget_s` seconds hold, with the power of all of
/// them. Of an as_printed stage the error must show.
TestResults check_timed(const PhotonStage& stage, const Parameters& parameters, Transport& timed,
                        double budget_s);

/// A trace alone: every step is positive and finite, every shell the one that the steps lead to in
/// double precision. (Within float rounding of a border either shell passes.)
TestResults check_paths(const Trace& trace, const Medium& medium, Walk walk);
/// Numbers of collisions: none but those that the schedule allows, in their proportions, and no
/// photon's first roulette tells of its neighbour's.
TestResults check_collisions(const Trace& trace, const Medium& medium);
/// Steps against the exponential law: mean, shape, neighbours.
TestResults check_steps(const Trace& trace);
/// Long steps are logarithms of the uniforms that CPU stages draw: odd multiples of 2^-24
/// (uniform.h). A float still distinguishes these in steps of 8 and more. So a few hundred of them
/// show a logarithm off by one part in 10^4, or a uniform that may be 0.
TestResults check_long_steps(const Trace& trace);
/// Directions: unit vectors, first two moments, shape, autocorrelation, independence of the step.
TestResults check_directions(const Trace& trace, Walk walk);
/// Each step, direction and game of roulette against the words that the trace says it came from: in
/// double precision, within the rounding of floats. Games are played where the schedule has them
/// and nowhere else. Directions of printed formulas are held to those formulas, NaN included.
TestResults check_draws(const Trace& trace, const Medium& medium);
/// No word of a photon made two things, but by chance.
correctness::TestResult check_words_used_once(const Trace& trace);
/// The games of roulette of `photons` photons in a medium where each collision is followed by one,
/// against their words: what survival is off by shows where a word lies between.
correctness::TestResult check_roulette(const PhotonStage& stage, std::uint64_t photons,
                                       std::uint64_t seed);
/// No four steps in a row occur twice: streams shared, overlapping, or not moved on.
TestResults check_repeats(const Trace& trace);
/// No four uniforms in a row occur twice, whether of steps or of a coordinate of directions. This
/// finds words that one photon draws for its steps and another for its directions.
correctness::TestResult check_shared_words(const Trace& trace, const PhotonStage& stage,
                                           const Parameters& parameters);
/// All of the above on one trace of `photons` photons.
TestResults check_trace(const PhotonStage& stage, std::uint64_t photons, std::uint64_t seed);

/// Exactly `photons` photons in units, in each of two runs, and in the trace; the first run's tally
/// is that of the trace's photons, shell by shell.
TestResults check_counts(const PhotonStage& stage, std::uint64_t photons);
/// The same with other parameters set.
TestResults check_counts(const PhotonStage& stage, const Parameters& parameters);

/// How the text's kernel shares photons out: what each sum is made of.
struct SumShape {
  std::uint64_t block_threads, photons_per_thread;
};
/// The heat of photons of the definition, summed in double and by the article's hierarchy. That has
/// a float for each thread and shell, adds a warp's by shuffles, eight arrays for a block, then in
/// double.
struct FloatSums {
  std::vector<double> exact, floats;  ///< by shell
};
/// Plays the arithmetic of `photons` photons, rounded up to whole blocks. `block_threads` is 16, or
/// a multiple of 32.
FloatSums emulated_float_sums(const Medium& medium, const SumShape& shape, std::uint64_t photons,
                              std::uint64_t seed);
/// The largest share of a bin's heat that the hierarchy loses or gains; bins as in heat_law().
double worst_loss(const std::vector<double>& floats, const std::vector<double>& exact,
                  const Binned& law);
/// What a thread's float loses of a sum of so many additions may be: 4 roots of their number, in
/// units of 2^-24, and what the block adds. The emulation loses a half to a tenth of it.
double float_sums_bound(const Parameters& parameters, double deposits);

/// What float sums cost, shell by shell, and nothing else: `doubles` sums the photons of `floats`
/// in double. They must be off by as much as the emulation, to a half.
TestResults check_float_sums(const PhotonStage& floats, const PhotonStage& doubles,
                             const Medium& medium, std::uint64_t photons, const SumShape& shape);

/// Equal seeds give equal bits, for stages that say so; other seeds and further runs differ.
TestResults check_seeds(const PhotonStage& stage, std::uint64_t photons);

/// All 64 bits of a seed matter. Photons of seeds that differ in one bit, or are close or 2^32
/// apart, have unrelated steps and directions, and none occurs twice. By traces of 71 seeds.
TestResults check_related_seeds(const PhotonStage& stage);

/// Parameters out of range are refused by an error that names them.
TestResults check_refusals(const PhotonStage& stage);

/// A stage marked as_printed shows the text's error: the share of directions that are NaN, the heat
/// that lands in the first and last shells, and check_heat rejecting it. By its words it makes no
/// other.
TestResults check_as_printed(const PhotonStage& stage, std::uint64_t photons);

/// Photons for a check of a GPU stage: 2e8, or a quarter of the benchmark's where those are fewer,
/// which takes well under a second.
std::uint64_t photons_for_a_check(const PhotonStage& stage);

/// The stage's defaults with photons and seed set.
Parameters parameters_for(const PhotonStage& stage, std::uint64_t photons, std::uint64_t seed);
/// The same in `medium`, whose coefficients must be whole numbers per metre.
Parameters parameters_for(const PhotonStage& stage, const Medium& medium, std::uint64_t photons,
                          std::uint64_t seed);
/// The tally of one run of a fresh instance.
Tally run_once(const PhotonStage& stage, const Parameters& parameters);
/// A capacity that all but one photon in 10^12 stay below.
std::uint32_t enough_capacity(const Medium& medium);

}  // namespace ratchet::tiny_mc
