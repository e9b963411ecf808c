// What a row says of itself: Google Benchmark's time, and the counters beside it.
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

/// Everything measured of one row.
struct RowResult {
  timing::Measurement measurement;
  timing::TimerKind timer = timing::TimerKind::wall;
  std::uint64_t units = 0;
  bool one_cpu = false;  ///< the row is kept on one
  bool verified = false;
  InSituResult point;             ///< of what was computed where it was timed
  double control_per_second = 0;  ///< 0: no reference beside a GPU's row
  std::size_t control_passes = 0;
  double slowdown = 0;  ///< as asked for
  timing::Conditions conditions;
  RankRecord ranks;
  double launch_s = 0;  ///< check, preparation, warm-up and samples of this row
};

/// Sets the row's time and counters, and returns the CPU seconds of one run, for which Google
/// Benchmark's state has no place. `peaks`: per second, by resource; may be empty. Throws
/// Error when the time measured is 0.
double report(benchmark::State& state, const StageRow& row, const RowResult& result,
              const std::map<std::string, double>& peaks);

/// Milliseconds from the start of this process to the first row: CPU time before main(), and wall
/// time since. Its first call fixes the value.
double start_up_ms();

}  // namespace ratchet::bench
