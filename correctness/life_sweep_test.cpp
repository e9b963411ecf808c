// The other variants of a life stage: every point of its sweep that changes how it computes (rows
// of a thread, threads, tiles) rather than how much, against the definition.
//
// life_test covers the defaults thoroughly: of them, only a tall universe is new here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>

#include "correctness/life/checks.h"

namespace ratchet::life {
namespace {

bool changes_size(const ParameterPoint& point) {
  constexpr std::array<std::string_view, 5> kSizes = {"width", "height", "steps", "seed",
                                                      "density"};
  return std::any_of(point.begin(), point.end(), [&](const auto& setting) {
    return std::find(kSizes.begin(), kSizes.end(), setting.first) != kSizes.end();
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
      for (const ParameterPoint& point : life->info().sweep)
        if (!changes_size(point)) found.push_back({life, point});
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

class LifeSweep : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    const Availability available = GetParam().stage->availability();
    if (!available.ok) GTEST_SKIP() << GetParam().stage->info().name << ": " << available.reason;
  }
  void expect_equal(int width, int height, std::uint64_t steps) {
    expect_equal_at(width, height, steps, Edge::dead);
    if (has_torus(*GetParam().stage)) expect_equal_at(width, height, steps, Edge::torus);
  }

 private:
  void expect_equal_at(int columns, int rows, std::uint64_t steps, Edge edge) {
    const LifeStage& stage = *GetParam().stage;
    const auto width = static_cast<std::uint64_t>(columns),
               height = static_cast<std::uint64_t>(rows);
    const Grid start = soup(width, height, width + height, 110);
    Parameters parameters = parameters_for(stage, width, height, steps, edge);
    parameters.set(GetParam().point);
    const auto universe = stage.prepare_universe(parameters, start);
    universe->run();
    universe->run();
    EXPECT_EQ("", difference(reference_run(start, 2 * steps, edge), universe->collect()))
        << width << " x " << height << ", 2 x " << steps << " steps, "
        << (edge == Edge::torus ? "torus" : "dead border");
  }
};

TEST_P(LifeSweep, AwkwardSizes) {
  for (const auto& [width, height] :
       {std::pair{1, 1}, {33, 70}, {131, 67}, {96, 225}, {100, 1000}, {64, 992}})
    for (const std::uint64_t steps : {1, 16, 21}) expect_equal(width, height, steps);
}

/// Several tiles above each other for every CUDA stage: theirs have up to 8192 rows.
TEST_P(LifeSweep, TallUniverse) { expect_equal(33, 8200, 21); }

INSTANTIATE_TEST_SUITE_P(Points, LifeSweep, testing::ValuesIn(variants()), variant_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LifeSweep);

}  // namespace
}  // namespace ratchet::life
