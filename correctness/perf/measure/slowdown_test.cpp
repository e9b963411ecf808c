// Injected slowdowns: how long the slowdown is made, on timers that tell what they are told.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "correctness/perf/measure/fixture.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/measure/workloads/slowed_instance.h"
#include "perf/support/error.h"

namespace ratchet::timing {
namespace {

/// A run of a fixed length.
struct TimedStage : Instance {
  explicit TimedStage(double seconds) : seconds(seconds) {}
  void run() override { ++runs; }
  std::uint64_t units() const override { return 7; }
  double seconds;
  int runs = 0;
};

struct FakeSlowdown : InjectedSlowdown {
  void run() override {}
  void set_iterations(std::uint64_t count) override { iterations = count; }
  std::uint64_t iterations = 0;
};

/// 1 ns an iteration and `fixed` a slowdown. Every `every`th run takes ten times as long; `seen`:
/// and is known to have been contended.
class FakeTimer final : public Timer {
 public:
  explicit FakeTimer(double fixed, int every = 10, bool seen = false)
      : fixed_(fixed), every_(every), seen_(seen) {}
  Sample time_run(Instance& instance) override {
    Sample sample;
    if (auto* stage = dynamic_cast<TimedStage*>(&instance)) sample.seconds = stage->seconds;
    if (auto* slowdown = dynamic_cast<FakeSlowdown*>(&instance))
      sample.seconds = fixed_ + 1e-9 * static_cast<double>(slowdown->iterations);
    if (++runs_ % every_ == 0) {
      sample.seconds *= 10;
      sample.preemptions = seen_;
    }
    return sample;
  }
  TimerKind kind() const override { return TimerKind::wall; }

 private:
  double fixed_;
  int every_;
  bool seen_;
  int runs_ = 0;
};

TEST(Slowdown, TheInjectedSlowdownTakesTheShareAskedFor) {
  for (const double share : {0.005, 0.02, 0.1, 1.0}) {
    FakeTimer timer(3e-8);
    TimedStage stage(2e-3);
    FakeSlowdown slowdown;
    const double iterations = static_cast<double>(calibrate(timer, stage, slowdown, share, false));
    EXPECT_NEAR(1e-9 * iterations, share * 2e-3, 1e-3 * share * 2e-3) << share;
  }
}

TEST(Slowdown, RunsKnownToBeContendedDoNotCount) {
  FakeTimer timer(3e-8, 2, true);
  TimedStage stage(2e-3);
  FakeSlowdown slowdown;
  // Every second run: interleaved of three, half of the stage's, more than a median bears.
  const double iterations = static_cast<double>(calibrate(timer, stage, slowdown, 0.1, false));
  EXPECT_NEAR(1e-9 * iterations, 2e-4, 1e-6);
}

/// Others hold up the first run, of a few iterations, of which this clock tells nothing.
class HeldUpTimer final : public Timer {
 public:
  Sample time_run(Instance& instance) override {
    Sample sample;
    if (auto* stage = dynamic_cast<TimedStage*>(&instance)) sample.seconds = stage->seconds;
    if (auto* slowdown = dynamic_cast<FakeSlowdown*>(&instance)) {
      sample.seconds = std::max(1e-6, 1e-9 * static_cast<double>(slowdown->iterations));
      if (!held_up_) sample.seconds = 0.1;
      held_up_ = true;
    }
    return sample;
  }
  TimerKind kind() const override { return TimerKind::wall; }

 private:
  bool held_up_ = false;
};

TEST(Slowdown, ARunHeldUpDoesNotEndTheSearchForAProbe) {
  HeldUpTimer timer;
  TimedStage stage(2e-3);
  FakeSlowdown slowdown;
  const double iterations = static_cast<double>(calibrate(timer, stage, slowdown, 0.5, false));
  EXPECT_NEAR(1e-9 * iterations, 1e-3, 2e-5);
}

TEST(Slowdown, AKernelsFixedCostIsPartOfTheShare) {
  FakeTimer timer(2e-6);
  TimedStage stage(1e-3);
  FakeSlowdown slowdown;
  const double iterations = static_cast<double>(calibrate(timer, stage, slowdown, 0.01, true));
  EXPECT_NEAR(2e-6 + 1e-9 * iterations, 1e-5, 1e-8);
}

TEST(Slowdown, AShareBelowAnEmptyKernelIsRefusedWithBothTimes) {
  FakeTimer timer(2e-6);
  TimedStage stage(100e-6);
  FakeSlowdown slowdown;
  const std::string text = error_of([&] { calibrate(timer, stage, slowdown, 0.01, true); });
  for (const char* part : {"0.01", "100 us", "1 us", "2 us"}) EXPECT_HAS(text, part);
}

/// Real work: some 0.2 ms of dependent arithmetic.
struct RealStage : Instance {
  void run() override {
    for (int i = 0; i < 200'000; ++i) {
      x = x * 3 + 1;
      asm volatile("" : "+r"(x));
    }
  }
  std::uint64_t units() const override { return 7; }
  std::uint64_t x = 1;
};

/// The ratio of the fastest runs of a stage and of itself, slowed by one calibration.
double slowed_ratio(Timer& timer, double share) {
  const auto slowed =
      slow_down([] { return std::make_unique<RealStage>(); }, Backend::cpu, share, timer);
  EXPECT_EQ(slowed->units(), 7u);
  RealStage plain;
  double before = 1, after = 1;
  for (int i = 0; i < 100; ++i) {
    before = std::min(before, timer.time(plain).seconds);
    after = std::min(after, timer.time(*slowed).seconds);
  }
  return after / before;
}

TEST(Slowdown, ARealStageTakesLongerByAboutTheShare) {
  // That it is real work, and not many times the share. The exact share is held above, by timers
  // that tell what they are told: a busy second thread of the core moves this one several times.
  const auto timer = make_timer(Backend::cpu);
  const double ratio = median_of_disturbed([&] { return slowed_ratio(*timer, 0.5); }, 1.1, 5);
  EXPECT_GT(ratio, 1.1);
  EXPECT_LT(ratio, 5);
}

TEST(Slowdown, WhatIsTimedBeginsWithItsFirstRun) {
  // Where a run draws its work anew, the other side of a comparison begins with the first, too.
  int prepared = 0;
  TimedStage* last = nullptr;
  const auto prepare = [&] {
    auto stage = std::make_unique<TimedStage>(0);
    ++prepared;
    last = stage.get();
    return stage;
  };
  const auto slowed = slow_down(prepare, Backend::cpu, 0.5, *make_timer(Backend::cpu));
  EXPECT_EQ(prepared, 2);  // one to be run for the calibration, one to be timed
  EXPECT_EQ(last->runs, 0);
  slowed->run();
  EXPECT_EQ(last->runs, 1);
}

}  // namespace
}  // namespace ratchet::timing
