// A row's output: Google Benchmark's time and the counters.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/check.h"
#include "kernels/contract/stage.h"
#include "perf/measure/bench/rows.h"
#include "perf/measure/sampling/measure.h"
#include "perf/measure/timers/conditions.h"
#include "perf/measure/timers/timer.h"

namespace ratchet::bench {

// How the ranks of a row spent their time. The row's own time is the span of the slowest rank.

class RankRecord {
 public:
  /// Adds the last run of an instance; ignores instances without ranks.
  void look(const Instance& instance);

  /// The number of ranks, or 0.
  std::size_t ranks() const { return ranks_; }
  /// How much later the last rank finished its own work than the first, as a share of the run's
  /// time: the median of the runs. Own work is the span without communication, since a rank that
  /// has finished waits in communication.
  double spread() const;
  /// Communication time of the rank that waited least, in seconds: the cost of communication
  /// without waiting. The median of the runs.
  double communication_s() const;
  /// The slowest and the fastest SM clock of all ranks' GPUs in any run, in MHz; 0 without GPUs.
  double lowest_clock_mhz() const { return lowest_mhz_; }
  double highest_clock_mhz() const { return highest_mhz_; }

 private:
  std::size_t ranks_ = 0;
  std::vector<double> spreads_, communication_s_;
  double lowest_mhz_ = 0, highest_mhz_ = 0;
};

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

// Google Benchmark's reporters, printing the registry's names.
//
// Google Benchmark names a benchmark of one iteration with manual time
// "NAME/iterations:1/manual_time". A row is named like its stage, so the reporters remove these
// suffixes. They also replace cpu_time, which would be the time of one empty loop, by the CPU time
// of one run, measured with the samples.

/// Where in a row's label the words on its in-situ check begin.
inline constexpr std::string_view kInSituLabel = "; in situ ";

/// CPU seconds of one run, by row.
using CpuSeconds = std::map<std::string, double>;

/// A reporter for `format`: "console" or "json". It looks rows up in `cpu_seconds`, which must
/// outlive it. The console shows time and throughput, with `all_counters` all counters; JSON has
/// all of them.
std::unique_ptr<benchmark::BenchmarkReporter> make_reporter(const std::string& format,
                                                            const CpuSeconds& cpu_seconds,
                                                            bool all_counters);

}  // namespace ratchet::bench
