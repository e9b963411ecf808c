// Metrics of a row besides its throughput: counters of a Google Benchmark program, and what the
// gate finds out itself. Each is a row of its own, "ROW/metric", with a figure as a command would
// print it (figure.h). So it is judged, stored, limited and shown like any other row.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/measurements.h"
#include "perf/gate/baseline/store.h"

namespace ratchet {

// Those that no program has to state; one that states a counter of this name has its own.
inline constexpr const char* memory_metric = "memory";  ///< peak of the launch's process
inline constexpr double least_memory_mb = 8;            ///< smaller peaks are told as this
inline constexpr const char* size_metric = "size";      ///< of the program's file: one row for all
/// Executed by a call of the row; by Callgrind in the unit `callgrind_unit`, of which each figure
/// compares with its like alone.
inline constexpr const char* instructions_metric = "instructions";
inline constexpr const char* callgrind_unit = "Ir";
/// With --device-time: peak of the device memory that the launch's process allocated.
inline constexpr const char* device_memory_metric = "device_memory";
/// J of the CPU packages and of the GPUs: for a call of a row, for a launch of a command.
inline constexpr const char* energy_metric = "energy";
inline constexpr const char* device_energy_metric = "device_energy";
inline constexpr const char* energy_unit = "J";
inline bool is_energy_metric(const std::string& name) {
  return name == energy_metric || name == device_energy_metric;
}

struct Metric {
  std::string name;  ///< the counter's
  FigureKind kind;
};

/// Parses "NAME[=UNIT][:smaller|:larger]". A name tells its unit where it has one:
/// "allocs_per_iter", "total_allocated_bytes", "errors", "memory". `otherwise`: the direction where
/// neither the text nor the unit tells it. Throws `Error` quoting the text where nothing does, and
/// for a malformed one.
Metric read_metric(const std::string& text, std::optional<Better> otherwise);
/// Of several; throws `Error` for one that is named twice, too.
std::vector<Metric> read_metrics(const std::vector<std::string>& texts,
                                 std::optional<Better> otherwise);
/// Whether the texts are "none" alone: nor are metrics of a baseline gated then.
bool wants_no_metrics(const std::vector<std::string>& texts);
/// The text for read_metric().
std::string to_text(const Metric& metric);

/// The name of its row; storable_name().
RowId metric_row(const std::string& row, const std::string& metric);

/// A launch of the metric's row, from the launch that its row had. Throws `Error` for a value that
/// a row cannot have.
Launch metric_launch(const Launch& launch, const Metric& metric, double value);

/// The row of a metric that launches of `row` state as a counter, one launch for each; nothing
/// where none states it. Throws `Error` where only some do, or as metric_launch() does.
std::optional<Row> metric_of(const Row& row, const Metric& metric);

/// The counters of a program that can be metrics.
std::set<std::string> metrics_in(const Row& row);

/// "--metric allocs: no row of bench states a number of this name; ...; did you mean ...": what a
/// misspelt one is told.
std::string complaint_of_metric(const std::string& metric, const std::string& where,
                                const std::set<std::string>& stated);

/// The rows of a program that are metrics in its baselines under this fingerprint, by their kind.
std::map<RowId, FigureKind> stored_metrics(const BaselineStore& store, const std::string& program,
                                           const Fingerprint& here);

}  // namespace ratchet
