#include "perf/bench/run_row.h"

#include <cmath>
#include <optional>

#include "kernels/support/error.h"
#include "perf/bench/reporters.h"
#include "perf/limits/limits.h"
#include "perf/timing/cpu_affinity.h"
#include "perf/timing/nvtx.h"

namespace ratchet::bench {
namespace {

/// Single-threaded stages are kept on one CPU. A stage with a "threads" parameter has all of them,
/// also at one thread: pools size themselves by the CPUs they find when first used.
bool wants_one_cpu(const Row& row) {
  return row.stage->info().backend == Backend::cpu && !row.parameters.has("threads");
}

/// A strict JSON parser refuses a whole file for one NaN.
void set_counter(benchmark::State& state, const char* name, double value) {
  if (std::isfinite(value)) state.counters[name] = value;
}

}  // namespace

Session::Session(const Options& options)
    : options_(options),
      verification_(options.verified_file, options.skip_check || options.profile) {
  if (!options.limits_file.empty()) ceilings_ = limits::read_ceilings(options.limits_file);
  timer(Backend::cpu);  // refuses a misspelt RATCHET_TIMER before the first row
}

timing::Timer& Session::timer(Backend backend) {
  auto& slot = backend == Backend::cuda ? cuda_timer_ : wall_timer_;
  if (!slot) {
    timing::TimerOptions wanted;
    if (options_.profile) wanted = {timing::TimerKind::events, false};
    slot = timing::make_timer(backend, wanted);
  }
  return *slot;
}

timing::Plan Session::plan(Backend backend) const {
  timing::Plan plan = timing::plan_for(backend);
  if (options_.precision) plan.stopping.precision = *options_.precision;
  if (options_.budget_s) plan.stopping.budget_s = *options_.budget_s;
  if (options_.profile) {
    plan.warm_up = false;
    plan.stopping.max_samples = 3;
  }
  // No warm-up longer than the measurement itself.
  plan.warmup.cap_s = std::min(plan.warmup.cap_s, plan.stopping.budget_s);
  return plan;
}

timing::Measurement Session::measure(const Row& row, std::uint64_t& units) {
  const Backend backend = row.stage->info().backend;
  std::optional<timing::CpuPin> pin;
  if (wants_one_cpu(row)) pin.emplace();
  timing::Timer& clock = timer(backend);
  const std::unique_ptr<Instance> instance = row.stage->prepare(row.parameters);
  units = instance->units();
  const timing::NvtxRange whole(row.name);
  const auto take = [&] {
    const timing::NvtxRange iteration("iteration");
    return clock.time(*instance);
  };
  return timing::measure(take, plan(backend), timing::real_pace(), highest_mhz_);
}

void Session::report(benchmark::State& state, const Row& row,
                     const timing::Measurement& measurement, std::uint64_t units, bool verified) {
  const timing::Summary summary = timing::summarize(measurement.samples);
  if (!(summary.seconds > 0)) throw Error("the time measured is 0: too little work to time");
  for (auto _ : state) state.SetIterationTime(summary.seconds);
  const double per_second = static_cast<double>(units) / summary.seconds;
  const timing::TimerKind kind = timer(row.stage->info().backend).kind();
  state.counters[kCpuSecondsCounter] = summary.cpu_seconds;
  set_counter(state, "units", static_cast<double>(units));
  set_counter(state, "units_per_second", per_second);
  set_counter(state, "samples", static_cast<double>(measurement.samples.size()));
  set_counter(state, "discarded", static_cast<double>(measurement.discarded));
  set_counter(state, "warmup_samples", static_cast<double>(measurement.warmup_samples));
  set_counter(state, "span_ms", 1e3 * summary.span_seconds);
  set_counter(state, "kernels", summary.kernels);
  set_counter(state, "spread", summary.spread);
  set_counter(state, "half_width", summary.half_width);
  set_counter(state, "sm_clock_mhz", summary.sm_clock_mhz);
  set_counter(state, "throttled", measurement.throttled);
  set_counter(state, "verified", verified);
  set_counter(state, "timer", static_cast<int>(kind) + 1);
  const Limit& limit = row.stage->info().limit;
  if (const auto ceiling = ceilings_.find(limit.resource); ceiling != ceilings_.end()) {
    const double available = ceiling->second * limits::shares(limit.resource, row.parameters);
    if (available > 0)
      set_counter(state, "limit_percent", 100 * per_second * limit.per_unit / available);
  }
  state.SetLabel((std::string(timing::to_string(kind)) + "; " + measurement.reasons()).c_str());
}

void Session::run(benchmark::State& state, const Row& row) {
  try {
    std::string detail;
    const Verified verified = verification_.verify(*row.stage, detail);
    if (verified == Verified::failed)
      throw Error("the stage fails its check and is not timed: " + detail);
    std::uint64_t units = 0;
    const timing::Measurement measurement = measure(row, units);
    highest_mhz_ = std::max(highest_mhz_, measurement.highest_mhz);
    report(state, row, measurement, units, verified == Verified::yes);
  } catch (const std::exception& error) {
    ++failures_;
    state.SkipWithError(error.what());
  }
}

}  // namespace ratchet::bench
