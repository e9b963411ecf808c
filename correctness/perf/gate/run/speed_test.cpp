// The rule must cost nothing beside the measuring: 10^4 benchmarks of 50 launches_a_row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "perf/gate/rule/rule.h"
#include "perf/stats/paired.h"

namespace ratchet::gate {
namespace {

constexpr std::size_t benchmarks = 10'000;
constexpr std::size_t launches_a_row = 50;
constexpr stats::Analysis analysis{launches_a_row, 1e-6 / 3, 0.0125};

std::vector<double> draw(std::mt19937_64& generator) {
  std::normal_distribution<double> normal(0, 0.01);
  std::vector<double> values(launches_a_row);
  for (double& value : values) value = normal(generator);
  return values;
}

/// Seconds that `decide` takes for all benchmarks, drawn beforehand; how many came out "same".
template <typename Decide>
double seconds(const char* what, std::size_t& same, Decide decide) {
  std::mt19937_64 generator(1);
  std::vector<std::pair<std::vector<double>, std::vector<double>>> data;
  for (std::size_t i = 0; i < benchmarks; ++i) data.emplace_back(draw(generator), draw(generator));
  const std::clock_t start = std::clock();  // CPU time: others may hold the cores
  for (auto& [a, b] : data) same += decide(a, b).verdict == Verdict::same;
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%s: %zu benchmarks of %zu launches_a_row in %.3f s of CPU\n", what, benchmarks,
              launches_a_row, took);
  return took;
}

TEST(Speed, TenThousandBenchmarksOfFiftyLaunches) {
  std::size_t same = 0;
  const double paired = seconds("paired", same, [](auto& a, auto&) {
    return decide_pairs({a, {}}, 0.01, analysis);
  });
  EXPECT_EQ(same, benchmarks);  // 50 launches_a_row of 1 % spread: bounds of 0.4 %
  const double stored = seconds("two samples", same, [](auto& a, auto& b) {
    for (double& value : a) value = std::exp(value);
    for (double& value : b) value = std::exp(value);
    return decide_stored(a, b, 0.01, analysis);
  });
  EXPECT_GT(same, benchmarks * 19 / 10);
  // Under two seconds together on one idle core of a current machine; what is busy takes longer.
  EXPECT_LT(paired, 15);
  EXPECT_LT(stored, 15);
}

/// CPU seconds of an estimate of that many pairs, the least of several turns: what others leave it.
double estimate_s(std::size_t pairs, double& sum) {
  std::mt19937_64 generator(2);
  std::normal_distribution<double> normal(0, 0.01);
  std::vector<double> d(pairs);
  for (double& value : d) value = normal(generator);
  double least = 1e9;
  for (int turn = 0; turn < 20; ++turn) {
    const std::clock_t start = std::clock();
    for (int i = 0; i < 50; ++i) {
      d[0] += 1e-9;
      sum += stats::paired_estimate(d);
    }
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / 50);
  }
  return least;
}

TEST(Speed, AnEstimateOfTheLastAnalysisTakesMicroseconds) {
  double sum = 0;
  const std::size_t pairs = stats::plan_pairs(40).back().launches;
  const double each = estimate_s(pairs, sum);
  std::printf("estimate of %zu pairs: %.1f us (%g)\n", pairs, 1e6 * each, sum);
  EXPECT_LT(each, 1e-3);  // 40 us on a current machine, perf/stats/paired.cpp
}

}  // namespace
}  // namespace ratchet::gate
