// What the machine did beside a row: the load of others, and the clock.

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "perf/measure/timers/activity.h"
#include "perf/measure/timers/conditions.h"
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

// What one rank's activity records say of its run. No GPU.

namespace {

Activity of_device(std::uint64_t begin, std::uint64_t end, const std::string& name = "kernel",
                   Activity::Kind kind = Activity::Kind::kernel, std::uint64_t external = 0) {
  Activity made;
  made.kind = kind;
  made.begin_ns = begin;
  made.end_ns = end;
  made.external = external;
  made.name = name;
  return made;
}

TEST(DeviceSpan, IsFromTheBarrierToTheLastEnd) {
  const auto span = device_span({of_device(1500, 1900), of_device(1200, 1400)}, 1000);
  EXPECT_DOUBLE_EQ(span.end_s, 900e-9);
  EXPECT_DOUBLE_EQ(span.work_s, 600e-9);
  EXPECT_EQ(span.communication_s, 0);
  EXPECT_EQ(span.sm_clock_mhz, 0);
}

/// What runs at once on one GPU is work twice, and in the span once.
TEST(DeviceSpan, AddsUpWhatOverlaps) {
  const auto span = device_span({of_device(1000, 3000), of_device(2000, 4000)}, 1000);
  EXPECT_DOUBLE_EQ(span.end_s, 3000e-9);
  EXPECT_DOUBLE_EQ(span.work_s, 4000e-9);
}

TEST(DeviceSpan, CountsTransfersAndNoCalls) {
  const auto span =
      device_span({of_device(1100, 1300, "", Activity::Kind::transfer),
                   of_device(1000, 9000, "cudaLaunchKernel", Activity::Kind::runtime_call),
                   of_device(1000, 9000, "cuLaunchKernel", Activity::Kind::driver_call)},
                  1000);
  EXPECT_DOUBLE_EQ(span.end_s, 300e-9);
  EXPECT_DOUBLE_EQ(span.work_s, 200e-9);
}

/// NCCL launches from threads of its own, whatever id they have.
TEST(DeviceSpan, CommunicationIsWhatNcclNames) {
  const auto span = device_span(
      {of_device(1000, 1400, "step"),
       of_device(1400, 1500, "ncclDevKernel_AllReduce_Sum_u64(ncclDevKernelArgsStorage<4096>)"),
       of_device(1450, 1650, "ncclDevKernel_SendRecv", Activity::Kind::kernel, 77)},
      1000);
  EXPECT_DOUBLE_EQ(span.communication_s, 300e-9);
  EXPECT_DOUBLE_EQ(span.work_s, 700e-9);
  EXPECT_DOUBLE_EQ(span.end_s, 650e-9);
}

/// The readings of the clock, which the harness launches around a run.
TEST(DeviceSpan, TheHarnessOwnIsNobodysTime) {
  const auto span = device_span(
      {of_device(1000, 1100), of_device(1100, 5000, "clock", Activity::Kind::kernel, kHarnessId)},
      1000);
  EXPECT_DOUBLE_EQ(span.end_s, 100e-9);
  EXPECT_DOUBLE_EQ(span.work_s, 100e-9);
}

TEST(DeviceSpan, OfNothingIsNothing) {
  const auto span = device_span({}, 1000);
  EXPECT_EQ(span.end_s, 0);
  EXPECT_EQ(span.work_s, 0);
}

}  // namespace

}  // namespace ratchet::timing
