// Nodes as the unit of replication: how often unchanged code is called slower for the kind, and
// what is caught. The plan's 1 % a run, by simulation.

#include "perf/stats/nodes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "perf/stats/sequential.h"

namespace ratchet::stats {
namespace {

using Generator = std::mt19937_64;

/// How nodes of a kind differ in the ratio of two builds: the same code lies elsewhere in memory,
/// another firmware, another neighbour. And what one node's own pairs leave open.
enum class Scatter { alike, normal, heavy, one_is_odd };

std::vector<double> figures(std::size_t nodes, Scatter scatter, double effect,
                            Generator& generator) {
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> heavy(2);
  std::vector<double> logs(nodes);
  for (double& log : logs) {
    log = effect + 0.003 * normal(generator);
    if (scatter == Scatter::normal) log += 0.01 * normal(generator);
    if (scatter == Scatter::heavy) log += 0.01 * heavy(generator);
  }
  if (scatter == Scatter::one_is_odd) logs[generator() % nodes] -= 0.5;
  return logs;
}

/// In how many of `runs` runs of `rows` rows any row is below 1 (slower, where nothing changed);
/// where a node is really slower, below a tolerance of 1 %.
int runs_with_an_alarm(int runs, std::size_t rows, std::size_t nodes, Scatter scatter,
                       Generator& generator) {
  const double least = scatter == Scatter::one_is_odd ? 0.99 : 1;
  int alarms = 0;
  for (int run = 0; run < runs; ++run) {
    bool any = false;
    for (std::size_t row = 0; row < rows; ++row)
      any |= of_nodes(figures(nodes, scatter, 0, generator), Reference::own,
                      error_per_claim(kFalseAlarms, rows))
                 .bounds->high < least;
    alarms += any;
  }
  return alarms;
}

TEST(Nodes, UnchangedCodeIsCalledSlowerInOneRunOfAHundredAtMost) {
  Generator generator(11);
  constexpr int runs = 4000;
  for (const Scatter scatter :
       {Scatter::alike, Scatter::normal, Scatter::heavy, Scatter::one_is_odd}) {
    for (const std::size_t nodes : {3, 5, 10, 16, 30}) {
      for (const std::size_t rows : {1, 10}) {
        // 40 expected at most; five standard deviations are 32.
        EXPECT_LE(runs_with_an_alarm(runs, rows, nodes, scatter, generator), 72)
            << static_cast<int>(scatter) << " " << nodes << " nodes, " << rows << " rows";
      }
    }
  }
}

TEST(Nodes, TheErrorIsSpentWhereNodesScatterNormally) {
  Generator generator(12);
  // Not so conservative that nothing could ever be wrong with it: 40 expected.
  EXPECT_GE(runs_with_an_alarm(4000, 1, 5, Scatter::normal, generator), 15);
}

TEST(Nodes, ASharedReferenceIsOneNodeMore) {
  Generator generator(13);
  std::normal_distribution<double> normal;
  constexpr int runs = 20000;
  int by_shared = 0, by_own = 0;
  for (int run = 0; run < runs; ++run) {
    const double stored = 0.01 * normal(generator);  // of the node that was measured then
    std::vector<double> logs(8);
    for (double& log : logs) log = 0.01 * normal(generator) - stored;
    by_shared += of_nodes(logs, Reference::shared, 0.01).bounds->high < 1;
    by_own += of_nodes(logs, Reference::own, 0.01).bounds->high < 1;
  }
  EXPECT_NEAR(by_shared, 200, 70);
  EXPECT_GT(by_own, 1000);  // which is why they are told apart
}

TEST(Nodes, ASlowerBuildIsCaught) {
  Generator generator(14);
  const auto caught = [&](std::size_t nodes, std::size_t rows, double effect) {
    int found = 0;
    for (int run = 0; run < 400; ++run)
      found += of_nodes(figures(nodes, Scatter::normal, std::log1p(effect), generator),
                        Reference::own, error_per_claim(kFalseAlarms, rows))
                   .bounds->high < 0.99;
    return found / 400.0;
  };
  EXPECT_GE(caught(3, 3, -0.3), 0.9);  // three nodes: only what is large
  EXPECT_GE(caught(10, 40, -0.035), 0.9);
  EXPECT_GE(caught(30, 40, -0.022), 0.9);
  EXPECT_GE(caught(100, 1000, -0.017), 0.9);
}

TEST(Nodes, WhatIsDetectableIsCaughtNineTimesInTen) {
  Generator generator(15);
  for (const std::size_t nodes : {5, 6, 20, 50}) {
    const double error = 0.001;
    std::vector<double> detectable;
    int found = 0;
    constexpr int runs = 1000;
    for (int run = 0; run < runs; ++run)
      detectable.push_back(
          of_nodes(figures(nodes, Scatter::normal, 0, generator), Reference::own, error)
              .detectable);
    const double effect = -median(detectable);
    for (int run = 0; run < runs; ++run)
      found += of_nodes(figures(nodes, Scatter::normal, effect, generator), Reference::own, error)
                   .bounds->high < 1;
    // By the spread that few nodes show, what is said is rough.
    EXPECT_GE(found, runs * 0.75) << nodes;
    EXPECT_LE(found, runs * 0.97) << nodes;
  }
}

TEST(Nodes, ManyNodesAreNotMovedByAnOddOne) {
  Generator generator(16);
  const auto say = of_nodes(figures(30, Scatter::one_is_odd, 0, generator), Reference::own, 0.001);
  EXPECT_NEAR(say.ratio, 1, 0.003);
  EXPECT_GT(say.bounds->low, 0.99);
  EXPECT_LT(say.bounds->high, 1.01);
}

TEST(Nodes, StudentsIntervalByHand) {
  // Mean 0.02, deviation 0.01, of three: t(2) at 1 % is 6.9646.
  const std::vector<double> logs = {0.01, 0.02, 0.03};
  const auto own = of_nodes(logs, Reference::own, 0.01);
  EXPECT_NEAR(own.ratio, std::exp(0.02), 1e-12);
  EXPECT_NEAR(own.deviation, 0.01, 1e-12);
  EXPECT_NEAR(std::log(own.bounds->low), 0.02 - 6.9646 * 0.01 / std::sqrt(3), 1e-6);
  const auto shared = of_nodes(logs, Reference::shared, 0.01);
  EXPECT_NEAR(std::log(shared.bounds->high), 0.02 + 6.9646 * 0.01 * std::sqrt(4.0 / 3), 1e-6);
}

TEST(Nodes, TwoNodesSpeakForNobodyElse) {
  EXPECT_FALSE(of_nodes({-0.5, -0.5}, Reference::own, 0.01).bounds);
  EXPECT_TRUE(std::isinf(of_nodes({-0.5}, Reference::shared, 0.01).detectable));
  EXPECT_THROW(of_nodes({}, Reference::own, 0.01), std::invalid_argument);
  EXPECT_THROW(of_nodes({0, NAN, 0}, Reference::own, 0.01), std::invalid_argument);
}

}  // namespace

// What lies between occasions: how often an unchanged row is beyond its reach.

namespace {

TEST(Occasions, ReachIsStudentsPredictionInterval) {
  // Mean 0.01, variance 0.00025, of five: deviation sqrt(0.00025 * 1.2), t(4) at 5 % is 2.1318.
  const auto shift = shift_of_controls({-0.01, 0, 0.01, 0.02, 0.03});
  ASSERT_TRUE(shift);
  EXPECT_NEAR(shift->centre, 0.01, 1e-12);
  EXPECT_NEAR(reach(*shift, 0.05), 2.1318 * std::sqrt(0.0003), 1e-5);
  EXPECT_FALSE(shift_of_controls({0, 0, 0, 0}));
  EXPECT_FALSE(shift_of_occasions({1, 2}));
  EXPECT_EQ(shift_of_occasions({1, 2, 3})->centre, 0);
}

TEST(Occasions, AnUnchangedRowIsBeyondItsReachAsRarelyAsIsSaid) {
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal;
  constexpr int runs = 20000;
  constexpr double error = 0.01;
  int beyond = 0;
  for (int run = 0; run < runs; ++run) {
    const double day = 0.2 * normal(generator);
    std::vector<double> controls(8);
    for (double& control : controls) control = day + 0.03 * normal(generator);
    const double row = day + 0.03 * normal(generator);
    const auto shift = shift_of_controls(controls);
    beyond += row < shift->centre - reach(*shift, error);
  }
  // 200 expected; five standard deviations are 70.
  EXPECT_NEAR(beyond, error * runs, 70);
}

}  // namespace

}  // namespace ratchet::stats
