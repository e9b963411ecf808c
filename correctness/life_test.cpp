// Every registered life stage against the definition, bit for bit.
//
// A stage that this machine cannot run is skipped by name with the reason.
#include <gtest/gtest.h>

#include <algorithm>

#include "correctness/life/checks.h"

namespace ratchet::life {
namespace {

std::vector<const LifeStage*> stages() {
  std::vector<const LifeStage*> found;
  for (const Stage* stage : registry())
    if (const auto* life = dynamic_cast<const LifeStage*>(stage)) found.push_back(life);
  return found;
}

std::string test_name(const testing::TestParamInfo<const LifeStage*>& info) {
  std::string name = info.param->info().name;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

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
  void expect_equal(const Grid& start, std::uint64_t steps, std::uint64_t runs = 1) {
    for (const Edge edge : edges())
      EXPECT_EQ("", difference(reference_run(start, steps * runs, edge),
                               stage_run(stage(), start, steps, runs, edge)))
          << start.width() << " x " << start.height() << ", " << runs << " x " << steps
          << " steps, " << (edge == Edge::torus ? "torus" : "dead border");
  }
};

TEST_P(Life, SoupsOfAwkwardSizes) {
  for (const std::uint64_t width :
       {1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 1025})
    for (const std::uint64_t height : {1, 2, 3, 15, 17, 33, 65, 130}) {
      expect_equal(soup(width, height, width * 1000 + height, 100), 1);
      expect_equal(soup(width, height, width * 1000 + height, 100), 7, 2);
    }
}

TEST_P(Life, ManyGenerations) {
  expect_equal(soup(300, 200, 5, 90), 1);
  expect_equal(soup(300, 200, 5, 90), 15);
  expect_equal(soup(300, 200, 5, 90), 16);
  expect_equal(soup(300, 200, 5, 90), 17);
  expect_equal(soup(300, 200, 6, 90), 100, 3);
}

/// Every kernel of the stage once, small enough for compute-sanitizer and for the mutation script.
TEST_P(Life, SmallRunForSanitizers) {
  expect_equal(soup(131, 67, 1, 128), 1);
  expect_equal(soup(131, 67, 1, 128), 33, 2);
}

INSTANTIATE_TEST_SUITE_P(Stages, Life, testing::ValuesIn(stages()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Life);

}  // namespace
}  // namespace ratchet::life
