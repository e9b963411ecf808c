#include "perf/measure/bench/row_report.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ostream>
#include <sstream>
#include <string>

#include "kernels/support/ranks/ranked_run.h"
#include "perf/measure/counter_keys.h"
#include "perf/measure/peaks/peaks.h"
#include "perf/measure/workloads/control_workload.h"
#include "perf/stats/quantile.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"

namespace ratchet::bench {
namespace {

// Runs before main(). The time before it, of the kernel and the loader, is known as CPU time only.
const double program_start = seconds_now();
const double cpu_seconds_at_start = timing::process_cpu_seconds();

/// Replaces NaN, for which a strict JSON parser refuses the whole file.
void set(benchmark::State& state, const counter::Counter& counter, double value) {
  if (std::isfinite(value)) state.counters[counter.key] = value;
}

void set_sampling(benchmark::State& state, const timing::Measurement& measurement) {
  set(state, counter::samples, static_cast<double>(measurement.samples.size()));
  set(state, counter::discarded, static_cast<double>(measurement.discarded));
  set(state, counter::warmup_samples, static_cast<double>(measurement.warmup_samples));
  set(state, counter::throttled, measurement.throttled);
  set(state, counter::preempted, static_cast<double>(measurement.preempted));
  set(state, counter::preempted_kept, measurement.preempted_kept);
  if (measurement.slices > 0) set(state, counter::slices, static_cast<double>(measurement.slices));
}

void set_summary(benchmark::State& state, const timing::Summary& summary) {
  set(state, counter::span_ms, 1e3 * summary.span_seconds);
  if (summary.matters(summary.gap_seconds()))
    set(state, counter::gaps_ms, 1e3 * summary.gap_seconds());
  set(state, counter::kernels, summary.kernels);
  set(state, counter::spread, summary.spread);
  set(state, counter::half_width, summary.half_width);
  set(state, counter::sm_clock_mhz, summary.sm_clock_mhz);
}

/// The work of a GPU's runs, if all launched the same; the digest as a number that a double holds.
void set_device_work(benchmark::State& state, const std::vector<timing::Sample>& samples) {
  const timing::DeviceWork& work = samples.front().device_work;
  const bool one = std::all_of(samples.begin(), samples.end(), [&](const timing::Sample& sample) {
    return sample.device_work == work;
  });
  if (!one || work.digest == 0) return;
  set(state, counter::device_work, static_cast<double>(work.digest >> 11));
  set(state, counter::blocks, static_cast<double>(work.blocks));
  set(state, counter::gpu_threads, static_cast<double>(work.threads));
  set(state, counter::shared_bytes, static_cast<double>(work.shared_bytes));
  set(state, counter::transfer_bytes, static_cast<double>(work.transfer_bytes));
}

void set_launch(benchmark::State& state, const RowResult& result) {
  set(state, counter::start_up_ms, start_up_ms());
  set(state, counter::launch_s, result.launch_s);
  if (result.one_cpu) set(state, counter::one_cpu, 1);
  if (result.slowdown > 0) set(state, counter::slowdown, result.slowdown);
  if (!(result.control_per_second > 0)) return;
  set(state, counter::control_per_second, result.control_per_second);
  set(state, counter::control_passes, static_cast<double>(result.control_passes));
  set(state, counter::control_version, timing::kControlVersion);
}

std::string point_words(const InSituResult& point) {
  return (point.state == InSituState::right ? "checked: " : "unchecked: ") + point.detail;
}

void set_conditions(benchmark::State& state, const timing::Conditions& conditions) {
  const auto set_known = [&](const counter::Counter& counter, const auto& value) {
    if (value) set(state, counter, static_cast<double>(*value));
  };
  set_known(counter::cpu_mhz, conditions.cpu_mhz);
  set_known(counter::load, conditions.load);
  set_known(counter::steal_percent, conditions.steal_percent);
  set_known(counter::gpu_others, conditions.gpu_others);
  set_known(counter::gpu_throttle_reasons, conditions.gpu_throttle_reasons);
}

void set_ranks(benchmark::State& state, const RankRecord& record) {
  if (record.ranks() == 0) return;
  set(state, counter::ranks, static_cast<double>(record.ranks()));
  set(state, counter::rank_spread, record.spread());
  set(state, counter::communication_ms, 1e3 * record.communication_s());
  if (!(record.lowest_clock_mhz() > 0)) return;
  set(state, counter::ranks_sm_clock_mhz_lowest, record.lowest_clock_mhz());
  set(state, counter::ranks_sm_clock_mhz_highest, record.highest_clock_mhz());
}

}  // namespace

double start_up_ms() {
  static const double ms = 1e3 * (cpu_seconds_at_start + seconds_now() - program_start);
  return ms;
}

double report(benchmark::State& state, const StageRow& row, const RowResult& result,
              const std::map<std::string, double>& peaks) {
  const timing::Measurement& measurement = result.measurement;
  const timing::Summary& summary = measurement.summary;
  if (!(summary.seconds > 0)) throw Error("the measured time is 0: too little work to time");
  for (auto _ : state) state.SetIterationTime(summary.seconds);
  const double per_second = static_cast<double>(result.units) / summary.seconds;
  set(state, counter::units, static_cast<double>(result.units));
  set(state, counter::units_per_second, per_second);
  set(state, counter::verified, result.verified);
  set(state, counter::verified_in_situ, result.point.state == InSituState::right);
  if (measurement.slices == 0) set(state, counter::centre, measurement.quantile);
  set(state, counter::timer, static_cast<int>(result.timer) + 1);
  set_summary(state, summary);
  set_sampling(state, measurement);
  set_device_work(state, measurement.samples);
  set_launch(state, result);
  set_conditions(state, result.conditions);
  set_ranks(state, result.ranks);
  const Limit& limit = row.stage->info().limit;
  if (const auto peak = peaks.find(limit.resource); peak != peaks.end()) {
    const double available = peak->second * peaks::shares(row.stage->info(), row.parameters);
    if (available > 0)
      set(state, counter::limit_percent, 100 * per_second * limit.per_unit / available);
  }
  state.SetLabel((std::string(timing::to_string(result.timer)) + "; " + measurement.reasons() +
                  std::string(kInSituLabel) + point_words(result.point))
                     .c_str());
  return summary.cpu_seconds;
}

void RankRecord::look(const Instance& instance) {
  const std::vector<ranks::RankTime>* known = ranks::rank_times_of(instance);
  if (!known) return;
  const std::vector<ranks::RankTime>& times = *known;
  ranks_ = times.size();
  double least_work = std::numeric_limits<double>::infinity(), most_work = 0;
  double least_talk = std::numeric_limits<double>::infinity();
  for (const ranks::RankTime& time : times) {
    const double work = time.span_s - time.communication_s;
    least_work = std::min(least_work, work);
    most_work = std::max(most_work, work);
    least_talk = std::min(least_talk, time.communication_s);
    if (!(time.sm_clock_mhz > 0)) continue;
    lowest_mhz_ = lowest_mhz_ > 0 ? std::min(lowest_mhz_, time.sm_clock_mhz) : time.sm_clock_mhz;
    highest_mhz_ = std::max(highest_mhz_, time.sm_clock_mhz);
  }
  const double slowest = ranks::slowest_s(times);
  spreads_.push_back(slowest > 0 ? (most_work - least_work) / slowest : 0);
  communication_s_.push_back(least_talk);
}

double RankRecord::spread() const { return spreads_.empty() ? 0 : stats::quantile(spreads_, 0.5); }

double RankRecord::communication_s() const {
  return communication_s_.empty() ? 0 : stats::quantile(communication_s_, 0.5);
}

namespace {

template <class Base>
class StageReporter final : public Base {
 public:
  template <class... Arguments>
  StageReporter(const CpuSeconds& cpu_seconds, bool all_counters, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...),
        cpu_seconds_(cpu_seconds),
        all_counters_(all_counters) {}

  /// Without the warning of a library built with assertions, as Debian's is: no time is that of its
  /// loop. JSON has "library_build_type".
  bool ReportContext(const benchmark::BenchmarkReporter::Context& context) override {
    std::ostream& errors = this->GetErrorStream();
    std::stringstream lines;
    this->SetErrorStream(&lines);
    const bool goes_on = Base::ReportContext(context);
    this->SetErrorStream(&errors);
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("***WARNING*** Library was built as DEBUG")) errors << line << "\n";
    errors << std::flush;
    return goes_on;
  }

  void ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run>& runs) override {
    auto renamed = runs;
    for (auto& run : renamed) {
      run.run_name.iterations.clear();
      run.run_name.time_type.clear();
      const auto cpu = cpu_seconds_.find(run.run_name.function_name);
      if (cpu != cpu_seconds_.end())
        run.cpu_accumulated_time = cpu->second * static_cast<double>(run.iterations);
      if (!all_counters_)
        std::erase_if(run.counters, [](const auto& counter) {
          return counter.first != counter::units_per_second.key &&
                 counter.first != counter::limit_percent.key;
        });
      // Of the label what follows the timer and why sampling stopped: how the result was checked.
      if (!all_counters_)
        run.report_label.resize(
            std::min(run.report_label.size(), run.report_label.find(kInSituLabel)));
    }
    Base::ReportRuns(renamed);
  }

 private:
  const CpuSeconds& cpu_seconds_;
  const bool all_counters_;
};

}  // namespace

std::unique_ptr<benchmark::BenchmarkReporter> make_reporter(const std::string& format,
                                                            const CpuSeconds& cpu_seconds,
                                                            bool all_counters) {
  using benchmark::ConsoleReporter;
  if (format == "json")
    return std::make_unique<StageReporter<benchmark::JSONReporter>>(cpu_seconds, true);
  return std::make_unique<StageReporter<ConsoleReporter>>(
      cpu_seconds, all_counters,
      isatty(STDOUT_FILENO) ? ConsoleReporter::OO_Color : ConsoleReporter::OO_None);
}

}  // namespace ratchet::bench
