// Tests of the stages of every family at the configurations that are timed, by the family's own
// in-situ check. It is a part of each family's program, whose stages are those of the registry.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <string>

#include "correctness/support/expect_results.h"
#include "correctness/support/paths.h"
#include "kernels/contract/check.h"
#include "kernels/support/ranks/part.h"

namespace ratchet::correctness {

/// A stage that this machine cannot run is skipped by name with the reason.
class Point : public testing::TestWithParam<const Stage*> {
 protected:
  void SetUp() override {
    const Availability available = stage().availability();
    if (!available.ok) GTEST_SKIP() << stage().info().name << ": " << available.reason;
  }
  const Stage& stage() const { return *GetParam(); }
  /// A run as the timers make it, which call reset() before each.
  static void as_timed(Instance& instance) {
    instance.reset();
    instance.run();
    instance.wait();
  }
  static double cpu_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  /// Small enough for a hundred runs: a 64th of what is timed.
  Parameters small() const {
    const std::string& size = stage().info().size;
    Parameters parameters = stage().defaults();
    for (const Parameter& parameter : stage().info().parameters)
      if (parameter.name == size)
        parameters.set(size, std::max({parameter.value / 64, parameter.min, std::uint64_t{1}}));
    return parameters;
  }
};

// The first run of an instance, the second and the hundredth are right, whatever the runs before
// left behind. They differ from each other where the family says so.
TEST_P(Point, EveryRunIsRight) {
  const Parameters parameters = small();
  const auto instance = stage().prepare(parameters);
  int runs = 0;
  for (const int wanted : {1, 2, 100}) {
    for (; runs < wanted; ++runs) as_timed(*instance);
    const InSituResult result =
        check_in_situ({stage(), parameters, *instance, "", 0, wanted == 1, 0.1, true});
    EXPECT_EQ(result.state, InSituState::right) << "run " << wanted << ": " << result.detail;
  }
}

// What finds its result there already, and returns, gives the right one. On a GPU the process's
// time does not tell; nor on several, where the first run also sets NCCL up.
TEST_P(Point, LaterRunsWorkToo) {
  if (!computes_on_cpu(stage()) || ranks::takes_gpus(stage())) GTEST_SKIP() << "not on a CPU";
  const auto instance = stage().prepare(small());
  const auto run_s = [&] {
    instance->reset();
    const double begin = cpu_seconds();
    instance->run();
    instance->wait();
    return cpu_seconds() - begin;
  };
  const double first = run_s(), second = run_s(), third = run_s();
  EXPECT_GT(second, first / 20);
  EXPECT_GT(third, first / 20);
}

// What a run says that it does, where its number is no number of 32 bits; nothing is run.
TEST_P(Point, UnitsGoBeyond32Bits) {
  constexpr std::uint64_t kMany = (std::uint64_t{1} << 32) + 12'345;
  if (!computes_on_cpu(stage())) GTEST_SKIP() << "not on a CPU";
  Parameters parameters = stage().defaults();
  bool fits = false;
  for (const Parameter& parameter : stage().info().parameters)
    fits |= parameter.name == stage().info().size && parameter.max >= 2 * kMany;
  if (!fits) GTEST_SKIP() << "no run is so large";
  EXPECT_EQ(stage().prepare(parameters.set(stage().info().size, kMany))->units(), kMany);
}

// The very call that is timed, at its own size.
TEST_P(Point, TheTimedRunIsRight) {
  const Parameters parameters = stage().defaults();
  const auto instance = stage().prepare(parameters);
  for (const bool first : {true, false}) {
    as_timed(*instance);
    const InSituResult result =
        check_in_situ({stage(), parameters, *instance, "", 0, first, 1, true});
    EXPECT_EQ(result.state, InSituState::right) << result.detail;
  }
}

INSTANTIATE_TEST_SUITE_P(Stages, Point, testing::ValuesIn(registry()), stage_name);

}  // namespace ratchet::correctness
