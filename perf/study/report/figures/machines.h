// The machines that figures were measured on, as columns of a report.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/store.h"
#include "perf/identity/static_metrics/metrics.h"
#include "perf/output/history/record.h"
#include "perf/study/time_sink/time_sink.h"

namespace ratchet::report {

/// A machine's figures for one family.
struct Machine {
  std::string name;  ///< "nvidia-h200", or "here" for results just measured
  Measurements content;
  std::vector<timing::TimeSink> time_sinks;  ///< <family>_timesink.json beside the baseline
  std::set<RowId> only_swept;                ///< rows that the baseline itself does not have
  /// What the range profiler said: metrics/<name>-counters/<family>.json beside the baselines.
  counters::Items counters = {};
  /// Operations per second by resource: peaks.json beside the baselines (`ratchet peaks --json`).
  std::map<std::string, double> peaks = {};
  /// Stages built with a setting against the plain build, by row,
  /// "graveler/cpu/05_wyrand/build:lto", each with its ratio and interval:
  /// <family>_build_settings.json beside the baseline.
  std::map<RowId, history::RowRecord> builds = {};

  /// Median throughput over launches, units per second, of this row; nothing if it was not
  /// measured.
  std::optional<double> throughput(const RowId& row) const;
  /// Median of a counter over the launches that carry it.
  std::optional<double> counter(const RowId& row, const std::string& name) const;
  /// Share of its stage's limit that a row reaches, in percent: by the machine's peaks, else as
  /// its launches say. Nothing where the stage states no limit or that resource was not measured.
  std::optional<double> limit_percent(const RowId& row) const;
  /// Whether every launch of the row had to keep samples during which others held its processors.
  bool disturbed(const RowId& row) const;
  /// The largest of these figures of the range profiler, "alu_percent", say, of this row; nothing
  /// where it said none of them.
  std::optional<double> busiest(const RowId& row, const std::vector<std::string>& figures) const;
  /// The row to show for `stage`: its own, at its defaults. A GPU has no use for the defaults of a
  /// CPU: if that was not measured, the point whose call does most work, whatever its threads. ""
  /// if none was.
  RowId row_of(const std::string& stage) const;
  /// Whether its OpenCL device is its CPU (PoCL's, say).
  bool opencl_on_cpu() const;
  /// CPUs of the machine by its fingerprint, 0 if unknown.
  int cores() const;
  /// The row that measures `stage` with this many threads: its sweep point, or the stage itself
  /// where all cores are its default.
  RowId row_with_threads(const std::string& stage, int threads) const;
  /// How many threads `stage` has at its defaults here; 0 where it has no parameter for them, or
  /// the machine's cores are not known.
  int default_threads(const std::string& stage) const;
  /// How many threads a row has; 1 where its stage has no parameter for them, 0 where they are all
  /// of a machine whose cores are not known.
  int threads_of(const RowId& row) const;
  /// How many cores a row of this stage may use.
  int cores_of(const Stage& stage, const RowId& row) const;
};

/// The stored machines that have this family, by name, then one column per file of `measured`.
/// `folder` is that of the baselines.
///
/// Next to a baseline there may be <family>_survey.json, <family>_sweep.json and
/// <family>_sweep_*.json: outputs of ratchet-bench, as they are. Their points are shown and
/// plotted, but are too many or too large for every gate run. Their rows join the machine's; a
/// baseline's row counts before a survey's, and that before a sweep's. Throws `Error` naming the
/// file for what cannot be read, a row without figures, and a build without ratio and interval.
/// Throws it for a row of another family, one that was not checked, and one that two sweep files
/// hold.
std::vector<Machine> machines_with(const std::string& family, const std::filesystem::path& folder,
                                   const std::vector<std::filesystem::path>& measured);

}  // namespace ratchet::report
