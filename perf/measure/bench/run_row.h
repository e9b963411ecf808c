// One row: check, prepare, measure, report.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <string>

#include "perf/measure/bench/reporters.h"
#include "perf/measure/bench/row_report.h"
#include "perf/measure/bench/rows.h"
#include "perf/measure/bench/verification.h"
#include "perf/measure/sampling/measure.h"
#include "perf/measure/timers/timer.h"

namespace ratchet::bench {

/// Single-threaded stages are kept on one CPU. A threaded stage has all of them, also at one
/// thread: pools size themselves by the CPUs they find when first used.
bool wants_one_cpu(const StageRow& row);
/// Whether no two threads of the row have work at a time: of stages with threads, those at one.
bool works_one_at_a_time(const StageRow& row);
/// Whether the row can be interleaved with another process: its time is the CPU's alone.
bool can_interleave(const StageRow& row);
/// For --ratchet_interleaved. Throws Error unless there is one row, which is interleaved.
void require_interleaving(const Selection& selection);

/// What the rows of one process share.
class RowRunner {
 public:
  /// Throws Error when a file named by the options cannot be read.
  explicit RowRunner(const Options& options);

  /// What an instance of the row computes at its point, without timing it.
  InSituResult point(const StageRow& row) const;
  /// The body of a row's benchmark. Whatever fails becomes the row's error, and is counted.
  void run(benchmark::State& state, const StageRow& row);
  int failures() const { return failures_; }
  const CpuSeconds& cpu_seconds() const { return cpu_seconds_; }

 private:
  timing::Timer& timer(const StageRow& row);
  timing::Plan plan(const StageRow& row) const;
  RowResult measure(const StageRow& row);
  InSituResult point_after(const StageRow& row, Instance& instance,
                           const timing::Measurement& measurement) const;
  std::unique_ptr<Instance> prepare_unslowed(const StageRow& row) const;
  std::unique_ptr<Instance> prepare(const StageRow& row);
  RowResult measure_interleaved(const StageRow& row);
  void write_samples(const StageRow& row, const RowResult& result) const;
  void run_checked(benchmark::State& state, const StageRow& row);

  Options options_;
  Verification verification_;
  std::map<std::string, double> peaks_;  // per second, by resource
  std::unique_ptr<timing::Timer> cuda_timer_, opencl_timer_, ranks_timer_, wall_timer_,
      one_cpu_timer_;
  CpuSeconds cpu_seconds_;
  int failures_ = 0;
};

}  // namespace ratchet::bench
