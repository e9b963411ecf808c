// How runs of OpenCL stages are timed, on instances that report what they are told.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "correctness/perf/measure/fixture.h"
#include "perf/measure/timers/timer.h"
#include "perf/measure/workloads/slowed_instance.h"
#include "perf/support/error.h"

namespace ratchet::timing {
namespace {

/// Runs for 2 ms by the wall, and reports `device`.
struct FakeStage : Instance {
  explicit FakeStage(std::optional<DeviceTime> device) : device(device) {}
  void reset() override { ++resets; }
  void run() override {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(2)) continue;
  }
  void wait() override { waited = true; }
  std::uint64_t units() const override { return 7; }
  std::optional<DeviceTime> device_time() override {
    EXPECT_TRUE(waited);
    return device;
  }
  std::optional<DeviceTime> device;
  bool waited = false;
  int resets = 0;
};

class OpenclTimer : public testing::Test {
 protected:
  void SetUp() override { unsetenv("RATCHET_TIMER"); }
  void TearDown() override { unsetenv("RATCHET_TIMER"); }
};

TEST_F(OpenclTimer, TakesTheQueuesTimesAndNotTheWalls) {
  FakeStage stage(DeviceTime{3e-4, 5e-4, 11});
  const auto timer = make_timer(Backend::opencl);
  EXPECT_EQ(timer->kind(), TimerKind::opencl);
  const Sample sample = timer->time(stage);
  EXPECT_EQ(sample.seconds, 3e-4);
  EXPECT_EQ(sample.span_seconds, 5e-4);
  EXPECT_EQ(sample.kernels, 11u);
  EXPECT_GT(sample.cpu_seconds, 0);
  EXPECT_EQ(timer->kind(), TimerKind::opencl);
  EXPECT_EQ(stage.resets, 1);
}

TEST_F(OpenclTimer, FallsBackToTheWallAndSaysSo) {
  FakeStage silent(std::nullopt);
  const auto timer = make_timer(Backend::opencl);
  testing::internal::CaptureStderr();
  EXPECT_GE(timer->time(silent).seconds, 2e-3);
  timer->time(silent);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("timed by the wall clock"), said.npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_EQ(timer->kind(), TimerKind::wall);
  FakeStage telling(DeviceTime{3e-4, 5e-4, 11});  // the next row of the process
  EXPECT_EQ(timer->time(telling).seconds, 3e-4);
  EXPECT_EQ(timer->kind(), TimerKind::opencl);
}

TEST_F(OpenclTimer, TheEnvironmentForcesIt) {
  FakeStage silent(std::nullopt), telling(DeviceTime{3e-4, 5e-4, 11});
  setenv("RATCHET_TIMER", "opencl", 1);
  EXPECT_THROW(make_timer(Backend::opencl)->time(silent), Error);
  EXPECT_EQ(make_timer(Backend::opencl)->time(telling).seconds, 3e-4);
  EXPECT_EQ(make_timer(Backend::cpu)->kind(), TimerKind::wall);
  setenv("RATCHET_TIMER", "wall", 1);
  EXPECT_GE(make_timer(Backend::opencl)->time(telling).seconds, 2e-3);
  for (const char* of_cuda : {"cupti", "events"}) {
    setenv("RATCHET_TIMER", of_cuda, 1);
    EXPECT_EQ(make_timer(Backend::opencl)->time(telling).seconds, 3e-4);
  }
}

TEST_F(OpenclTimer, AnInjectedSlowdownCountsBesideTheQueuesTimes) {
  const auto timer = make_timer(Backend::opencl);
  const auto best_of_20 = [&] {
    const auto slowed = slow_down(
        [] {
          return std::make_unique<FakeStage>(DeviceTime{2e-3, 3e-3, 11});
        },
        Backend::opencl, 2, *timer);  // not 1, which squared is itself
    double best = 1;
    for (int i = 0; i < 20; ++i) {
      const Sample sample = timer->time(*slowed);
      EXPECT_NEAR(sample.span_seconds - sample.seconds, 1e-3, 1e-9);
      EXPECT_EQ(sample.kernels, 11u);
      best = std::min(best, sample.seconds);
    }
    return best;
  };
  const double best = median_of_disturbed(best_of_20, 2.3e-3, 30e-3);
  EXPECT_EQ(timer->kind(), TimerKind::opencl);
  // Three times the stage's 2e-3 on a quiet machine; without the slowdown's work exactly these.
  EXPECT_GT(best, 2.3e-3);
  EXPECT_LT(best, 30e-3);
  const auto silent = slow_down([] { return std::make_unique<FakeStage>(std::nullopt); },
                                Backend::opencl, 0.1, *make_timer(Backend::opencl));
  silent->run();
  silent->wait();
  EXPECT_FALSE(silent->device_time());
}

TEST_F(OpenclTimer, ADevicesTimeFeelsNoPreemption) {
  EXPECT_EQ(involuntary_switches(Watched::none), 0u);
}

}  // namespace
}  // namespace ratchet::timing
