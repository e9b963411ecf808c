// perf/stats/sequential: the plan by hand, and the errors of whole runs by simulation.
#include "perf/stats/sequential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "correctness/perf/stats/noise.h"
#include "perf/stats/paired.h"
#include "perf/stats/ratio.h"

namespace ratchet::stats {
namespace {

using Values = std::vector<double>;
using stats_noise::block;
using stats_noise::Kind;
using stats_noise::Machine;

std::vector<std::size_t> sizes(const std::vector<Analysis>& analyses) {
  std::vector<std::size_t> result;
  for (const Analysis& analysis : analyses) result.push_back(analysis.launches);
  return result;
}

TEST(Plan, LaunchesByHand) {
  using Sizes = std::vector<std::size_t>;
  // 2^-5 <= 2/3 of 5 %. Alarms: 0.01/5 -> 9, 0.01/35 -> 12, 0.01/200 -> 15 pairs.
  EXPECT_EQ(sizes(plan_pairs(1)), (Sizes{5, 9, 18, 36, 72, 144}));
  EXPECT_EQ(sizes(plan_pairs(7)), (Sizes{5, 12, 24, 48, 96, 192}));
  EXPECT_EQ(sizes(plan_pairs(40)), (Sizes{5, 15, 30, 60, 120, 240}));
  // A strict "same" needs as many pairs as an alarm: no separate screening.
  EXPECT_EQ(sizes(plan_pairs(1, 0.01, 0.002)), (Sizes{9, 18, 36, 72, 144}));
  EXPECT_EQ(sizes(plan_stored(9, 40)), (Sizes{9, 14, 19}));
  EXPECT_EQ(sizes(plan_stored(1, 1)), (Sizes{1, 2, 3}));
}

TEST(Plan, ErrorsAddUpToTheRowsShareExactly) {
  for (const std::size_t rows : {1, 7, 40, 1000}) {
    for (const auto& analyses : {plan_pairs(rows), plan_stored(9, rows)}) {
      ASSERT_GE(analyses.size(), 3u);
      double alarms = 0;
      double same = 0;
      for (const Analysis& analysis : analyses) {
        alarms += analysis.simultaneous_error;
        same += analysis.same_error;
        EXPECT_GT(analysis.same_error, 0);
      }
      EXPECT_NEAR(alarms, 0.01 / static_cast<double>(rows), 1e-15);
      EXPECT_NEAR(same, 0.05, 1e-15);
    }
    EXPECT_EQ(plan_pairs(rows).front().simultaneous_error, 0);
  }
  // The first analysis that can alarm spends what 15 pairs can: 2^-15 of the 5e-5 it may.
  EXPECT_DOUBLE_EQ(plan_pairs(40)[1].simultaneous_error, std::ldexp(1.0, -15));
  EXPECT_DOUBLE_EQ(plan_pairs(40)[0].same_error, std::ldexp(1.0, -5));
  EXPECT_DOUBLE_EQ(plan_stored(9, 40)[1].simultaneous_error, 0.01 / 120);
}

TEST(Plan, RefusesWhatIsNoError) {
  EXPECT_THROW(plan_pairs(0), std::invalid_argument);
  EXPECT_THROW(plan_pairs(1, 0), std::invalid_argument);
  EXPECT_THROW(plan_pairs(1, 0.01, 1), std::invalid_argument);
  EXPECT_THROW(plan_stored(9, 0), std::invalid_argument);
  EXPECT_THROW(plan_stored(9, 1, NAN), std::invalid_argument);
}

/// Whether the upper bound of these pairs lies below 1: fewer averages of two than its order are
/// above 0. That many there are as the ranks of the positive pairs add up to, which is known
/// without making the averages.
bool is_slower(const Values& d, double error) {
  Values by_size = d;
  std::sort(by_size.begin(), by_size.end(),
            [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  std::size_t positive = 0;
  for (std::size_t i = 0; i < by_size.size(); ++i) positive += by_size[i] > 0 ? i + 1 : 0;
  return positive < signed_rank_order(d.size(), error);
}

TEST(Sequential, RanksOfPositivePairsTellWhereTheUpperBoundLies) {
  std::mt19937_64 generator(10);
  std::normal_distribution<double> normal;
  int slower = 0;
  constexpr int runs = 2000;
  for (int run = 0; run < runs; ++run) {
    Values d(5 + static_cast<std::size_t>(run) % 236);
    const double shift = normal(generator) * 0.4;
    for (double& value : d) value = 0.01 * (normal(generator) + shift);
    const auto bounds = paired_bounds(d, 0.03);
    ASSERT_EQ(is_slower(d, 0.03), bounds && bounds->high < 1) << d.size() << " pairs, run " << run;
    slower += is_slower(d, 0.03);
  }
  EXPECT_GT(slower, runs / 5);
  EXPECT_LT(slower, runs * 4 / 5);
}

/// Is any row of one run over unchanged code called slower? Rows are interleaved on one machine;
/// the tolerance is 0, the worst case, in which nothing is ever "same" and every analysis is taken.
bool false_alarm(const std::vector<Analysis>& analyses, std::size_t rows, Kind kind,
                 std::mt19937_64& generator) {
  Machine machine(kind, generator);
  std::vector<Values> d(rows);
  for (std::size_t b = 0; b < analyses.back().launches; ++b)
    for (Values& row : d) row.push_back(block(machine, generator));
  for (const Values& row : d) {
    for (const Analysis& analysis : analyses) {
      if (analysis.simultaneous_error == 0) continue;
      const Values seen(row.begin(), row.begin() + static_cast<long>(analysis.launches));
      if (is_slower(seen, analysis.simultaneous_error)) return true;
    }
  }
  return false;
}

/// Chance of at least `count` in `runs` when the true rate is `rate`.
double tail(int count, int runs, double rate) {
  if (count == 0) return 1;
  return boost::math::cdf(
      boost::math::complement(boost::math::binomial_distribution<>(runs, rate), count - 1));
}

TEST(Sequential, WholeRunsCryWolfAtMostOnceInAHundredOnEveryMachine) {
  std::mt19937_64 generator(8);
  for (const auto& [kind, name] : stats_noise::kinds) {
    for (const auto& [rows, runs] : {std::pair{1, 8000}, {7, 1200}, {40, 400}}) {
      const auto analyses = plan_pairs(static_cast<std::size_t>(rows));
      int alarms = 0;
      for (int run = 0; run < runs; ++run)
        alarms += false_alarm(analyses, static_cast<std::size_t>(rows), kind, generator);
      EXPECT_GT(tail(alarms, runs, 0.01), 1e-3) << name << " " << rows << ": " << alarms;
      if (rows == 1) {  // and the error is spent, not hoarded
        EXPECT_GT(alarms, 0.003 * runs) << name;
      }
      std::printf("%-12s %2d rows: %d false alarms in %d runs, tolerance 0\n", name, rows, alarms,
                  runs);
    }
  }
}

TEST(Sequential, StoredBaselinesCryWolfAtMostOnceInAHundred) {
  std::mt19937_64 generator(9);
  const auto analyses = plan_stored(9, 7);
  constexpr int runs = 1000;
  for (const Kind kind : {Kind::normal, Kind::heavy, Kind::bimodal}) {
    int alarms = 0;
    for (int run = 0; run < runs; ++run) {
      Machine machine(kind, generator);
      bool alarm = false;
      for (int row = 0; row < 7; ++row) {
        Values x(9);
        for (double& value : x) value = std::exp(machine.next());
        Values y;
        for (const Analysis& analysis : analyses) {
          while (y.size() < analysis.launches) y.push_back(std::exp(machine.next()));
          alarm = alarm || ratio_bounds(x, y, analysis.simultaneous_error)->high < 1;
        }
      }
      alarms += alarm;
    }
    EXPECT_GT(tail(alarms, runs, 0.01), 1e-3) << static_cast<int>(kind) << ": " << alarms;
  }
}

}  // namespace
}  // namespace ratchet::stats
