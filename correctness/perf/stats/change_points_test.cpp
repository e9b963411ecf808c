// perf/stats/change_points: steps, slow drifts, and the rate of false alarms.
#include "perf/stats/change_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace ratchet::stats {
namespace {

using Values = std::vector<double>;

/// Noise around a level that `change` adds to, point by point, in per cent.
template <typename Change>
Values series(std::size_t n, double noise_percent, std::uint64_t seed, Change change) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  Values values(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] =
        1e9 * (1 + (change(static_cast<double>(i)) + noise_percent * normal(generator)) / 100);
  return values;
}

double nothing(double) { return 0; }

TEST(ChangePoints, CleanStepByHand) {
  const Values values = {1, 2, 1, 2, 1, 2, 1, 9, 8, 9, 8, 9, 8, 9};
  const auto points = change_points(values);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].index, 7u);
  EXPECT_EQ(points[0].before, 1);
  EXPECT_EQ(points[0].after, 9);
  EXPECT_LE(points[0].p_value, 0.01);
  // 7 against 7 separated: 2 of the 3432 arrangements are as extreme at this place.
  EXPECT_GE(points[0].p_value, 0.001);
}

/// Three points are the fewest of a regime, at either end.
TEST(ChangePoints, TheYoungestAndTheOldestStepsLieWhereTheyAre) {
  Values values;
  for (int i = 0; i < 15; ++i) values.push_back((i < 12 ? 1 : 9) + 0.01 * (i % 5));
  const auto young = change_points(values, 0.1);
  ASSERT_EQ(young.size(), 1u);
  EXPECT_EQ(young[0].index, 12u);
  std::reverse(values.begin(), values.end());
  const auto old = change_points(values, 0.1);
  ASSERT_EQ(old.size(), 1u);
  EXPECT_EQ(old[0].index, 3u);
}

TEST(ChangePoints, StepOfOnePercentIsFoundWhereItIs) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto points =
        change_points(series(40, 0.5, seed, [](double i) { return i < 25 ? 0 : -1.0; }));
    for (const auto& point : points) found += point.index >= 23 && point.index <= 27;
  }
  EXPECT_GE(found, 45);
}

TEST(ChangePoints, SlowDriftIsFoundThatNoSingleComparisonSees) {
  // 40 commits, 0.3 % each over the ten from 15 on, noise 0.5 %: 3 % in all.
  int astray = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto points = change_points(
        series(40, 0.5, seed, [](double i) { return -0.3 * std::clamp(i - 14, 0.0, 10.0); }));
    const auto within = [](const ChangePoint& p) { return p.index >= 13 && p.index <= 27; };
    ASSERT_TRUE(std::any_of(points.begin(), points.end(), within)) << seed;
    EXPECT_NEAR(points.back().after / points.front().before, 0.97, 0.012) << seed;
    astray += !std::all_of(points.begin(), points.end(), within);
  }
  EXPECT_LE(astray, 10);  // every part of a split series may err once in a hundred again
}

TEST(ChangePoints, DipAndItsRepairAreTwo) {
  int both = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto points = change_points(
        series(90, 0.5, seed, [](double i) { return i >= 40 && i < 50 ? -2.0 : 0.0; }));
    const auto near = [&](std::size_t index) {
      return std::any_of(points.begin(), points.end(), [&](const ChangePoint& p) {
        return p.index + 1 >= index && p.index <= index + 1;
      });
    };
    both += points.size() <= 3 && near(40) && near(50);
  }
  EXPECT_GE(both, 18);
}

TEST(ChangePoints, StrayValuesAndShortSeriesAreNoChange) {
  Values values = series(40, 0.5, 3, nothing);
  values[20] *= 0.1;
  EXPECT_TRUE(change_points(values).empty());
  // A stray value beside a step does not draw the change to it: a regime has three points.
  Values step = {1000, 2, 1, 2, 1, 2, 1, 2, 1, 2, 9, 8, 9, 8, 9, 8, 9, 8, 9, 8};
  const auto points = change_points(step, 0.05);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].index, 10u);
  EXPECT_TRUE(change_points({}).empty());
  EXPECT_TRUE(change_points({1}).empty());
  EXPECT_TRUE(change_points({1, 1, 1, 9, 9, 9}).empty());  // 2 of 20 arrangements: not significant
  EXPECT_TRUE(change_points(Values(50, 7.0)).empty());     // all equal
}

TEST(ChangePoints, RefusesWhatItCannotPromise) {
  EXPECT_THROW(change_points({1, NAN}), std::invalid_argument);
  EXPECT_THROW(change_points({1, 2}, 0.0009), std::invalid_argument);
  EXPECT_THROW(change_points({1, 2}, 1), std::invalid_argument);
}

TEST(ChangePoints, SameSeedSameAnswer) {
  const Values values = series(60, 0.5, 9, [](double i) { return i < 30 ? 0 : 0.6; });
  const auto a = change_points(values, 0.05, 4);
  const auto b = change_points(values, 0.05, 4);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].p_value, b[i].p_value);
}

/// Series of pure noise in which anything is found.
int false_alarms(int runs, std::size_t n, double rate, bool heavy) {
  int alarms = 0;
  for (int run = 0; run < runs; ++run) {
    Values values = series(n, 0.5, static_cast<std::uint64_t>(1000 + run), nothing);
    if (heavy) {
      std::mt19937_64 generator(static_cast<std::uint64_t>(run));
      std::student_t_distribution<double> t(1.5);
      for (double& value : values) value = t(generator);
    }
    alarms += !change_points(values, rate).empty();
  }
  return alarms;
}

TEST(ChangePoints, FalseAlarmsAreAsRareAsStated) {
  for (const bool heavy : {false, true}) {
    for (const double rate : {0.01, 0.1}) {
      constexpr int runs = 500;
      const int alarms = false_alarms(runs, 40, rate, heavy);
      std::printf("rate %.2f: %d false alarms in %d series of 40\n", rate, alarms, runs);
      const boost::math::binomial_distribution<> law(runs, rate);
      const double tail =
          alarms == 0 ? 1 : boost::math::cdf(boost::math::complement(law, alarms - 1));
      EXPECT_GT(tail, 1e-3) << alarms;
      EXPECT_GT(boost::math::cdf(law, alarms), 1e-3) << alarms;  // exact, not merely cautious
    }
  }
}

/// E-divisive's first split, exponent 1: the largest n m / (n + m) (2 E|X-Y| - E|X-X'| - E|Y-Y'|).
double energy(const Values& v) {
  const std::size_t n = v.size();
  double before = 0;  // sums of |difference| within and between, as the border moves on
  double between = 0;
  double after = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) after += std::abs(v[i] - v[j]);
  double best = 0;
  for (std::size_t m = 1; m < n; ++m) {
    double left = 0;
    double right = 0;
    for (std::size_t j = 0; j < n; ++j) (j < m ? left : right) += std::abs(v[m - 1] - v[j]);
    before += left;
    after -= right;
    between += right - left;
    if (m < 3 || n - m < 3) continue;
    const auto a = static_cast<double>(m);
    const auto b = static_cast<double>(n - m);
    const double size =
        2 * between / (a * b) - 2 * before / (a * (a - 1)) - 2 * after / (b * (b - 1));
    best = std::max(best, a * b / (a + b) * size);
  }
  return best;
}

/// Does E-divisive find anything, at 1 % by 299 permutations?
bool e_divisive(Values v, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  const double reached = energy(v);
  int as_large = 1;
  for (int i = 0; i < 299; ++i) {
    std::shuffle(v.begin(), v.end(), generator);
    as_large += energy(v) >= reached;
    if (as_large > 3) return false;
  }
  return true;
}

TEST(ChangePoints, FindAsMuchAsEDivisive) {
  const auto step = [](double i) { return i < 25 ? 0 : -0.6; };
  const auto drift = [](double i) { return -0.1 * std::clamp(i - 14, 0.0, 10.0); };
  const auto dip = [](double i) { return i >= 20 && i < 28 ? -0.9 : 0.0; };
  struct Count {
    int ours = 0;
    int theirs = 0;
  };
  const auto count = [](const char* what, const auto& change, bool heavy) {
    Count found;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      Values values = series(40, heavy ? 0 : 0.5, seed, change);
      std::mt19937_64 generator(seed);
      std::student_t_distribution<double> t(1.5);
      if (heavy)
        for (double& value : values) value *= 1 + 0.003 * t(generator);
      found.ours += !change_points(values).empty();
      found.theirs += e_divisive(values, seed);
    }
    std::printf("%s: found in %d of 200 series, by E-divisive in %d\n", what, found.ours,
                found.theirs);
    return found;
  };
  // The difference of two counts near 150 of 200 has a standard deviation below 10.
  const Count steps = count("step of 0.6 %, noise 0.5 %", step, false);
  EXPECT_GE(steps.ours, steps.theirs - 20);
  const Count drifts = count("drift of 0.1 % over 10", drift, false);
  EXPECT_GE(drifts.ours, drifts.theirs - 20);
  const Count dips = count("dip of 0.9 % for 8", dip, false);
  EXPECT_GE(dips.ours, dips.theirs + 40);
  const Count strays = count("step of 0.6 % in heavy tails", step, true);
  EXPECT_GE(strays.ours, strays.theirs - 20);
}

TEST(ChangePoints, ThousandPointsInUnderTwoSeconds) {
  const Values values = series(1000, 0.5, 5, [](double i) { return std::floor(i / 100); });
  const std::clock_t start = std::clock();  // CPU time: others may have the machine
  const auto points = change_points(values);
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("1000 points, %zu change points: %.2f s\n", points.size(), took);
  EXPECT_GE(points.size(), 9u);
  EXPECT_LT(took, 10);  // stated: 2 s; machines differ, and sanitizers
}

}  // namespace
}  // namespace ratchet::stats
