// One row: check, prepare, measure, report.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <string>

#include "kernels/contract/stage.h"
#include "perf/measure/bench/row_report.h"
#include "perf/measure/bench/rows.h"
#include "perf/measure/bench/verification.h"
#include "perf/measure/sampling/measure.h"
#include "perf/measure/timers/timer.h"

namespace ratchet::bench {

/// Single-threaded stages are pinned to one CPU. A threaded stage may use all CPUs, even with one
/// thread, since pools take their size from the CPUs they find at first use.
bool wants_one_cpu(const StageRow& row);
/// Whether at most one thread of the row works at a time: a threaded stage with one thread.
bool works_one_at_a_time(const StageRow& row);
/// Whether the row can be interleaved with another process: only its CPU time counts.
bool can_interleave(const StageRow& row);
/// For --ratchet_interleaved. Throws Error unless there is exactly one row, and it is_interleaved.
void require_interleaving(const Selection& selection);

/// The state shared by the rows of one process.
class RowRunner {
 public:
  /// Throws Error if a file named by the options cannot be read.
  explicit RowRunner(const Options& options);

  /// Checks the row in situ without timing it. Throws NoCheckData.
  InSituResult point(const StageRow& row) const;
  /// The body of a row's benchmark. A failure becomes the row's error and is counted.
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
  bool misses_data_ = false;  ///< of checks
};

// The worker's side of interleaved execution (perf/measure/interleaving_protocol.h).

struct SliceOptions {
  bool warm_up = true;  ///< make a run before the samples
  bool one_thread = false;
};

/// Serves the gate's commands. Throws `Error` for an unknown command or a closed stdin.
timing::Measurement measure_interleaved(Instance& instance, const SliceOptions& options);

}  // namespace ratchet::bench
