// What the statistical checks see at the counts of graveler_test.cpp: as correctness/README.md
// states it, and true.
#include <gtest/gtest.h>

#include <cmath>

#include "correctness/graveler/checks/checks.h"
#include "correctness/support/data_file.h"
#include "correctness/support/power_table.h"
#include "correctness/support/statistics.h"
#include "perf/support/files.h"

namespace ratchet::graveler {
namespace {

using correctness::rejected_by;

/// As many battles as make `battles`, each number of ones as often as the law expects.
Histogram ideal(double battles, const BinomialLaw& law) {
  Histogram histogram{};
  for (unsigned k = 0; k <= kTurns; ++k)
    histogram[k] = static_cast<std::uint64_t>(std::llround(battles * law.pmf()[k]));
  return histogram;
}

std::uint64_t total(const Histogram& histogram) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : histogram) sum += count;
  return sum;
}

TestResults of_ones(double battles, double p_one) {
  const Histogram histogram = ideal(battles, BinomialLaw(kTurns, p_one));
  return check_histogram(histogram, total(histogram), BinomialLaw(kTurns));
}

TestResults of_maxima(std::uint64_t battles, double runs) {
  const std::vector<double> pmf = BinomialLaw(kTurns).maximum_pmf(battles);
  Histogram maxima{};
  for (unsigned k = 0; k <= kTurns; ++k)
    maxima[k] = static_cast<std::uint64_t>(std::llround(runs * pmf[k]));
  return check_maxima(maxima, battles, BinomialLaw(kTurns));
}

TEST(GravelerPower, IsAsTheReadmeStates) {
  TestResults cpu = of_ones(10'000'019, 0.25), gpu = of_ones(1'000'000'007, 0.25);
  correctness::append(cpu, of_maxima(50'021, 100));
  correctness::append(gpu, of_maxima(10'000'019, 1000));
  const std::string table = correctness::power_table(cpu, gpu);
  EXPECT_NE(read_text(correctness::data_file("README.md")).find("\n" + table), std::string::npos)
      << table;
}

/// P(one) off by what is stated is caught, and by half of it is not: neither more nor less is said.
TEST(GravelerPower, OfABiasedRollIsWhatItSays) {
  for (const double battles : {1e7, 1e9}) {
    const double sd = std::sqrt(0.25 * 0.75 / (kTurns * battles));
    const double stated = correctness::detectable_z() * sd;
    EXPECT_TRUE(rejected_by(of_ones(battles, 0.25 + stated), "sum of ones")) << battles;
    EXPECT_TRUE(rejected_by(of_ones(battles, 0.25 - stated), "sum of ones")) << battles;
    EXPECT_FALSE(rejected_by(of_ones(battles, 0.25 + stated / 2), "sum of ones")) << battles;
  }
  // One part in a thousand of a roll's probability, at a timed run's battles.
  EXPECT_TRUE(rejected_by(of_ones(1e9, 0.25 * 1.001), "histogram"));
  EXPECT_TRUE(rejected_by(of_ones(1e9, 0.25 * 1.001), "sum of ones"));
}

}  // namespace
}  // namespace ratchet::graveler
