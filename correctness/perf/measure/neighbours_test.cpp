// Contended samples and the control workload, on golden sequences and an injected clock.
#include <gtest/gtest.h>

#include "correctness/perf/measure/fixture.h"
#include "perf/measure/workloads/control_workload.h"

namespace ratchet::timing {
namespace {

/// Every `every`th run is contended, and takes twice as long for it.
Measurement measure_preempted(FakeTime& time, int every, Plan plan, int* runs = nullptr) {
  int count = 0;
  plan.warm_up = false;
  const auto take = [&] {
    const bool contended = ++count % every == 0;
    Sample result = sample(contended ? 0.02 : 0.01 * jitter(count, 0.004));
    result.preemptions = contended ? 2 : 0;
    time.now_s += result.seconds;
    return result;
  };
  const Measurement result = measure(take, plan, time.clock());
  if (runs) *runs = count;
  return result;
}

TEST(Preemption, ContendedSamplesAreRepeated) {
  FakeTime time;
  Plan plan = plan_for(Backend::cpu);
  plan.stopping.min_samples = 20;
  int runs = 0;
  const Measurement result = measure_preempted(time, 3, plan, &runs);
  EXPECT_EQ(result.stop, StopReason::precision);
  EXPECT_EQ(result.samples.size(), 20u);
  EXPECT_EQ(result.preempted, 9u);  // runs 3, 6, ... 27 of 29
  EXPECT_EQ(runs, 29);
  EXPECT_FALSE(result.preempted_kept);
  EXPECT_EQ(result.reasons().find("PREEMPTED"), std::string::npos);
  for (const Sample& each : result.samples) EXPECT_LT(each.seconds, 0.015);
}

TEST(Preemption, AlwaysContendedIsKeptAndFlaggedWithinTheBudget) {
  FakeTime time;
  Plan plan = plan_for(Backend::cpu);
  plan.stopping.budget_s = 0.49;
  const Measurement result = measure_preempted(time, 1, plan);
  EXPECT_EQ(result.samples.size(), 25u);
  EXPECT_EQ(result.preempted, 25u);
  EXPECT_TRUE(result.preempted_kept);
  EXPECT_EQ(result.stop, StopReason::budget);
  EXPECT_NE(result.reasons().find("PREEMPTED"), std::string::npos);
  EXPECT_LT(time.now_s - 100, 0.53);
}

TEST(Preemption, ContendedSamplesCountAgainstTheMostSamplesToo) {
  FakeTime time;
  Plan plan = plan_for(Backend::cpu);
  plan.stopping.budget_s = 1e9;
  plan.stopping.max_samples = 40;
  EXPECT_EQ(measure_preempted(time, 1, plan).samples.size(), 40u);
}

TEST(Preemption, AFewCleanSamplesStandAloneAndFewerDoNot) {
  const std::vector<Sample> disturbed(10, sample(0.02));
  PreemptionRule rule;
  EXPECT_EQ(settle_preempted({3, sample(0.01)}, disturbed, rule).samples.size(), 3u);
  EXPECT_EQ(settle_preempted({2, sample(0.01)}, disturbed, rule).samples.size(), 12u);
  EXPECT_TRUE(settle_preempted({2, sample(0.01)}, disturbed, rule).kept_disturbed);
  // One of two: half of all is enough.
  EXPECT_EQ(settle_preempted({sample(0.01)}, {sample(0.02)}, rule).samples.size(), 1u);
  EXPECT_TRUE(settle_preempted({}, {}, rule).samples.empty());
}

TEST(Preemption, WithoutTheRuleSamplesAreKeptButCounted) {
  FakeTime time;
  Plan plan = plan_for(Backend::cpu);
  plan.preemption.repeat = false;
  plan.stopping.max_samples = 12;
  plan.stopping.precision = 1e-9;
  const Measurement result = measure_preempted(time, 3, plan);
  EXPECT_EQ(result.samples.size(), 12u);
  EXPECT_EQ(result.preempted, 4u);
  EXPECT_TRUE(result.preempted_kept);
}

TEST(Preemption, TheKernelsCountIsReadPerThread) {
  const std::uint64_t before = involuntary_switches(Watched::thread);
  EXPECT_GE(involuntary_switches(Watched::thread), before);
  EXPECT_GE(involuntary_switches(Watched::process), before);
  EXPECT_FALSE(plan_for(Backend::cuda).preemption.repeat);
  EXPECT_TRUE(plan_for(Backend::cpu).preemption.repeat);
}

TEST(Reference, RunsForItsShareOfTheSamplesTime) {
  ReferenceMeter meter([] { return sample(0.0005); }, 0.1);
  for (int i = 0; i < 1000; ++i) meter.after(0.001);  // one second of samples
  EXPECT_EQ(meter.passes(), 200u);
  EXPECT_DOUBLE_EQ(meter.per_second(), 2000);
}

TEST(Reference, RunsAtLeastOnceAndNotForEverInOneGap) {
  ReferenceMeter meter([] { return sample(0.0005); }, 0.1);
  EXPECT_EQ(meter.per_second(), 0);
  meter.after(1e-6);
  EXPECT_EQ(meter.passes(), 1u);
  meter.after(60);
  EXPECT_EQ(meter.passes(), 21u);
  meter.after(0.001);  // what the long gap did not get is not owed
  EXPECT_EQ(meter.passes(), 22u);
}

TEST(Reference, AShortRowHasAFewPassesAllTheSame) {
  ReferenceMeter meter([] { return sample(0.0005); });
  meter.after(1e-6);
  meter.finish(5);
  EXPECT_EQ(meter.passes(), 5u);
  meter.after(1);  // 0.1 s owed, less the four passes ahead
  EXPECT_EQ(meter.passes(), 25u);
  meter.finish(5);
  EXPECT_EQ(meter.passes(), 25u);
}

TEST(Reference, IsTheLowerQuartileOfTheUndisturbedPasses) {
  int count = 0;
  ReferenceMeter meter([&] {
    Sample pass = sample(++count % 3 ? 0.001 * count : 9);
    pass.preemptions = count % 3 ? 0 : 1;
    return pass;
  });
  for (int i = 0; i < 6; ++i) meter.after(100);
  // The quartile of 1, 2, 4, 5, ... 20 ms; with the contended third it would be another.
  EXPECT_NEAR(meter.per_second(), 1 / 0.0055, 1e-6);
  count = 0;
  ReferenceMeter few([&] { return sample(0.001 * ++count); }, 1e-9);
  few.after(1);
  EXPECT_DOUBLE_EQ(few.per_second(), 1000);
}

TEST(Reference, ItsWorkBelongsToItsVersion) {
  // Another checksum is another workload: raise kControlVersion, then renew the figure.
  ControlWorkload workload;
  workload.run();
  EXPECT_EQ(kControlVersion, 1);
  EXPECT_EQ(workload.checksum(), 3205457068194442633u);
  const Sample pass = workload.time();
  EXPECT_GT(pass.seconds, 20e-6);
  EXPECT_EQ(workload.checksum(), 2 * 3205457068194442633u);
}

}  // namespace
}  // namespace ratchet::timing
