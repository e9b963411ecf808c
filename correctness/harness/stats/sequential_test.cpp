// perf/stats/sequential: the plan by hand, and the errors of whole runs by simulation.
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "correctness/harness/stats/noise.h"
#include "perf/stats/paired.h"
#include "perf/stats/power.h"
#include "perf/stats/sequential.h"

namespace ratchet::stats {
namespace {

using Values = std::vector<double>;
using stats_noise::block;
using stats_noise::Kind;
using stats_noise::Machine;

std::vector<std::size_t> sizes(const std::vector<Look>& looks) {
  std::vector<std::size_t> result;
  for (const Look& look : looks) result.push_back(look.pairs);
  return result;
}

TEST(Plan, PairsByHand) {
  using Sizes = std::vector<std::size_t>;
  // 2^-5 <= 2/3 of 5 %. Alarms: 0.01/5 -> 9, 0.01/35 -> 12, 0.01/200 -> 15 pairs.
  EXPECT_EQ(sizes(plan_looks(1)), (Sizes{5, 9, 14, 21, 31, 46}));
  EXPECT_EQ(sizes(plan_looks(7)), (Sizes{5, 12, 18, 27, 41, 61}));
  EXPECT_EQ(sizes(plan_looks(40)), (Sizes{5, 15, 23, 34, 51, 76}));
  // A strict "same" needs as many pairs as an alarm: no separate screening.
  EXPECT_EQ(sizes(plan_looks(1, 0.01, 0.002)), (Sizes{9, 14, 21, 31, 46}));
  // Against 9 launches: 1 / C(11, 2) <= 1/30; 1 / C(17, 8) <= 0.01 / 120 < 1 / C(16, 7).
  // Then as many as three looks at pairs would have.
  EXPECT_EQ(sizes(plan_launches(9, 40)), (Sizes{2, 8, 14, 32}));
  EXPECT_EQ(sizes(plan_launches(3, 40)), (Sizes{4, 40, 60, 90}));  // C(43, 3) = 12341
  EXPECT_TRUE(plan_launches(1, 40).empty());
  EXPECT_TRUE(plan_launches(0, 40).empty());
}

TEST(Plan, ErrorsAddUpToTheRowsShareExactly) {
  for (const std::size_t rows : {1, 7, 40, 1000}) {
    for (const auto& looks : {plan_looks(rows), plan_launches(12, rows)}) {
      ASSERT_GE(looks.size(), 4u);
      EXPECT_EQ(looks[0].alarm_error, 0);
      double alarms = 0;
      double same = 0;
      for (const Look& look : looks) {
        alarms += look.alarm_error;
        same += look.same_error;
        EXPECT_GT(look.same_error, 0);
      }
      EXPECT_NEAR(alarms, 0.01 / static_cast<double>(rows), 1e-15);
      EXPECT_NEAR(same, 0.05, 1e-15);
    }
  }
  // The first look that can alarm spends what 15 pairs can: 2^-15 of the 5e-5 it may.
  EXPECT_DOUBLE_EQ(plan_looks(40)[1].alarm_error, std::ldexp(1.0, -15));
  EXPECT_DOUBLE_EQ(plan_looks(40)[0].same_error, std::ldexp(1.0, -5));
}

TEST(Plan, RefusesWhatIsNoError) {
  EXPECT_THROW(plan_looks(0), std::invalid_argument);
  EXPECT_THROW(plan_looks(1, 0), std::invalid_argument);
  EXPECT_THROW(plan_looks(1, 0.01, 1), std::invalid_argument);
  EXPECT_THROW(plan_launches(9, 1, NAN), std::invalid_argument);
}

TEST(Judge, FindingsByHand) {
  const Look look{5, 0.04, 0.04};  // k = 1: smallest and largest difference
  const auto finding = [&](Values percent, double tolerance) {
    for (double& value : percent) value = std::log1p(value / 100);
    return judge(percent, look, tolerance).finding;
  };
  EXPECT_EQ(finding({-3, -2, -4, -5, -1.1}, 0.01), Finding::slower);
  EXPECT_EQ(finding({-3, -2, -4, -5, -0.9}, 0.01), Finding::open);
  EXPECT_EQ(finding({3, 2, 4, 5, 1.1}, 0.01), Finding::faster);
  EXPECT_EQ(finding({3, 2, 4, 5, 0.9}, 0.01), Finding::open);
  EXPECT_EQ(finding({0.9, -0.9, 0, 0.1, 0.2}, 0.01), Finding::same);
  EXPECT_EQ(finding({1.1, -0.9, 0, 0.1, 0.2}, 0.01), Finding::open);
  EXPECT_EQ(finding({0.9, -1.1, 0, 0.1, 0.2}, 0.01), Finding::open);
  const Judgement screened = judge({-1, -1.1, -1.2, -1.3, -1.4}, {5, 0, 0.04}, 0.01);
  EXPECT_EQ(screened.finding, Finding::open);  // a look that screens does not alarm
  EXPECT_FALSE(screened.alarm);
  EXPECT_DOUBLE_EQ(screened.ratio, std::exp(-1.2));
}

TEST(Judge, EachSideOfSameIsExactAtItsEdgeOfTheTolerance) {
  std::mt19937_64 generator(21);
  std::normal_distribution<double> normal;
  const Look look{12, 0.01, 0.05};
  int told_apart = 0;
  for (int run = 0; run < 20; ++run) {
    Values d(12);
    Values r(12);
    for (std::size_t b = 0; b < d.size(); ++b) {
      r[b] = 0.02 * normal(generator);
      d[b] = 0.5 * r[b] + 0.01 * normal(generator);
    }
    const Judgement judgement = judge(d, r, look, 0.03);
    const auto at = [&](double centre) { return *paired_bounds(adjusted(d, r, centre), 0.05); };
    const Bounds low = at(std::log(0.97));
    const Bounds high = at(std::log(1.03));
    EXPECT_EQ(judgement.same->low, low.low);
    EXPECT_EQ(judgement.same->high, high.high);
    EXPECT_EQ(judgement.alarm->high, paired_bounds(adjusted(d, r), 0.01)->high);
    told_apart += low.low != high.low && low.high != high.high;
  }
  EXPECT_GT(told_apart, 0);  // else the three slopes were always equal
}

TEST(Judge, StoredLaunchesByHand) {
  const Look look{5, 0.004, 0.03};  // 1 / C(10, 5) = 1/252: complete separation
  const Values x = {100, 101, 102, 103, 104};
  EXPECT_EQ(judge_launches(x, {90, 91, 92, 93, 94}, look, 0.05).finding, Finding::slower);
  EXPECT_EQ(judge_launches(x, {90, 91, 92, 93, 96}, look, 0.05).finding, Finding::open);
  EXPECT_EQ(judge_launches(x, {110, 111, 112, 113, 114}, look, 0.05).finding, Finding::faster);
  EXPECT_EQ(judge_launches(x, {102, 101, 103, 100, 104}, look, 0.05).finding, Finding::same);
}

/// Is any row of one run over unchanged code called slower? Rows take turns on one machine; the
/// tolerance is 0, the worst case, in which nothing is ever "same" and every look is taken.
bool false_alarm(const std::vector<Look>& looks, std::size_t rows, Kind kind,
                 std::mt19937_64& generator) {
  Machine machine(kind, generator);
  std::vector<Values> d(rows);
  for (std::size_t b = 0; b < looks.back().pairs; ++b)
    for (Values& row : d) row.push_back(block(machine, generator));
  for (const Values& row : d) {
    for (const Look& look : looks) {
      if (look.alarm_error == 0) continue;
      const Values seen(row.begin(), row.begin() + static_cast<long>(look.pairs));
      if (paired_bounds(seen, look.alarm_error)->high < 1) return true;
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
      const auto looks = plan_looks(static_cast<std::size_t>(rows));
      int alarms = 0;
      for (int run = 0; run < runs; ++run)
        alarms += false_alarm(looks, static_cast<std::size_t>(rows), kind, generator);
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
  const auto looks = plan_launches(9, 7);
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
        for (const Look& look : looks) {
          while (y.size() < look.pairs) y.push_back(std::exp(machine.next()));
          alarm = alarm || judge_launches(x, y, look, 0).finding == Finding::slower;
        }
      }
      alarms += alarm;
    }
    EXPECT_GT(tail(alarms, runs, 0.01), 1e-3) << static_cast<int>(kind) << ": " << alarms;
  }
}

struct Rates {
  double slower = 0;
  double same = 0;
  double pairs = 0;  // mean
};

/// One row of a run of 40 whose true ratio is `ratio`, looked at until decided.
Rates rates(double ratio, double tolerance, Kind kind, int runs, bool reference = false) {
  std::mt19937_64 generator(10);
  const auto looks = plan_looks(40);
  Rates result;
  for (int run = 0; run < runs; ++run) {
    Machine machine(kind, generator);
    std::normal_distribution<double> slow(0, 0.05);
    Values d;
    Values r;
    for (const Look& look : looks) {
      while (d.size() < look.pairs) {
        r.push_back(reference ? slow(generator) : 0);
        d.push_back(block(machine, generator, std::log(ratio)) + 0.9 * r.back());
      }
      const Finding finding =
          (reference ? judge(d, r, look, tolerance) : judge(d, look, tolerance)).finding;
      if (finding == Finding::open && look.pairs != looks.back().pairs) continue;
      result.slower += finding == Finding::slower;
      result.same += finding == Finding::same;
      result.pairs += static_cast<double>(look.pairs);
      break;
    }
  }
  return {result.slower / runs, result.same / runs, result.pairs / runs};
}

TEST(Sequential, RowsAtTheEdgeOfTheToleranceAreSeldomCalledSame) {
  for (const auto& [kind, name] : stats_noise::kinds) {
    EXPECT_LT(rates(0.99, 0.01, kind, 2000).same, 0.05 + 3 * std::sqrt(0.05 * 0.95 / 2000)) << name;
  }
}

TEST(Sequential, SlowdownsAreCaughtAndQuietRowsCostLittle) {
  const Rates caught = rates(0.95, 0.01, Kind::normal, 500);
  EXPECT_GT(caught.slower, 0.99);
  EXPECT_LT(caught.pairs, 20);
  const Rates quiet = rates(1, 0.04, Kind::normal, 500);
  EXPECT_GT(quiet.same, 0.99);
  EXPECT_LT(quiet.pairs, 8);
}

TEST(Sequential, ReferenceWorkloadRescuesTheVerdictBesideABusyNeighbour) {
  // Neighbour 5 % (moves both), own noise 1 %: of a 5 % slowdown with 3 % tolerance.
  const Rates with = rates(0.94, 0.03, Kind::normal, 500, true);
  EXPECT_GT(with.slower, 0.95);
  std::printf("reference workload: 6 %% slowdown beyond 3 %% tolerance caught in %.1f %%\n",
              100 * with.slower);
  const Rates edge = rates(0.97, 0.03, Kind::normal, 1000, true);
  EXPECT_LT(edge.same, 0.05 + 3 * std::sqrt(0.05 * 0.95 / 1000));
  EXPECT_EQ(rates(1, 0.03, Kind::normal, 500, true).slower, 0);
}

}  // namespace
}  // namespace ratchet::stats
