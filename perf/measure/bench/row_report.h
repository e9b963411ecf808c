// A row's output: Google Benchmark's time and the counters.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <string>

#include "kernels/contract/check.h"
#include "perf/measure/bench/rank_record.h"
#include "perf/measure/bench/rows.h"
#include "perf/measure/sampling/measure.h"
#include "perf/measure/timers/conditions.h"
#include "perf/measure/timers/timer.h"

namespace ratchet::bench {

/// All measurements of one row.
struct RowResult {
  timing::Measurement measurement;
  timing::TimerKind timer = timing::TimerKind::wall;
  std::uint64_t units = 0;
  bool one_cpu = false;  ///< the row is pinned to one CPU
  bool verified = false;
  InSituResult point;             ///< of the in-situ check
  double control_per_second = 0;  ///< 0: a GPU's row has no control workload
  std::size_t control_passes = 0;
  double slowdown = 0;  ///< the injected share
  timing::Conditions conditions;
  RankRecord ranks;
  double launch_s = 0;  ///< check, preparation, warm-up and samples of this row
};

/// Sets the row's time and counters. Returns the CPU seconds of one run, for which Google
/// Benchmark's state has no field. `peaks`: per second, by resource; may be empty. Throws Error if
/// the measured time is 0.
double report(benchmark::State& state, const StageRow& row, const RowResult& result,
              const std::map<std::string, double>& peaks);

/// Milliseconds from the start of this process to the first row: CPU time before main(), then wall
/// time. The first call fixes the value.
double start_up_ms();

}  // namespace ratchet::bench
