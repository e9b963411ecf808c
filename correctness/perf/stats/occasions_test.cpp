// What lies between occasions: how often an unchanged row is beyond its reach.
#include "perf/stats/occasions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ratchet::stats {
namespace {

TEST(Sessions, ReachIsStudentsPredictionInterval) {
  // Mean 0.01, variance 0.00025, of five: deviation sqrt(0.00025 * 1.2), t(4) at 5 % is 2.1318.
  const auto shift = shift_of_controls({-0.01, 0, 0.01, 0.02, 0.03});
  ASSERT_TRUE(shift);
  EXPECT_NEAR(shift->centre, 0.01, 1e-12);
  EXPECT_NEAR(reach(*shift, 0.05), 2.1318 * std::sqrt(0.0003), 1e-5);
  EXPECT_FALSE(shift_of_controls({0, 0, 0, 0}));
  EXPECT_FALSE(shift_of_occasions({1, 2}));
  EXPECT_EQ(shift_of_occasions({1, 2, 3})->centre, 0);
}

TEST(Sessions, AnUnchangedRowIsBeyondItsReachAsRarelyAsIsSaid) {
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
