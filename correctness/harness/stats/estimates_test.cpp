// perf/stats: golden values worked out by hand, and coverage by simulation with fixed seeds.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "perf/stats/centre.h"
#include "perf/stats/power.h"
#include "perf/stats/ratio.h"

namespace ratchet::stats {
namespace {

TEST(Centre, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_THROW(median({}), std::invalid_argument);
}

TEST(Centre, MedianIntervalIsTheExactBinomialOne) {
  // n = 6: even [min, max] misses with 2/2^6; n = 5 cannot reach 95 % (1 - 2/32 = 93.75 %).
  const auto six = median_interval({6, 1, 5, 2, 4, 3}, 0.95);
  ASSERT_TRUE(six);
  EXPECT_EQ(six->low, 1);
  EXPECT_EQ(six->high, 6);
  EXPECT_DOUBLE_EQ(six->coverage, 0.96875);
  EXPECT_FALSE(median_interval({1, 2, 3, 4, 5}, 0.95));
  EXPECT_TRUE(median_interval({1, 2, 3, 4, 5}, 0.9375));
  // n = 9: second and eighth value, 1 - 2 (1 + 9) / 512.
  const auto nine = median_interval({1, 2, 3, 4, 5, 6, 7, 8, 9}, 0.95);
  ASSERT_TRUE(nine);
  EXPECT_EQ(nine->low, 2);
  EXPECT_EQ(nine->high, 8);
  EXPECT_DOUBLE_EQ(nine->coverage, 1 - 20.0 / 512);
}

TEST(Centre, PooledSpreadOfLogarithms) {
  // Logs -1, +1 and 0, 0: squares 2 over 1 + 1 degrees of freedom.
  EXPECT_NEAR(pooled_log_spread({std::exp(-1), std::exp(1)}, {1, 1}), 1.0, 1e-12);
  EXPECT_EQ(pooled_log_spread({5}, {7}), 0);
}

TEST(Ratio, MannWhitneyDistributionBySmallTables) {
  // m = n = 3, 20 arrangements: 1 1 2 3 3 3 3 2 1 1. m = 2, n = 3: 1 1 2 2 2 1 1 of 10.
  EXPECT_DOUBLE_EQ(mann_whitney_cdf(3, 3, -1), 0);
  EXPECT_DOUBLE_EQ(mann_whitney_cdf(3, 3, 0), 0.05);
  EXPECT_DOUBLE_EQ(mann_whitney_cdf(3, 3, 2), 0.2);
  EXPECT_DOUBLE_EQ(mann_whitney_cdf(3, 3, 4), 0.5);
  EXPECT_NEAR(mann_whitney_cdf(3, 3, 9), 1, 1e-12);
  EXPECT_DOUBLE_EQ(mann_whitney_cdf(2, 3, 2), 0.4);
  EXPECT_DOUBLE_EQ(mann_whitney_cdf(3, 2, 2), 0.4);
  // The far tail keeps its precision: 1 / C(100, 50).
  EXPECT_NEAR(mann_whitney_cdf(50, 50, 0) * 1.0089134454556415e29, 1, 1e-9);
}

TEST(Ratio, RanksThatTheTablesGive) {
  EXPECT_EQ(shift_rank(3, 3, 0.1), 1u);  // 2 * 1/20 = 0.1
  EXPECT_EQ(shift_rank(3, 3, 0.099), 0u);
  EXPECT_EQ(shift_rank(3, 3, 0.2), 2u);
  EXPECT_EQ(shift_rank(5, 4, 0.05), 2u);  // 2 * 2/126 = 0.032, 2 * 4/126 = 0.063
  EXPECT_EQ(shift_rank(9, 9, 1e-4), 2u);  // 2 * 2/48620 = 8.2e-5, 2 * 4/48620 = 1.6e-4
  EXPECT_EQ(shift_rank(9, 9, 4e-5), 0u);  // 2 * 1/48620 = 4.1e-5
  EXPECT_EQ(shift_rank(0, 9, 0.05), 0u);
}

TEST(Ratio, NormalApproximationMeetsTheExactRank) {
  // Beyond 10^4 pairs the approximation takes over; at the border the two agree to a rank or so.
  const auto exact = static_cast<double>(shift_rank(100, 100, 0.01));
  const auto approximate = static_cast<double>(shift_rank(100, 101, 0.01));
  const double grown = exact * 101.0 / 100;  // ranks grow with m n
  EXPECT_NEAR(approximate, grown, 0.01 * grown);
}

TEST(Ratio, EstimateAndIntervalByHand) {
  // Ratios 2, 8, 1, 4: the middle two, 2 and 4, meet at sqrt 8.
  EXPECT_DOUBLE_EQ(ratio_estimate({1, 2}, {2, 8}), std::sqrt(8.0));
  // Ratios of {1, 2, 4} to {8, 16, 64}: 2 4 4 8 8 16 16 32 64; at 90 % k = 1, at 80 % k = 2.
  const auto wide = ratio_interval({1, 2, 4}, {8, 16, 64}, 0.9);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->low, 2);
  EXPECT_EQ(wide->high, 64);
  EXPECT_NEAR(wide->coverage, 0.9, 1e-12);
  const auto narrow = ratio_interval({1, 2, 4}, {8, 16, 64}, 0.8);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->low, 4);
  EXPECT_EQ(narrow->high, 32);
  EXPECT_FALSE(ratio_interval({1, 2, 4}, {8, 16, 64}, 0.95));
}

TEST(Ratio, RefusesWhatIsNoThroughput) {
  EXPECT_THROW(ratio_estimate({}, {1}), std::invalid_argument);
  EXPECT_THROW(ratio_estimate({1}, {0}), std::invalid_argument);
  EXPECT_THROW(ratio_estimate({1, -1}, {1}), std::invalid_argument);
  EXPECT_THROW(ratio_estimate({1}, {INFINITY}), std::invalid_argument);
}

using Draw = std::function<double(std::mt19937_64&)>;

std::vector<double> sample(std::size_t n, const Draw& draw, std::mt19937_64& generator) {
  std::vector<double> values(n);
  for (double& value : values) value = draw(generator);
  return values;
}

/// Share of 4000 simulated comparisons whose interval holds the true ratio, 1.1.
double simulated_coverage(const Draw& draw, double confidence, double& claimed) {
  std::mt19937_64 generator(7);
  int covered = 0;
  for (int run = 0; run < 4000; ++run) {
    const auto x = sample(9, draw, generator);
    auto y = sample(9, draw, generator);
    for (double& value : y) value *= 1.1;
    const auto interval = ratio_interval(x, y, confidence);
    claimed = interval->coverage;
    covered += interval->low <= 1.1 && 1.1 <= interval->high;
  }
  return covered / 4000.0;
}

TEST(Ratio, IntervalCoversAsClaimedWhateverTheShape) {
  const Draw lognormal = [](auto& g) { return std::exp(std::normal_distribution<>(0, 0.02)(g)); };
  const Draw heavy = [](auto& g) { return std::exp(0.01 * std::student_t_distribution<>(1.5)(g)); };
  const Draw skewed = [](auto& g) { return 1 + std::exponential_distribution<>(20)(g); };
  for (const Draw& draw : {lognormal, heavy, skewed}) {
    double claimed = 0;
    const double found = simulated_coverage(draw, 0.95, claimed);
    EXPECT_GE(claimed, 0.95);
    EXPECT_NEAR(found, claimed, 4 * std::sqrt(claimed * (1 - claimed) / 4000));
  }
}

TEST(Centre, MedianIntervalCoversAsClaimed) {
  std::mt19937_64 generator(11);
  std::exponential_distribution<> skewed;
  int covered = 0;
  double claimed = 0;
  for (int run = 0; run < 4000; ++run) {
    const auto interval = median_interval(sample(
                                              12, [&](auto& g) { return skewed(g); }, generator),
                                          0.95);
    claimed = interval->coverage;
    covered += interval->low <= std::log(2) && std::log(2) <= interval->high;
  }
  EXPECT_NEAR(covered / 4000.0, claimed, 4 * std::sqrt(claimed * (1 - claimed) / 4000));
}

TEST(Power, ErrorIsSharedOutEvenly) {
  EXPECT_DOUBLE_EQ(error_per_claim(0.01, 20), 0.0005);
  EXPECT_DOUBLE_EQ(error_per_claim(0.01, 0), 0.01);
}

TEST(Power, LeastLaunchesFromBinomialCoefficients) {
  EXPECT_EQ(least_launches(3, 0.1), 3u);     // 2 / C(6, 3)
  EXPECT_EQ(least_launches(9, 1e-4), 8u);    // 2 / C(17, 8) = 8.2e-5
  EXPECT_EQ(least_launches(9, 4.2e-5), 9u);  // 2 / C(18, 9) = 4.1e-5
  EXPECT_EQ(least_launches(1, 0.001), 0u);   // 2 / (n + 1): 1999 launches, more than anyone makes
  EXPECT_EQ(shift_rank(9, 8, 1e-4), 1u);     // the two agree
  EXPECT_EQ(shift_rank(9, 7, 1e-4), 0u);
}

TEST(Power, MinimumDetectableEffectIsDetectedNineTimesInTen) {
  constexpr double spread = 0.01;
  constexpr double alpha = 0.01 / 60;
  const double effect = minimum_detectable_effect(9, 9, spread, alpha, 0.9);
  EXPECT_GT(effect, 0.01);
  EXPECT_LT(effect, 0.06);
  std::mt19937_64 generator(3);
  const Draw draw = [](auto& g) { return std::exp(std::normal_distribution<>(0, spread)(g)); };
  int detected = 0;
  for (int run = 0; run < 2000; ++run) {
    const auto x = sample(9, draw, generator);
    auto y = sample(9, draw, generator);
    for (double& value : y) value *= 1 + effect;
    detected += ratio_interval(x, y, 1 - alpha)->low > 1;
  }
  EXPECT_NEAR(detected / 2000.0, 0.9, 0.03);
}

TEST(Power, NothingIsDetectableWithTooFewLaunches) {
  EXPECT_TRUE(std::isinf(minimum_detectable_effect(4, 4, 0.01, 0.001)));
  EXPECT_EQ(minimum_detectable_effect(9, 9, 0, 0.001), 0);
}

}  // namespace
}  // namespace ratchet::stats
