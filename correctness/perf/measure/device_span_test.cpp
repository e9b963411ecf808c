// What one rank's activity records say of its run. No GPU.
#include "perf/measure/timers/device_span.h"

#include <gtest/gtest.h>

#include <string>

namespace ratchet::timing {
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
