// Two modes: how often noise is called that, and launches of two speeds are.

#include "perf/stats/modes.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "correctness/perf/stats/noise.h"

namespace ratchet::stats {
namespace {

using stats_noise::Kind;
using stats_noise::Machine;

/// The share of samples of `n` launches that are called two modes.
double rate(std::size_t n, const std::function<std::function<double()>(std::mt19937_64&)>& source) {
  constexpr int samples = 4000;
  std::mt19937_64 generator(n);
  int called = 0;
  for (int i = 0; i < samples; ++i) {
    const auto next = source(generator);
    std::vector<double> values(n);
    for (double& value : values) value = next();
    called += two_modes(values).has_value();
  }
  return static_cast<double>(called) / samples;
}

double rate(std::size_t n, Kind kind) {
  return rate(n, [kind](std::mt19937_64& generator) {
    return [machine = Machine(kind, generator)]() mutable { return machine.next(); };
  });
}

TEST(Modes, NoiseIsSeldomCalledTwoModes) {
  const auto exponential = [](std::mt19937_64& generator) {
    return [&generator] { return std::exponential_distribution<double>()(generator); };
  };
  EXPECT_LT(rate(12, Kind::normal), 0.015);
  EXPECT_LT(rate(12, exponential), 0.03);
  for (const std::size_t n : {24, 45}) {
    for (const Kind kind : {Kind::normal, Kind::heavy, Kind::drifting})
      EXPECT_LT(rate(n, kind), 0.003) << n << " " << static_cast<int>(kind);
    EXPECT_LT(rate(n, exponential), 0.004) << n;
  }
}

TEST(Modes, LaunchesOfTwoSpeedsAre) {
  EXPECT_GT(rate(12, Kind::bimodal), 0.6);  // else one mode has fewer than three launches, mostly
  EXPECT_GT(rate(24, Kind::bimodal), 0.9);
  EXPECT_GT(rate(45, Kind::bimodal), 0.95);
}

TEST(Modes, EachHasItsMedianAndItsNumber) {
  const auto found =
      two_modes({10, 12, 10.1, 10.2, 12.1, 9.9, 10, 10.1, 12.2, 10, 10.1, 9.9, 11.9});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->of_low, 9u);
  EXPECT_EQ(found->of_high, 4u);
  EXPECT_DOUBLE_EQ(found->low, 10);
  EXPECT_DOUBLE_EQ(found->high, 12.05);
  EXPECT_FALSE(two_modes({10, 12, 10, 10, 12, 10, 10, 10, 12, 10, 10})) << "eleven";
  EXPECT_FALSE(two_modes({10, 12, 10, 10, 12, 10, 10, 10, 10, 10, 10, 10})) << "two of a mode";
  EXPECT_FALSE(two_modes(std::vector<double>(30, 5.0)));
  EXPECT_FALSE(two_modes({}));
}

}  // namespace
}  // namespace ratchet::stats
