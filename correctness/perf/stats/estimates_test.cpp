// perf/stats: golden values worked out by hand, and coverage by simulation with fixed seeds.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "perf/stats/quantile.h"
#include "perf/stats/ratio.h"
#include "perf/stats/sequential.h"

namespace ratchet::stats {
namespace {

TEST(Quantile, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_THROW(median({}), std::invalid_argument);
}

TEST(Quantile, MedianIntervalIsTheExactBinomialOne) {
  // n = 6: even [min, max] misses with 2/2^6; n = 5 cannot reach 95 % (1 - 2/32 = 93.75 %).
  const auto six = quantile_interval({6, 1, 5, 2, 4, 3}, 0.5, 0.95);
  ASSERT_TRUE(six);
  EXPECT_EQ(six->low, 1);
  EXPECT_EQ(six->high, 6);
  EXPECT_DOUBLE_EQ(six->coverage, 0.96875);
  EXPECT_FALSE(quantile_interval({1, 2, 3, 4, 5}, 0.5, 0.95));
  EXPECT_TRUE(quantile_interval({1, 2, 3, 4, 5}, 0.5, 0.9375));
  // n = 9: second and eighth value, 1 - 2 (1 + 9) / 512.
  const auto nine = quantile_interval({1, 2, 3, 4, 5, 6, 7, 8, 9}, 0.5, 0.95);
  ASSERT_TRUE(nine);
  EXPECT_EQ(nine->low, 2);
  EXPECT_EQ(nine->high, 8);
  EXPECT_DOUBLE_EQ(nine->coverage, 1 - 20.0 / 512);
}

TEST(Quantile, RanksAreExactBinomialTails) {
  // Tables of the sign test: n = 6 is the first with a 95 % interval, from the extremes.
  const auto low = [](std::size_t n) { return quantile_ranks(n, 0.5, 0.95)->low; };
  EXPECT_FALSE(quantile_ranks(0, 0.5, 0.95));
  EXPECT_FALSE(quantile_ranks(5, 0.5, 0.95));
  EXPECT_EQ(low(6), 1u);
  EXPECT_EQ(low(10), 2u);
  EXPECT_EQ(quantile_ranks(10, 0.5, 0.95)->high, 9u);
  EXPECT_EQ(low(30), 10u);
  EXPECT_EQ(low(100), 40u);
  EXPECT_EQ(low(5000), 2431u);  // 2^-5000 must not vanish
  // The lower quartile of 13 values: 0.75^12 = 3.2 % > 2.5 % >= 0.75^13 = 2.4 % below all, and
  // P(Binomial(13, 1/4) >= 6) = 8.0 % > 2.5 % >= P(>= 7) = 2.43 % above the 7th.
  EXPECT_FALSE(quantile_ranks(12, 0.25, 0.95));
  EXPECT_EQ(quantile_ranks(13, 0.25, 0.95)->low, 1u);
  EXPECT_EQ(quantile_ranks(13, 0.25, 0.95)->high, 7u);
  EXPECT_NEAR(quantile_ranks(13, 0.25, 0.95)->coverage, 1 - std::pow(0.75, 13) - 0.0243, 1e-4);
  // The upper quartile is the lower one upside down.
  EXPECT_EQ(quantile_ranks(40, 0.75, 0.95)->high, 41 - quantile_ranks(40, 0.25, 0.95)->low);
}

TEST(Quantile, LiesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_THROW(quantile({}, 0.5), std::invalid_argument);
  EXPECT_DOUBLE_EQ(relative_spread({1, 2, 3, 4, 5}), 2.0 / 3);
  EXPECT_DOUBLE_EQ(relative_spread({7}), 0);
  EXPECT_DOUBLE_EQ(relative_spread({-1, 0, 0, 0, 3}), 0);  // of nothing there is no share
}

TEST(Quantile, RobustDeviationIsThatOfNormalValues) {
  EXPECT_DOUBLE_EQ(robust_deviation({1, 2, 3, 4, 1000}), 1.4826);
  std::mt19937_64 generator(2);
  std::normal_distribution<> normal(5, 3);
  std::vector<double> values(100'000);
  for (double& value : values) value = normal(generator);
  EXPECT_NEAR(robust_deviation(values), 3, 0.05);
}

TEST(Quantile, PooledSpreadOfLogarithms) {
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

TEST(Ratio, EstimateAndBoundsByHand) {
  // Ratios 2, 8, 1, 4: the middle two, 2 and 4, meet at sqrt 8.
  EXPECT_DOUBLE_EQ(ratio_estimate({1, 2}, {2, 8}), std::sqrt(8.0));
  // Ratios of {1, 2, 4} to {8, 16, 64}: 2 4 4 8 8 16 16 32 64.
  // One side at 1/20 k = 1, at 2/20 k = 2.
  const auto wide = ratio_bounds({1, 2, 4}, {8, 16, 64}, 0.05);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->low, 2);
  EXPECT_EQ(wide->high, 64);
  EXPECT_DOUBLE_EQ(wide->error, 0.05);
  const auto narrow = ratio_bounds({1, 2, 4}, {8, 16, 64}, 0.1);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->low, 4);
  EXPECT_EQ(narrow->high, 32);
  EXPECT_DOUBLE_EQ(narrow->error, 0.1);
  EXPECT_FALSE(ratio_bounds({1, 2, 4}, {8, 16, 64}, 0.049));
}

TEST(Ratio, RefusesWhatIsNoThroughput) {
  EXPECT_THROW(ratio_estimate({}, {1}), std::invalid_argument);
  EXPECT_THROW(ratio_estimate({1}, {0}), std::invalid_argument);
  EXPECT_THROW(ratio_estimate({1, -1}, {1}), std::invalid_argument);
  EXPECT_THROW(ratio_estimate({1}, {INFINITY}), std::invalid_argument);
  EXPECT_THROW(ratio_bounds({}, {1}, 0.1), std::invalid_argument);
}

using Draw = std::function<double(std::mt19937_64&)>;

std::vector<double> sample(std::size_t n, const Draw& draw, std::mt19937_64& generator) {
  std::vector<double> values(n);
  for (double& value : values) value = draw(generator);
  return values;
}

/// Share of 4000 simulated comparisons whose bounds hold the true ratio, 1.1.
double simulated_coverage(const Draw& draw, double error, double& claimed) {
  std::mt19937_64 generator(7);
  int covered = 0;
  for (int run = 0; run < 4000; ++run) {
    const auto x = sample(9, draw, generator);
    auto y = sample(9, draw, generator);
    for (double& value : y) value *= 1.1;
    const auto bounds = ratio_bounds(x, y, error);
    claimed = 1 - 2 * bounds->error;
    covered += bounds->low <= 1.1 && 1.1 <= bounds->high;
  }
  return covered / 4000.0;
}

TEST(Ratio, BoundsCoverAsClaimedWhateverTheShape) {
  const Draw lognormal = [](auto& g) { return std::exp(std::normal_distribution<>(0, 0.02)(g)); };
  const Draw heavy = [](auto& g) { return std::exp(0.01 * std::student_t_distribution<>(1.5)(g)); };
  const Draw skewed = [](auto& g) { return 1 + std::exponential_distribution<>(20)(g); };
  for (const Draw& draw : {lognormal, heavy, skewed}) {
    double claimed = 0;
    const double found = simulated_coverage(draw, 0.025, claimed);
    EXPECT_GE(claimed, 0.95);
    EXPECT_NEAR(found, claimed, 4 * std::sqrt(claimed * (1 - claimed) / 4000));
  }
}

TEST(Quantile, IntervalsCoverAsClaimed) {
  std::mt19937_64 generator(11);
  std::exponential_distribution<> skewed;
  for (const auto& [p, n] : {std::pair{0.5, 12}, {0.25, 13}, {0.25, 40}}) {
    const double truth = -std::log(1 - p);
    int covered = 0;
    double claimed = 0;
    for (int run = 0; run < 4000; ++run) {
      const auto interval = quantile_interval(sample(
                                                  n, [&](auto& g) { return skewed(g); }, generator),
                                              p, 0.95);
      claimed = interval->coverage;
      covered += interval->low <= truth && truth <= interval->high;
    }
    EXPECT_GE(claimed, 0.95);
    EXPECT_NEAR(covered / 4000.0, claimed, 4 * std::sqrt(claimed * (1 - claimed) / 4000)) << p;
  }
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
    detected += ratio_bounds(x, y, alpha / 2)->low > 1;
  }
  EXPECT_NEAR(detected / 2000.0, 0.9, 0.03);
}

/// On both sides of 10 000 pairs: as simulated, and by the normal law.
TEST(Power, MinimumDetectableEffectOfManyLaunchesGoesOn) {
  const double simulated = minimum_detectable_effect(100, 100, 0.01, 1e-4, 0.9);
  EXPECT_NEAR(minimum_detectable_effect(100, 101, 0.01, 1e-4, 0.9) / simulated, 1, 0.05);
}

/// A list of the ratios of 60 000 launches with 60 000 would take 29 GB.
TEST(Ratio, ManyLaunchesTakeNoListOfTheirPairs) {
  std::vector<double> x(60'000), y(60'000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 1 + 1e-6 * static_cast<double>(i * 7919 % x.size());
    y[i] = 2 * x[i];
  }
  EXPECT_NEAR(ratio_estimate(x, y), 2, 1e-9);
  EXPECT_LT(ratio_bounds(x, y, 0.001)->low, 2);
}

TEST(Ratio, AmongManyPairsTheSameOneIsFound) {
  std::mt19937_64 generator(11);
  const Draw draw = [](auto& g) { return std::exp(std::normal_distribution<>(0, 0.1)(g)); };
  const auto x = sample(101, draw, generator), y = sample(113, draw, generator);
  std::vector<double> ratios;
  for (const double now : y)
    for (const double before : x) ratios.push_back(now / before);
  std::sort(ratios.begin(), ratios.end());
  EXPECT_EQ(ratio_estimate(x, y), ratios[ratios.size() / 2]);
  const std::size_t k = shift_rank(x.size(), y.size(), 0.02);
  EXPECT_EQ(ratio_bounds(x, y, 0.01)->low, ratios[k - 1]);
  EXPECT_EQ(ratio_bounds(x, y, 0.01)->high, ratios[ratios.size() - k]);
}

TEST(Power, NothingIsDetectableWithTooFewLaunches) {
  EXPECT_TRUE(std::isinf(minimum_detectable_effect(4, 4, 0.01, 0.001)));
  EXPECT_EQ(minimum_detectable_effect(9, 9, 0, 0.001), 0);
}

}  // namespace
}  // namespace ratchet::stats
