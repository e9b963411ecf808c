// Warm-up, stopping and throttling, on golden sequences of samples and an injected clock.
#include "perf/measure/sampling/measure.h"

#include <gtest/gtest.h>

#include "correctness/perf/measure/fixture.h"

namespace ratchet::timing {
namespace {

struct Warmed {
  int runs = 0;
  double seconds = 0;
  WarmupEnd end = WarmupEnd::running;
};

/// Warms up by runs that are 0.01 s apart and give `sample_of(run)`, run 0 first.
template <class SampleOf>
Warmed warmed(double cap_s, SampleOf sample_of) {
  WarmupRule rule;
  rule.cap_s = cap_s;
  Warmup warmup(rule, 0);
  Warmed done;
  for (; done.end == WarmupEnd::running; ++done.runs)
    done.end = warmup.add(sample_of(done.runs), done.seconds += 0.01);
  return done;
}

TEST(WarmupTest, SteadyFromTheStartNeedsAFullWindow) {
  WarmupRule rule;
  rule.min_samples = 6;
  rule.window_s = 0.03;
  Warmup warmup(rule, 0);
  double now = 0;
  for (int i = 1; i < 6; ++i) EXPECT_EQ(warmup.add(sample(0.01), now += 0.01), WarmupEnd::running);
  EXPECT_EQ(warmup.add(sample(0.01), now += 0.01), WarmupEnd::steady);
}

TEST(WarmupTest, MicrosecondRunsMustFillTheWindowOfTime) {
  WarmupRule rule;
  rule.window_s = 0.03;
  Warmup warmup(rule, 0);
  double now = 0;
  while (warmup.add(sample(5e-6), now += 1e-5) == WarmupEnd::running) ASSERT_LT(now, 1);
  EXPECT_NEAR(now, 0.03, 1e-4);
  EXPECT_GT(warmup.samples(), 2000u);
}

TEST(WarmupTest, WaitsWhileTheTimeDrifts) {
  // 20 % too slow at first, as from a cold clock, and right from the 41st run on.
  const Warmed done = warmed(10, [](int i) { return sample(i < 40 ? 0.012 - 5e-5 * i : 0.01); });
  EXPECT_EQ(done.end, WarmupEnd::steady);
  EXPECT_GE(done.runs, 42);
  EXPECT_LE(done.runs, 50);
}

TEST(WarmupTest, ASlowDriftIsNoSteadyTimeHoweverSmallItsScatter) {
  // 0.15 % a run: a window scatters by half of what is allowed, but its halves disagree.
  EXPECT_GE(warmed(10, [](int i) { return sample(i < 40 ? 0.0106 - 1.5e-5 * i : 0.01); }).runs, 41);
}

TEST(WarmupTest, ScatterWithoutTrendIsNotSteadyEither) {
  // Every half window of three has the same median.
  EXPECT_EQ(warmed(1, [](int i) { return sample(0.0095 + 0.0005 * (i % 3)); }).end,
            WarmupEnd::time_cap);
}

TEST(WarmupTest, WaitsWhileTheClockClimbsThoughTheTimeStands) {
  // A memory-bound stage: its time does not show the SM clock, which matters to the next one.
  EXPECT_GE(warmed(10, [](int i) { return sample(0.01, i < 30 ? 600 + 46.0 * i : 1980); }).runs,
            31);
}

TEST(WarmupTest, GivesUpAtTheCapWhenNoiseNeverEnds) {
  const Warmed done = warmed(0.5, [](int i) { return sample(0.01 * jitter(i, 0.3)); });
  EXPECT_EQ(done.end, WarmupEnd::time_cap);
  EXPECT_NEAR(done.seconds, 0.5, 0.011);
}

TEST(StoppingTest, StopsAtPrecisionOnceThereAreEnoughSamples) {
  StoppingRule rule;
  Stopping stopping(rule, 0);
  double now = 0;
  for (int i = 0; i < 9; ++i) EXPECT_EQ(stopping.add(0.01, now += 0.01), StopReason::running);
  EXPECT_EQ(stopping.add(0.01, now += 0.01), StopReason::precision);
}

TEST(StoppingTest, NoiseTakesMoreSamples) {
  StoppingRule rule;
  rule.precision = 0.002;
  rule.budget_s = 1e9;
  Stopping stopping(rule, 0);
  int taken = 0;
  StopReason reason = StopReason::running;
  for (; reason == StopReason::running; ++taken)
    reason = stopping.add(0.01 * jitter(taken, 0.01), 0.01 * taken);
  EXPECT_EQ(reason, StopReason::precision);
  EXPECT_GT(taken, 50);
  EXPECT_LE(*stopping.relative_half_width(), rule.precision);
}

TEST(StoppingTest, StopsWhenTheQuantileThatIsReportedIsKnown) {
  // Every other sample lengthened by a neighbour: that leaves the lower quartile alone, and the
  // median in the gap.
  const auto ended = [](double quantile) {
    StoppingRule rule;
    rule.quantile = quantile;
    rule.precision = 0.01;
    rule.max_samples = 100;
    rule.budget_s = 1e9;
    Stopping stopping(rule, 0);
    StopReason reason = StopReason::running;
    for (int i = 0; reason == StopReason::running; ++i)
      reason = stopping.add(0.01 * jitter(i, 0.005) * (i % 2 ? 1.5 : 1), 0);
    return reason;
  };
  EXPECT_EQ(ended(0.25), StopReason::precision);
  EXPECT_EQ(ended(0.5), StopReason::samples);
  EXPECT_EQ(plan_for(Backend::cpu).stopping.quantile, 0.25);
}

/// Of six samples the interval of the median is all of them.
TEST(StoppingTest, TheHalfWidthIsThatOfTheWiderSide) {
  const double outermost[][2] = {{0.5, 1.01}, {0.99, 1.5}};
  for (const auto& [least, most] : outermost) {
    StoppingRule rule;
    rule.quantile = 0.5;
    Stopping stopping(rule, 0);
    for (const double seconds : {least, 1.0, 1.0, 1.0, 1.0, most}) stopping.add(seconds, 0);
    EXPECT_NEAR(stopping.relative_half_width().value(), 0.5, 1e-12);
  }
}

TEST(StoppingTest, TooFewSamplesForAnIntervalAreNotPrecise) {
  StoppingRule rule;
  rule.min_samples = 2;
  Stopping stopping(rule, 0);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(stopping.add(0.01, 0), StopReason::running);
  EXPECT_EQ(stopping.add(0.01, 0), StopReason::precision);
}

TEST(StoppingTest, BudgetAndSampleCount) {
  StoppingRule rule;
  rule.budget_s = 1;
  Stopping by_budget(rule, 5);
  EXPECT_EQ(by_budget.add(0.6, 5.6), StopReason::running);
  EXPECT_EQ(by_budget.add(0.7, 6.3), StopReason::budget);
  rule.max_samples = 3;
  Stopping by_count(rule, 0);
  by_count.add(1, 0);
  by_count.add(2, 0);
  EXPECT_EQ(by_count.add(3, 0), StopReason::samples);
}

TEST(MeasureTest, SteadyEndsByPrecisionAndKeepsWarmupOut) {
  FakeTime time;
  int runs = 0;
  const auto take = [&] {
    time.now_s += 0.01;
    const double seconds = runs < 10 ? 0.02 - 0.001 * runs : 0.01;
    ++runs;
    return sample(seconds, 1980);
  };
  const Measurement result = measure(take, plan_for(Backend::cuda), time.clock());
  EXPECT_EQ(result.warmup_end, WarmupEnd::steady);
  EXPECT_EQ(result.stop, StopReason::precision);
  EXPECT_FALSE(result.throttled);
  for (const Sample& each : result.samples) EXPECT_DOUBLE_EQ(each.seconds, 0.01);
  EXPECT_EQ(result.warmup_samples + result.samples.size(), static_cast<std::size_t>(runs));
}

TEST(MeasureTest, AtLeastOneSampleHoweverLongARunTakes) {
  FakeTime time;
  const auto take = [&] {
    time.now_s += 60;
    return sample(60);
  };
  const Measurement result = measure(take, plan_for(Backend::opencl), time.clock());
  EXPECT_EQ(result.warmup_samples, 1u);
  EXPECT_EQ(result.samples.size(), 1u);
  EXPECT_EQ(result.stop, StopReason::budget);
}

/// Of a stage on CPUs alone: a run of a second that is the whole measurement anyway.
TEST(MeasureTest, OneLongRunWarmsItself) {
  FakeTime time;
  double run_s = 0;
  int told = 0;
  const auto measured = [&](double seconds, double budget_s) {
    run_s = seconds;
    told = 0;
    Plan plan = plan_for(Backend::cpu);
    plan.stopping.budget_s = plan.warmup.cap_s = budget_s;
    return measure(
        [&] {
          time.now_s += run_s;
          return sample(run_s);
        },
        plan, time.clock(), 0, [&](const Sample&) { ++told; });
  };
  const Measurement one = measured(1.5, 0.05);
  EXPECT_EQ(one.warmup_end, WarmupEnd::one_run);
  EXPECT_EQ(one.warmup_samples, 0u);
  ASSERT_EQ(one.samples.size(), 1u);
  EXPECT_DOUBLE_EQ(one.samples.front().seconds, 1.5);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(measured(0.9, 0.05).warmup_samples, 1u);  // a cold start is a share of it
  EXPECT_GT(measured(1.5, 4).warmup_samples, 0u);     // there is time for several
}

TEST(MeasureTest, ARunThatIsLongAfterAnotherWarmsUp) {
  FakeTime time;
  int runs = 0;
  Plan plan = plan_for(Backend::cpu);
  plan.stopping.budget_s = plan.warmup.cap_s = 0.05;
  const auto take = [&] {
    const double seconds = ++runs == 2 ? 1.5 : 0.01;  // others held the CPU during the second
    time.now_s += seconds;
    return sample(seconds);
  };
  const Measurement result = measure(take, plan, time.clock());
  EXPECT_EQ(result.warmup_samples, 2u);
  for (const Sample& each : result.samples) EXPECT_DOUBLE_EQ(each.seconds, 0.01);
}

TEST(MeasureTest, WithoutWarmUpForProfilers) {
  FakeTime time;
  int runs = 0;
  Plan plan = plan_for(Backend::cuda);
  plan.warm_up = false;
  plan.stopping.max_samples = 3;
  const Measurement result = measure(
      [&] {
        ++runs;
        return sample(0.01);
      },
      plan, time.clock());
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(result.warmup_end, WarmupEnd::skipped);
}

TEST(MeasureTest, ThrottledSamplesAreRepeatedAfterAPause) {
  FakeTime time;
  int runs = 0;
  const auto take = [&] {
    time.now_s += 0.01;
    ++runs;
    const bool hot = runs > 30 && runs <= 33;  // three runs at half the clock
    return hot ? sample(0.02, 990) : sample(0.01 * jitter(runs, 0.004), 1980);
  };
  Plan plan = plan_for(Backend::cuda);
  plan.stopping.min_samples = 40;
  plan.stopping.budget_s = 10;
  const Measurement result = measure(take, plan, time.clock());
  EXPECT_EQ(result.discarded, 3u);
  EXPECT_EQ(time.sleeps, 3);
  EXPECT_GT(time.slept_s, 3 * plan.throttle.pause_s);  // each pause is longer
  EXPECT_FALSE(result.throttled);
  for (const Sample& each : result.samples) EXPECT_LT(each.seconds, 0.015);
}

TEST(MeasureTest, AlwaysThrottledIsFlaggedAndNeverEmpty) {
  for (const double budget_s : {0.2, 60.0}) {  // the budget ends first; the repeats end first
    FakeTime time;
    const auto take = [&] {
      time.now_s += 0.01;
      return sample(0.02, 990);
    };
    Plan plan = plan_for(Backend::cuda);
    plan.stopping.budget_s = plan.warmup.cap_s = budget_s;
    const Measurement result = measure(take, plan, time.clock(), 1980);
    ASSERT_FALSE(result.samples.empty());
    EXPECT_TRUE(result.throttled);
    EXPECT_TRUE(result.samples.front().throttled);
    EXPECT_LE(time.sleeps, static_cast<int>(plan.throttle.max_repeats));
    EXPECT_LT(time.now_s - 100, budget_s < 1 ? 1 : 12);  // 0.06 s of it warm-up
  }
}

TEST(MeasureTest, SamplesThatALaterClockShowsThrottledAreDropped) {
  FakeTime time;
  int runs = 0;
  Plan plan = plan_for(Backend::cuda);
  plan.warm_up = false;
  plan.stopping.max_samples = 8;
  plan.stopping.min_samples = 100;
  const auto take = [&] { return ++runs <= 3 ? sample(0.02, 990) : sample(0.01, 1980); };
  const Measurement result = measure(take, plan, time.clock());
  EXPECT_EQ(result.samples.size(), 5u);
  EXPECT_EQ(result.discarded, 3u);
  EXPECT_DOUBLE_EQ(summarize(result.samples).seconds, 0.01);
}

TEST(MeasureTest, AnUnknownClockIsNeverThrottled) {
  ThrottleGuard guard({}, 1980);
  EXPECT_EQ(guard.judge(sample(1, 0)), ThrottleGuard::Verdict::keep);
}

TEST(MeasureTest, BetweenIsCalledAfterEverySamplePastWarmUp) {
  FakeTime time;
  std::size_t calls = 0;
  const auto take = [&] {
    time.now_s += 0.01;
    return sample(0.01);
  };
  const Measurement result =
      measure(take, plan_for(Backend::cpu), time.clock(), 0, [&](const Sample&) { ++calls; });
  EXPECT_GT(result.warmup_samples, 0u);
  EXPECT_EQ(calls, result.samples.size());
}

TEST(Summary, IsMedians) {
  std::vector<Sample> samples;
  for (const double seconds : {5.0, 1.0, 2.0, 3.0, 4.0, 100.0, 3.0})
    samples.push_back(sample(seconds));
  const Summary summary = summarize(samples);
  EXPECT_DOUBLE_EQ(summary.seconds, 3);
  EXPECT_GT(summary.half_width, 1);  // seven samples: the interval is from one extreme to the other
}

}  // namespace
}  // namespace ratchet::timing
