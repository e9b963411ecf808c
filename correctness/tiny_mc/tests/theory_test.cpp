// What the tests of the stages rest on: the definition, exact theory, the oracle, uniform numbers,
// and what is made of a trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "correctness/support/binomial_law.h"
#include "correctness/support/data_file.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/statistics.h"
#include "correctness/support/test_result.h"
#include "correctness/tiny_mc/checks/checks.h"
#include "correctness/tiny_mc/checks/transport.h"
#include "kernels/tiny_mc/walks/uniform.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "reference/tiny_mc.h"

namespace ratchet::tiny_mc {
namespace {

TEST(TinyMcUniform, IsNeverZeroOrOneForAnyWord) {
  float smallest = 1, largest = 0, nearest = 1;
  double sum = 0, sum_cosine = 0;
  for (std::uint64_t high = 0; high < std::uint64_t{1} << 23; ++high)
    for (const std::uint32_t low : {0u, 0x1ffu}) {
      const auto word = static_cast<std::uint32_t>(high << 9 | low);
      smallest = std::min(smallest, open_unit(word));
      largest = std::max(largest, open_unit(word));
      nearest = std::min(nearest, std::fabs(open_cosine(word)));
      sum += double{open_unit(word)} - 0.5;
      sum_cosine += open_cosine(word);
    }
  EXPECT_EQ(smallest, 0x1p-24f);
  EXPECT_EQ(largest, 1 - 0x1p-24f);
  EXPECT_EQ(nearest, 0x1p-23f);
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(sum_cosine, 0);
}

TEST(TinyMcSchedule, IsThatOfTheText) {
  const Schedule schedule = schedule_of(Medium{});
  EXPECT_EQ(schedule.collisions_through(0), 73u);
  EXPECT_EQ(schedule.collisions_through(1), 97u);
  EXPECT_EQ(schedule.collisions_through(2), 121u);
  EXPECT_EQ(schedule.collisions_through(3), 145u);
  EXPECT_NEAR(schedule.deposit(0, 0), 1.0 / 11, 1e-15);
  EXPECT_NEAR(schedule.deposit(1, 0), 10 * std::pow(10.0 / 11, 73) / 11, 1e-15);
}

/// A weight at the very threshold is not below it: absorption and scattering of one strength halve
/// it exactly, and after two collisions it is a quarter.
TEST(TinyMcSchedule, AWeightAtTheThresholdGoesOn) {
  Medium medium;
  medium.absorption_per_cm = medium.scattering_per_cm = 10;
  medium.roulette_weight = 0.25;
  EXPECT_EQ(schedule_of(medium).collisions_through(0), 3u);
  medium.roulette_weight = std::nextafter(0.25, 1);
  EXPECT_EQ(schedule_of(medium).collisions_through(0), 2u);
}

TEST(TinyMcTheory, AgreesWithTheOracle) {
  const auto rows = read_heat_oracle(correctness::data_file("tiny_mc/oracles/heat_reference.tsv"));
  const ExactHeat exact = exact_heat(Medium{});
  ASSERT_EQ(rows.size(), 101u);
  for (std::size_t shell = 0; shell < rows.size(); ++shell) {
    EXPECT_NEAR(exact.heat[shell] / rows[shell].exact_heat, 1, 1e-11) << shell;
    // The oracle's heat^2 are of 3.2e8 photons, its last digits noise.
    EXPECT_NEAR(exact.heat2[shell] / rows[shell].mc_heat2, 1, 2e-3) << shell;
  }
}

TEST(TinyMcTheory, SpreadsAgreeWithTheOracle) {
  const auto rows = read_heat_oracle(correctness::data_file("tiny_mc/oracles/heat_reference.tsv"));
  const Medium medium;
  const HeatLaw& law = heat_law(medium);
  ASSERT_EQ(law.heat.expected.size(), 101u);
  for (std::size_t shell = 0; shell < rows.size(); ++shell)
    EXPECT_NEAR(law.heat.expected[shell].sd / rows[shell].sd_photon, 1, 0.1) << shell;
  EXPECT_NEAR(law.sum.sd, 0.003016, 5e-6);  // 0.003016 was simulated
}

/// Theory and definition share no line: neither could be wrong alone.
TEST(TinyMcReference, AgreesWithTheory) {
  for (const Medium& medium :
       {Medium{}, Medium{.absorption_per_cm = 11, .scattering_per_cm = 11},
        Medium{.absorption_per_cm = 22, .scattering_per_cm = 0, .shells = 40}}) {
    const auto heat = reference::tiny_mc::simulate({.absorption_per_cm = medium.absorption_per_cm,
                                                    .scattering_per_cm = medium.scattering_per_cm,
                                                    .shells = medium.shells},
                                                   100'000, reference::tiny_mc::uniforms(7));
    Tally tally;
    tally.photons = heat.photons;
    tally.heat = heat.heat;
    tally.heat2 = heat.heat2;
    const TestResults tests =
        check_heat(tally, 100'000, heat_law(medium), [](double) { return 1e-12; });
    EXPECT_FALSE(any_rejected(tests)) << summary(tests);
  }
}

/// The spread of a photon's heat is the oracle's; what the text prints takes the deposits of one
/// photon for independent ones, and is too small everywhere.
TEST(TinyMcMoments, AreOfPhotonsNotOfDeposits) {
  const auto* stage = dynamic_cast<const PhotonStage*>(find_stage("tiny_mc/cpu/04_direct"));
  ASSERT_NE(stage, nullptr);
  const Trace trace = stage->trace(parameters_for(*stage, 20'011, 82), enough_capacity(Medium{}));
  const PhotonMoments moments = photon_moments(trace, Medium{});
  EXPECT_EQ(moments.photons, 20'011u);
  const auto rows = read_heat_oracle(correctness::data_file("tiny_mc/oracles/heat_reference.tsv"));
  double least = 1, most = 0;
  for (std::size_t shell = 0; shell < rows.size(); ++shell) {
    const double mean = rows[shell].exact_heat, error = rows[shell].sd_photon / std::sqrt(20'011);
    EXPECT_LT(std::fabs(moments.mean[shell] - mean), 6 * error) << shell;
    EXPECT_NEAR(moments.sd[shell] / rows[shell].sd_photon, 1, 0.2) << shell;
    const double printed = std::sqrt(rows[shell].mc_heat2 - mean * mean) / rows[shell].sd_photon;
    least = std::min(least, printed);
    most = std::max(most, printed);
  }
  EXPECT_NEAR(least, 0.68, 0.01);
  EXPECT_NEAR(most, 0.91, 0.01);
  EXPECT_THROW(photon_moments(stage->trace(parameters_for(*stage, 11, 82), 72), Medium{}), Error);
}

TEST(TinyMcTrace, SaysThatItDoesNotFit) {
  // More than an address can say. Where the system promises all memory that is asked for, what
  // an address can say would be filled until the process is killed.
  EXPECT_HAS(
      error_of([] { sized_trace(10'000, std::numeric_limits<std::uint32_t>::max(), Draws{}); }),
      "does not fit into memory");
}

// What the statistical checks see at the counts of tiny_mc_test.cpp: as correctness/README.md
// states it, and true.

using correctness::rejected_by;

double no_rounding(double) { return 0; }

/// What so many photons leave on average, each shell's heat `longer` times as far out as it is.
Tally ideal(const HeatLaw& law, double photons, double longer = 1) {
  Tally tally;
  tally.photons = static_cast<std::uint64_t>(photons);
  tally.heat.resize(law.medium.shells);
  tally.heat2.resize(law.medium.shells);
  for (std::size_t bin = 0; bin < law.heat.expected.size(); ++bin)
    tally.heat[law.heat.first[bin]] = photons * law.heat.expected[bin].mean;
  for (std::size_t bin = 0; bin < law.heat2.expected.size(); ++bin)
    tally.heat2[law.heat2.first[bin]] = photons * law.heat2.expected[bin].mean;
  // Pooled shells put their heat at the first of them: the difference goes to the first shell.
  double mean_shell = 0;
  for (std::size_t shell = 0; shell < tally.heat.size(); ++shell)
    mean_shell += static_cast<double>(shell) * tally.heat[shell];
  const double lacking = longer * photons * law.mean_shell.mean - mean_shell;
  tally.heat[0] -= lacking, tally.heat[1] += lacking;
  return tally;
}

TestResults seen(double photons, double longer = 1) {
  const HeatLaw& law = heat_law(Medium{});
  return check_heat(ideal(law, photons, longer), static_cast<std::uint64_t>(photons), law,
                    no_rounding);
}

TEST(TinyMcPower, IsAsTheReadmeStates) {
  const std::string table = correctness::power_table(seen(2'000'003), seen(200'000'003));
  EXPECT_NE(read_text(correctness::data_file("README.md")).find("\n" + table), std::string::npos)
      << table;
}

/// Steps longer by one part in a thousand move the mean shell by as much: a GPU's heat alone shows
/// it, whatever a trace says of the walk that is timed.
TEST(TinyMcPower, OfAStepIsWhatItSays) {
  const HeatLaw& law = heat_law(Medium{});
  for (const double photons : {2e6, 2e8}) {
    const double error = law.mean_shell.sd / std::sqrt(photons) / law.mean_shell.mean;
    const double stated = correctness::detectable_z() * error;
    EXPECT_TRUE(rejected_by(seen(photons, 1 + stated), "mean shell")) << photons;
    EXPECT_FALSE(rejected_by(seen(photons, 1 + stated / 2), "mean shell")) << photons;
  }
  EXPECT_TRUE(rejected_by(seen(2e8, 1.001), "mean shell"));
}

}  // namespace

}  // namespace ratchet::tiny_mc
