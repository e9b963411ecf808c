// The other variants of a life stage: every point of its sweep and survey that changes how it
// computes (rows of a thread, threads, tiles) rather than what, against the oracle.
//
// life_test covers the defaults thoroughly: of them, only a tall universe is new here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>

#include "correctness/life/checks/checks.h"
#include "correctness/life/tests/support/scenes.h"
#include "kernels/support/ranks/part.h"

namespace ratchet::life {
namespace {

/// Another universe, start or number of generations. `settle` advances the start, which the
/// definition here knows nothing of: life_sparse_test checks it.
bool changes_problem(const ParameterPoint& point) {
  constexpr std::array<std::string_view, 6> kProblem = {"width", "height",  "steps",
                                                        "seed",  "density", "settle"};
  return std::any_of(point.begin(), point.end(), [&](const auto& setting) {
    return std::find(kProblem.begin(), kProblem.end(), setting.first) != kProblem.end();
  });
}

struct Variant {
  const LifeStage* stage;
  ParameterPoint point;
};

std::vector<Variant> variants() {
  std::vector<Variant> found;
  for (const Stage* stage : registry())
    if (const auto* life = dynamic_cast<const LifeStage*>(stage)) {
      found.push_back({life, {}});
      for (const auto* points : {&life->info().sweep, &life->info().survey})
        for (const ParameterPoint& point : *points)
          if (!changes_problem(point)) found.push_back({life, point});
    }
  return found;
}

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.stage->info().name; }

std::string variant_name(const testing::TestParamInfo<Variant>& info) {
  std::string name = info.param.stage->info().name;
  for (const auto& [parameter, value] : info.param.point)
    name += "_" + parameter + "_" + std::to_string(value);
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

/// Two runs of `steps` generations each.
Grid run_twice(const Variant& variant, const Grid& start, std::uint64_t steps, Edge edge) {
  Parameters parameters =
      parameters_for(*variant.stage, start.width(), start.height(), steps, edge);
  parameters.set(variant.point);
  const auto universe = variant.stage->prepare_universe(parameters, start);
  universe->run();
  universe->run();
  return universe->collect();
}

class LifeSweep : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    const Availability available = GetParam().stage->availability();
    if (!available.ok) GTEST_SKIP() << GetParam().stage->info().name << ": " << available.reason;
    const auto ranks = ranks::ranks_of(GetParam().stage->defaults().set(GetParam().point));
    const Availability enough = ranks::enough_ranks(ranks);
    if (!enough.ok) GTEST_SKIP() << GetParam().stage->info().name << ": " << enough.reason;
  }
  std::vector<Edge> edges() const {
    return has_torus(*GetParam().stage) ? std::vector{Edge::dead, Edge::torus}
                                        : std::vector{Edge::dead};
  }
};

TEST_P(LifeSweep, AwkwardSizes) {
  for (const auto& [width, height] :
       {std::pair{1u, 1u}, {33, 70}, {131, 67}, {96, 225}, {100, 1000}, {64, 992}})
    for (const std::uint64_t steps : {1, 16, 21})
      for (const Edge edge : edges()) {
        const Soup soup{width, height, width + height, 110};
        EXPECT_EQ("", difference(soup.end(2 * steps, edge),
                                 run_twice(GetParam(), soup.start(), steps, edge)))
            << width << " x " << height << ", 2 x " << steps << " steps, "
            << (edge == Edge::torus ? "torus" : "dead border");
      }
}

/// Large enough that every CUDA stage has a tile that no border touches: theirs have up to 4096
/// rows, or 128 columns. 17 generations are a whole pass and a short one.
TEST_P(LifeSweep, TilesAwayFromTheBorder) {
  constexpr std::uint64_t kSteps = 17;
  const Soup soup{210, 8200, 3, 110};
  for (const Edge edge : edges())
    EXPECT_EQ("", difference(soup.end(2 * kSteps, edge),
                             run_twice(GetParam(), soup.start(), kSteps, edge)))
        << (edge == Edge::torus ? "torus" : "dead border");
}

INSTANTIATE_TEST_SUITE_P(Points, LifeSweep, testing::ValuesIn(variants()), variant_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LifeSweep);

}  // namespace
}  // namespace ratchet::life
