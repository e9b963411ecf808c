#include "perf/measure/bench/row_report.h"

#include <algorithm>
#include <cmath>

#include "perf/support/error.h"
#include "perf/measure/peaks/limits.h"
#include "perf/support/clock.h"
#include "perf/measure/turns.h"
#include "perf/measure/workloads/reference_workload.h"

namespace ratchet::bench {
namespace {

// Before main(); what came before was the kernel's and the loader's, seen as CPU time only.
const double program_start = seconds_now();
const double cpu_seconds_at_start = timing::process_cpu_seconds();

/// A strict JSON parser refuses a whole file for one NaN.
void set(benchmark::State& state, const char* name, double value) {
  if (std::isfinite(value)) state.counters[name] = value;
}

void set_sampling(benchmark::State& state, const timing::Measurement& measurement) {
  set(state, "samples", static_cast<double>(measurement.samples.size()));
  set(state, "discarded", static_cast<double>(measurement.discarded));
  set(state, "warmup_samples", static_cast<double>(measurement.warmup_samples));
  set(state, "throttled", measurement.throttled);
  set(state, "preempted", static_cast<double>(measurement.preempted));
  set(state, "preempted_kept", measurement.preempted_kept);
  if (measurement.turns > 0) set(state, "turns", static_cast<double>(measurement.turns));
}

void set_summary(benchmark::State& state, const timing::Summary& summary) {
  set(state, "span_ms", 1e3 * summary.span_seconds);
  set(state, "kernels", summary.kernels);
  set(state, "spread", summary.spread);
  set(state, "half_width", summary.half_width);
  set(state, "sm_clock_mhz", summary.sm_clock_mhz);
}

/// Of a GPU's runs, if all launched the same: what each did, its digest as a number that a double
/// holds.
void set_device_work(benchmark::State& state, const std::vector<timing::Sample>& samples) {
  const timing::DeviceWork& work = samples.front().device_work;
  const bool one = std::all_of(samples.begin(), samples.end(), [&](const timing::Sample& sample) {
    return sample.device_work == work;
  });
  if (!one || work.digest == 0) return;
  set(state, "device_work", static_cast<double>(work.digest >> 11));
  set(state, "blocks", static_cast<double>(work.blocks));
  set(state, "gpu_threads", static_cast<double>(work.threads));
  set(state, "shared_bytes", static_cast<double>(work.shared_bytes));
  set(state, "transfer_bytes", static_cast<double>(work.transfer_bytes));
}

void set_launch(benchmark::State& state, const RowResult& result) {
  set(state, "start_up_ms", start_up_ms());
  set(state, "launch_s", result.launch_s);
  if (result.one_cpu) set(state, "one_cpu", 1);
  if (result.slowdown > 0) set(state, "slowdown", result.slowdown);
  if (!(result.reference_per_second > 0)) return;
  set(state, "reference_per_second", result.reference_per_second);
  set(state, "reference_passes", static_cast<double>(result.reference_passes));
  set(state, "reference_version", timing::kReferenceVersion);
}

std::string point_words(const PointResult& point) {
  return (point.state == PointState::right ? "checked: " : "unchecked: ") + point.detail;
}

void set_conditions(benchmark::State& state, const timing::Conditions& conditions) {
  const auto set_known = [&](const char* name, const auto& value) {
    if (value) set(state, name, static_cast<double>(*value));
  };
  set_known("cpu_mhz", conditions.cpu_mhz);
  set_known("load", conditions.load);
  set_known("steal_percent", conditions.steal_percent);
  set_known("gpu_others", conditions.gpu_others);
  set_known("gpu_throttle_reasons", conditions.gpu_throttle_reasons);
}

void set_ranks(benchmark::State& state, const RankRecord& record) {
  if (record.ranks() == 0) return;
  set(state, "ranks", static_cast<double>(record.ranks()));
  set(state, "rank_spread", record.spread());
  set(state, "communication_ms", 1e3 * record.communication_s());
  if (!(record.lowest_clock_mhz() > 0)) return;
  set(state, "ranks_sm_clock_mhz_lowest", record.lowest_clock_mhz());
  set(state, "ranks_sm_clock_mhz_highest", record.highest_clock_mhz());
}

}  // namespace

double start_up_ms() {
  static const double ms = 1e3 * (cpu_seconds_at_start + seconds_now() - program_start);
  return ms;
}

double report(benchmark::State& state, const StageRow& row, const RowResult& result,
              const std::map<std::string, double>& ceilings) {
  const timing::Measurement& measurement = result.measurement;
  const bool in_turns = measurement.turns > 0;
  const timing::Summary summary =
      in_turns ? timing::summarize_turns(measurement.samples)
               : timing::summarize(measurement.samples, measurement.quantile);
  if (!(summary.seconds > 0)) throw Error("the time measured is 0: too little work to time");
  for (auto _ : state) state.SetIterationTime(summary.seconds);
  const double per_second = static_cast<double>(result.units) / summary.seconds;
  set(state, "units", static_cast<double>(result.units));
  set(state, "units_per_second", per_second);
  set(state, "verified", result.verified);
  set(state, "point_checked", result.point.state == PointState::right);
  if (!in_turns) set(state, "centre", measurement.quantile);
  set(state, "timer", static_cast<int>(result.timer) + 1);
  set_summary(state, summary);
  set_sampling(state, measurement);
  set_device_work(state, measurement.samples);
  set_launch(state, result);
  set_conditions(state, result.conditions);
  set_ranks(state, result.ranks);
  const Limit& limit = row.stage->info().limit;
  if (const auto ceiling = ceilings.find(limit.resource); ceiling != ceilings.end()) {
    const double available = ceiling->second * limits::shares(row.stage->info(), row.parameters);
    if (available > 0) set(state, "limit_percent", 100 * per_second * limit.per_unit / available);
  }
  state.SetLabel((std::string(timing::to_string(result.timer)) + "; " + measurement.reasons() +
                  "; point " + point_words(result.point))
                     .c_str());
  return summary.cpu_seconds;
}

}  // namespace ratchet::bench
