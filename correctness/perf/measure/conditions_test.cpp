// What the machine did beside a row: the load of others, and the clock.
#include "perf/measure/timers/conditions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "perf/support/machine/nvml.h"

namespace ratchet::timing {
namespace {

TEST(Conditions, LoadIsWhatOthersUsedAndStealWhatNobodyGot) {
  const double cpus = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  CpuTimes before, after;
  // Ten seconds of all CPUs: this process one CPU, others half of one, a tenth stolen.
  after.busy_s = 15;
  after.steal_s = cpus;
  after.idle_s = 10 * cpus - 15 - cpus;
  const Conditions found = between(before, after, 10);
  EXPECT_NEAR(found.load.value(), 0.5, 1e-9);
  EXPECT_NEAR(found.steal_percent.value(), 10, 1e-9);
  EXPECT_DOUBLE_EQ(between(before, after, 16).load.value(), 0);  // the tick is coarse: never < 0
  EXPECT_FALSE(between(before, before, 0).load);                 // shorter than a tick
}

TEST(Conditions, TheClockIsThatOfAProcessor) {
  const double mhz = estimate_cpu_mhz();
  EXPECT_GT(mhz, 100);
  EXPECT_LT(mhz, 10000);
}

TEST(Conditions, AWatchOnACpuRowKnowsClockAndLoadButNoGpu) {
  ConditionsWatch watch(Backend::cpu);
  watch.look();
  const Conditions found = watch.end();
  EXPECT_TRUE(found.cpu_mhz);
  EXPECT_FALSE(found.gpu_others);
  EXPECT_FALSE(found.gpu_throttle_reasons);
}

TEST(Conditions, WithoutADriverTheGpuIsUnknown) {
  const Nvml nvml;
  if (!nvml.devices().empty()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_FALSE(nvml.driver());
  EXPECT_FALSE(nvml.device("0000:00:00.0"));
  EXPECT_FALSE(nvml.cuda_version());
}

}  // namespace
}  // namespace ratchet::timing
