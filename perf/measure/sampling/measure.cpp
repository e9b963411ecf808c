#include "perf/measure/sampling/measure.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "perf/stats/quantile.h"
#include "perf/support/clock.h"

namespace ratchet::timing {
namespace {

/// The first sample, if the first run counts as one.
std::optional<Sample> warm_up(const std::function<Sample()>& take, const Plan& plan,
                              const Clock& clock, ThrottleGuard& guard, Measurement& result) {
  const double start_s = clock.now();
  const double one_run_s = std::max(plan.warms_itself_s, plan.stopping.budget_s);
  Warmup warmup(plan.warmup, start_s);
  while (result.warmup_end == WarmupEnd::running) {
    const Sample sample = take();
    if (warmup.samples() == 0 && sample.seconds >= one_run_s) {
      result.warmup_end = WarmupEnd::one_run;
      return sample;
    }
    guard.observe(sample);
    result.warmup_end = warmup.add(sample, clock.now());
  }
  result.warmup_samples = warmup.samples();
  result.warmup_s = clock.now() - start_s;
  return std::nullopt;
}

/// Why sampling must end although the last sample was discarded.
StopReason without_result(const Stopping& stopping, const Plan& plan, std::size_t taken,
                          double now_s) {
  if (stopping.out_of_budget(now_s)) return StopReason::budget;
  return taken >= plan.stopping.max_samples ? StopReason::samples : StopReason::running;
}

void sample_until_known(const std::function<Sample()>& take, const Plan& plan, const Clock& clock,
                        double start_s, ThrottleGuard& guard, Measurement& result) {
  Stopping stopping(plan.stopping, start_s);
  std::vector<Sample> discarded, disturbed;
  while (result.stop == StopReason::running) {
    Sample sample = take();
    if (plan.preemption.repeat && sample.preemptions > 0) {
      disturbed.push_back(sample);
      result.stop =
          without_result(stopping, plan, result.samples.size() + disturbed.size(), clock.now());
      continue;
    }
    const ThrottleGuard::Verdict verdict = guard.judge(sample);
    sample.throttled = verdict != ThrottleGuard::Verdict::keep;
    if (verdict == ThrottleGuard::Verdict::repeat) {
      discarded.push_back(sample);
      clock.sleep(guard.pause_s());
      if (stopping.out_of_budget(clock.now())) result.stop = StopReason::budget;
      continue;
    }
    result.samples.push_back(sample);
    result.stop = stopping.add(sample.seconds, clock.now());
  }
  const auto kept_anyway =
      std::count_if(result.samples.begin(), result.samples.end(),
                    [](const Sample& sample) { return sample.preemptions > 0; });
  result.preempted = disturbed.size() + static_cast<std::size_t>(kept_anyway);
  Settled settled = settle_preempted(std::move(result.samples), disturbed, plan.preemption);
  result.samples = std::move(settled.samples);
  result.preempted_kept = settled.kept_disturbed || kept_anyway > 0;
  // Only throttled samples within the budget: they become the result, flagged.
  if (result.samples.empty()) result.samples.swap(discarded);
  result.discarded = discarded.size();
}

double quantile_of(const std::vector<Sample>& samples, double Sample::*member, double p) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(sample.*member);
  return stats::quantile(std::move(values), p);
}

}  // namespace

Clock real_clock() {
  return {seconds_now, [](double seconds) {
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
          }};
}

Plan plan_for(Backend backend) {
  Plan plan;
  if (backend == Backend::cuda) {
    plan.preemption.repeat = false;
    return plan;
  }
  // Other processes and the CPU's clock vary wall time by about one percent.
  plan.stopping.quantile = kCpuQuantile;
  plan.warmup.window_s = 0.1;
  plan.warmup.spread = 0.03;
  plan.warmup.trend = 0.01;
  plan.stopping.precision = 0.01;
  // With a GPU the first run may start drivers, which takes longer.
  if (backend == Backend::cpu) plan.warms_itself_s = kCpuWarmsItselfS;
  return plan;
}

std::string Measurement::reasons() const {
  if (slices > 0) return "interleaved";
  std::string text = "warm-up: " + std::string(to_string(warmup_end)) +
                     ", stopped by: " + std::string(to_string(stop));
  if (throttled) text += ", THROTTLED";
  if (preempted_kept) text += ", PREEMPTED";
  return text;
}

Measurement measure(const std::function<Sample()>& take, const Plan& plan, const Clock& clock,
                    double highest_mhz, const std::function<void(const Sample&)>& between,
                    const std::function<void()>& warmed_up) {
  Measurement result;
  result.quantile = plan.stopping.quantile;
  ThrottleGuard guard(plan.throttle, highest_mhz);
  std::optional<Sample> first;
  const double start_s = clock.now();
  if (plan.warm_up) {
    first = warm_up(take, plan, clock, guard, result);
  } else {
    result.warmup_end = WarmupEnd::skipped;
  }
  if (warmed_up) warmed_up();
  const auto take_and_then = [&] {
    const Sample sample = first ? *std::exchange(first, std::nullopt) : take();
    if (between) between(sample);
    return sample;
  };
  sample_until_known(take_and_then, plan, clock, first ? start_s : clock.now(), guard, result);
  const std::size_t taken = result.samples.size();
  result.samples = guard.settle(std::move(result.samples));
  result.discarded += taken - result.samples.size();
  result.throttled = result.samples.front().throttled;
  result.summary = summarize(result.samples, result.quantile);
  result.highest_mhz = guard.highest_mhz();
  return result;
}

Summary summarize(const std::vector<Sample>& samples, double quantile, double confidence) {
  StoppingRule rule;
  rule.quantile = quantile;
  rule.confidence = confidence;
  Stopping order(rule, 0);
  std::vector<double> seconds;
  for (const Sample& sample : samples) {
    order.add(sample.seconds, 0);
    seconds.push_back(sample.seconds);
  }
  Summary summary;
  summary.seconds = stats::quantile(seconds, quantile);
  summary.span_seconds = quantile_of(samples, &Sample::span_seconds, quantile);
  summary.cpu_seconds = quantile_of(samples, &Sample::cpu_seconds, quantile);
  summary.sm_clock_mhz = quantile_of(samples, &Sample::sm_clock_mhz, 0.5);
  summary.spread = stats::relative_spread(seconds);
  summary.half_width = order.relative_half_width().value_or(0);
  summary.kernels = samples.empty() ? 0 : samples.back().kernels;
  return summary;
}

}  // namespace ratchet::timing
