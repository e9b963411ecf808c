// What the tests of the life stages share: one suite, Stages/Life, over all registered stages.
//
// correctness/life/tests/life_test.cpp instantiates it; the themes are in
// correctness/life/*_test.cpp.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "correctness/life/checks/checks.h"
#include "correctness/life/oracles/oracle.h"
#include "correctness/life/tests/support/scenes.h"

namespace ratchet::life {

/// A stage that this machine cannot run is skipped by name with the reason.
class Life : public testing::TestWithParam<const LifeStage*> {
 protected:
  const LifeStage& stage() const { return *GetParam(); }
  std::vector<Edge> edges() const {
    return has_torus(stage()) ? std::vector{Edge::dead, Edge::torus} : std::vector{Edge::dead};
  }
  void SetUp() override {
    const Availability available = stage().availability();
    if (!available.ok) GTEST_SKIP() << stage().info().name << ": " << available.reason;
  }
  /// Runs the stage from `start`, `runs` times `steps` generations, with every edge it has. After
  /// a first failure nothing more is run: one wrong stage must not fill the log.
  void expect_equal(const Grid& start, std::uint64_t steps, std::uint64_t runs = 1) {
    for (const Edge edge : edges())
      expect_end(start, oracle_run(start, steps * runs, edge), steps, runs, edge);
  }
  void expect_equal(const Soup& soup, std::uint64_t steps, std::uint64_t runs = 1) {
    for (const Edge edge : edges())
      expect_end(soup.start(), soup.end(steps * runs, edge), steps, runs, edge);
  }
  void expect_end(const Grid& start, const Grid& end, std::uint64_t steps, std::uint64_t runs,
                  Edge edge) {
    if (HasFailure()) return;
    EXPECT_EQ("", difference(end, stage_run(stage(), start, steps, runs, edge)))
        << start.width() << " x " << start.height() << ", " << runs << " x " << steps << " steps, "
        << to_string(edge);
  }
  static std::string to_string(Edge edge) { return edge == Edge::torus ? "torus" : "dead border"; }
};

}  // namespace ratchet::life
