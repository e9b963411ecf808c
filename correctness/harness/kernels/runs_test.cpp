// The first run of an instance, the second and the hundredth: each is right, by the check of its
// family at the point (which knows whether runs differ), whatever the runs before left behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "correctness/check.h"
#include "correctness/harness/kernels/stage_name.h"

namespace ratchet {
namespace {

/// Small enough for a hundred runs: a 64th of what is timed.
Parameters small(const Stage& stage) {
  Parameters parameters = stage.defaults();
  const std::string& size = stage.info().size;
  if (size.empty()) return parameters;
  for (const Parameter& parameter : parameters.all())
    if (parameter.name == size)
      return Parameters(parameters)
          .set(size, std::max({parameter.value / 64, parameter.min, std::uint64_t{1}}));
  return parameters;
}

class Runs : public testing::TestWithParam<const Stage*> {};

TEST_P(Runs, EachIsRight) {
  const Stage& stage = *GetParam();
  const Availability available = stage.availability();
  if (!available.ok) GTEST_SKIP() << stage.info().name << ": " << available.reason;
  const Parameters parameters = small(stage);
  const auto instance = stage.prepare(parameters);
  int runs = 0;
  for (const int wanted : {1, 2, 100}) {
    for (; runs < wanted; ++runs) instance->run();
    instance->wait();
    const PointResult result = check_point({stage, parameters, *instance, "", 0, wanted == 1, 0.1});
    EXPECT_EQ(result.state, PointState::right) << "run " << wanted << ": " << result.detail;
  }
}

INSTANTIATE_TEST_SUITE_P(Stages, Runs, testing::ValuesIn(registry()), stage_name);

}  // namespace
}  // namespace ratchet
