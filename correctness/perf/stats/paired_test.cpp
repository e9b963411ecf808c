// perf/stats/paired: tables and hand-computed values, and exactness by trying every sign flip.
#include "perf/stats/paired.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "correctness/perf/stats/noise.h"

namespace ratchet::stats {
namespace {

using Values = std::vector<double>;

std::vector<double> draw(std::size_t n, std::mt19937_64& generator, double scale) {
  std::normal_distribution<double> normal(0, scale);
  Values values(n);
  for (double& value : values) value = normal(generator);
  return values;
}

TEST(SignedRank, DistributionByHand) {
  // n = 3: sums 0 1 2 3 3 4 5 6 of the subsets of {1, 2, 3}.
  EXPECT_EQ(signed_rank_cdf(3, -1), 0);
  EXPECT_DOUBLE_EQ(signed_rank_cdf(3, 0), 1.0 / 8);
  EXPECT_DOUBLE_EQ(signed_rank_cdf(3, 2), 3.0 / 8);
  EXPECT_DOUBLE_EQ(signed_rank_cdf(3, 3), 5.0 / 8);
  EXPECT_DOUBLE_EQ(signed_rank_cdf(3, 6), 1);
  EXPECT_DOUBLE_EQ(signed_rank_cdf(3, 99), 1);
  // n = 5: the subsets of {1 ... 5} with sums 0 1 2 3 are 1, 1, 1 and 2 of 32.
  EXPECT_DOUBLE_EQ(signed_rank_cdf(5, 3), 5.0 / 32);
}

TEST(SignedRank, PublishedCriticalValues) {
  // The usual tables (Wilcoxon 1945 onwards), one-sided: the largest w with P(W <= w) <= error.
  struct Entry {
    std::size_t n;
    double error;
    long w;
  };
  for (const Entry e :
       {Entry{8, 0.025, 3}, Entry{10, 0.025, 8}, Entry{10, 0.005, 3}, Entry{12, 0.025, 13},
        Entry{15, 0.025, 25}, Entry{20, 0.025, 52}, Entry{20, 0.005, 37}, Entry{25, 0.005, 68}}) {
    EXPECT_LE(signed_rank_cdf(e.n, e.w), e.error) << e.n;
    EXPECT_GT(signed_rank_cdf(e.n, e.w + 1), e.error) << e.n;
    EXPECT_EQ(signed_rank_order(e.n, e.error), static_cast<std::size_t>(e.w) + 1) << e.n;
  }
}

TEST(SignedRank, FarTailsAndLargeSamples) {
  EXPECT_DOUBLE_EQ(signed_rank_cdf(200, 0), std::ldexp(1.0, -200));
  EXPECT_DOUBLE_EQ(signed_rank_cdf(200, 2), 3 * std::ldexp(1.0, -200));
  // Symmetry about the middle: n(n+1)/2 = 20100 is even, P(W <= w) + P(W <= 20100 - w - 1) = 1.
  EXPECT_NEAR(signed_rank_cdf(200, 9000) + signed_rank_cdf(200, 11099), 1, 1e-12);
  // Beyond 500 the approximation takes over; at the border the two agree.
  const auto exact = static_cast<double>(signed_rank_order(500, 0.01)) / (500.0 * 501);
  const auto approximate = static_cast<double>(signed_rank_order(501, 0.01)) / (501.0 * 502);
  EXPECT_NEAR(approximate, exact, 0.002 * exact);
  EXPECT_NEAR(signed_rank_cdf(501, 501 * 502 / 4), 0.5, 1e-3);
}

TEST(Paired, LeastPairs) {
  EXPECT_EQ(least_pairs(0.5), 1u);
  EXPECT_EQ(least_pairs(0.05), 5u);
  EXPECT_EQ(least_pairs(0.03125), 5u);
  EXPECT_EQ(least_pairs(0.01 / 60), 13u);  // DESIGN's "some 14 agreeing pairs", two-sided
  EXPECT_THROW(least_pairs(0), std::invalid_argument);
  EXPECT_THROW(least_pairs(1), std::invalid_argument);
}

TEST(Paired, EstimateAndBoundsByHand) {
  // Walsh averages of 1, 2, 4: 1, 1.5, 2, 2.5, 3, 4; their median is 2.25.
  EXPECT_DOUBLE_EQ(paired_estimate({4, 1, 2}), std::exp(2.25));
  EXPECT_DOUBLE_EQ(paired_estimate({0.5}), std::exp(0.5));
  // k = 1 at 1/8, k = 2 at 2/8.
  const auto wide = paired_bounds({4, 1, 2}, 0.2);
  ASSERT_TRUE(wide);
  EXPECT_DOUBLE_EQ(wide->low, std::exp(1));
  EXPECT_DOUBLE_EQ(wide->high, std::exp(4));
  EXPECT_DOUBLE_EQ(wide->error, 0.125);
  const auto narrow = paired_bounds({4, 1, 2}, 0.25);
  ASSERT_TRUE(narrow);
  EXPECT_DOUBLE_EQ(narrow->low, std::exp(1.5));
  EXPECT_DOUBLE_EQ(narrow->high, std::exp(3));
  EXPECT_FALSE(paired_bounds({4, 1, 2}, 0.124));
  EXPECT_FALSE(paired_bounds({4, 1, 2}, 0));
}

TEST(Paired, RefusesWhatIsNoDifference) {
  EXPECT_THROW(paired_estimate({}), std::invalid_argument);
  EXPECT_THROW(paired_estimate({1, NAN}), std::invalid_argument);
  EXPECT_THROW(paired_bounds({1, INFINITY}, 0.1), std::invalid_argument);
  EXPECT_THROW(adjusted({1, 2}, {1}), std::invalid_argument);
  EXPECT_THROW(covariate_slope({1, 2}, {1, NAN}), std::invalid_argument);
  EXPECT_THROW(covariate_slope({}, {}), std::invalid_argument);
}

/// d with the signs of `flips`, around a centre.
Values flipped(const Values& sizes, unsigned flips, double centre = 0) {
  Values d = sizes;
  for (std::size_t b = 0; b < d.size(); ++b) d[b] = centre + (flips >> b & 1 ? -d[b] : d[b]);
  return d;
}

TEST(Paired, BoundsAreWrongExactlyAsOftenAsClaimedOverAllSignFlips) {
  std::mt19937_64 generator(1);
  const Values sizes = draw(10, generator, 0.01);
  for (const double error : {0.001, 0.01, 0.05, 0.2}) {
    int low_wrong = 0;
    int high_wrong = 0;
    double claimed = 0;
    for (unsigned flips = 0; flips < 1024; ++flips) {
      const auto bounds = paired_bounds(flipped(sizes, flips), error);
      ASSERT_TRUE(bounds);
      low_wrong += bounds->low > 1;
      high_wrong += bounds->high < 1;
      claimed = bounds->error;
    }
    EXPECT_EQ(low_wrong, std::lround(claimed * 1024)) << error;
    EXPECT_EQ(high_wrong, std::lround(claimed * 1024)) << error;
    EXPECT_LE(claimed, error);
  }
}

/// d and r that a neighbour moves together, one block with a wild reference.
void neighbour(std::size_t n, std::mt19937_64& generator, Values& d, Values& r) {
  r = draw(n, generator, 0.03);
  const Values own = draw(n, generator, 0.005);
  d.resize(n);
  for (std::size_t b = 0; b < n; ++b) d[b] = 0.8 * r[b] + own[b];
}

TEST(Covariate, ErrorsStayExactOverAllJointSignFlips) {
  std::mt19937_64 generator(2);
  for (const double centre : {0.0, -0.01}) {
    Values sizes;
    Values r;
    neighbour(10, generator, sizes, r);
    r[3] = 0.9;
    int low_wrong = 0;
    int high_wrong = 0;
    for (unsigned flips = 0; flips < 1024; ++flips) {
      const Values d = flipped(sizes, flips, centre);
      const auto bounds = paired_bounds(adjusted(d, flipped(r, flips), centre), 0.02);
      low_wrong += std::log(bounds->low) > centre;
      high_wrong += std::log(bounds->high) < centre;
    }
    const auto claimed = std::lround(paired_bounds(sizes, 0.02)->error * 1024);
    EXPECT_EQ(low_wrong, claimed) << centre;
    EXPECT_EQ(high_wrong, claimed) << centre;
  }
}

TEST(Covariate, SlopeByHand) {
  const Values r = {2, -4, 1, -3};
  const auto times = [&](double slope, double shift) {
    Values d = r;
    for (double& value : d) value = slope * value + shift;
    return d;
  };
  EXPECT_DOUBLE_EQ(covariate_slope(times(0.5, 0), r), 0.5);    // all sizes 0 at one half
  EXPECT_DOUBLE_EQ(covariate_slope(times(0.5, 10), r), 0.5);   // a change of 10 is not the slope's
  EXPECT_DOUBLE_EQ(covariate_slope(times(0.5, -10), r), 0.5);  // all sizes 10
  EXPECT_DOUBLE_EQ(covariate_slope(times(0.5, 3), r, 3), 0.5);
  EXPECT_EQ(covariate_slope(times(2, 0), r), 1);         // never more than all of it
  EXPECT_EQ(covariate_slope(times(-0.5, 0), r), 0);      // opposed: no neighbour does that
  EXPECT_EQ(covariate_slope({1, 2, 3}, {0, 0, 0}), 0);   // a reference that stands still
  EXPECT_EQ(covariate_slope({0, 0, 0}, {1, -1, 2}), 0);  // nothing to explain
  const Values d = adjusted(times(0.5, 10), r);
  for (const double value : d) EXPECT_DOUBLE_EQ(value, 10);
}

TEST(Covariate, NeighbourCancels) {
  std::mt19937_64 generator(4);
  Values d;
  Values r;
  neighbour(40, generator, d, r);
  EXPECT_NEAR(covariate_slope(d, r), 0.8, 0.15);
  const Values rest = adjusted(d, r);
  const auto raw = paired_bounds(d, 0.001);
  const auto clean = paired_bounds(rest, 0.001);
  EXPECT_LT(clean->high - clean->low, 0.4 * (raw->high - raw->low));
}

TEST(Covariate, OneWildReferenceRuinsNeitherSlopeNorBlock) {
  std::mt19937_64 generator(4);
  Values d;
  Values r;
  neighbour(40, generator, d, r);
  r[7] = 3;  // the reference hit a page fault storm, the row did not
  EXPECT_NEAR(covariate_slope(d, r), 0.8, 0.15);
  EXPECT_EQ(adjusted(d, r)[7], d[7]);
  r[7] = -0.3;  // and here both were hit
  d[7] = -0.24;
  EXPECT_LT(std::abs(adjusted(d, r)[7]), 0.04);
}

TEST(Covariate, UnrelatedReferenceIsMostlyLeftAlone) {
  std::mt19937_64 generator(6);
  int used = 0;
  for (int run = 0; run < 1000; ++run) {
    const Values d = draw(14, generator, 0.01);
    used += covariate_slope(d, draw(14, generator, 0.01)) > 0;
  }
  EXPECT_LT(used, 100);
}

TEST(Paired, DetectableEffectIsDetectedNineTimesInTen) {
  constexpr double spread = 0.01;
  constexpr double error = 0.01 / 120;
  const double effect = paired_detectable(14, spread, error, 0.9);
  EXPECT_GT(effect, 0.005);
  EXPECT_LT(effect, 0.03);
  std::mt19937_64 generator(3);
  int detected = 0;
  for (int run = 0; run < 4000; ++run) {
    Values d = draw(14, generator, spread);
    for (double& value : d) value += std::log1p(effect);
    detected += paired_bounds(d, error)->low > 1;
  }
  EXPECT_NEAR(detected / 4000.0, 0.9, 0.02);
  // Beyond 200 pairs by a formula, next to the simulation.
  EXPECT_NEAR(paired_detectable(201, spread, error) / paired_detectable(200, spread, error), 1,
              0.05);
  EXPECT_TRUE(std::isinf(paired_detectable(13, spread, error)));
  EXPECT_EQ(paired_detectable(14, 0, error), 0);
}

}  // namespace
}  // namespace ratchet::stats
