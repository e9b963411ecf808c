// A series as a table, as a plot in the terminal, as a plot and as JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "perf/output/history/series.h"

namespace ratchet::history {

/// One line a row and fingerprint: both, machine, runs, last run, its throughput, clock and
/// verdict.
std::string list_table(const std::vector<SeriesSummary>& all);

/// One line per run, the last `last` of them (0: all): time (UTC), revision, units per second,
/// change to the previous run, launches, verdict, and remarks: a change point, another amount of
/// work, why a row failed.
std::string series_table(const Series& series, std::size_t last = 0);

/// What a plot draws: of a command's figures their values, where smaller is better not the
/// inverses.
Series drawn(Series series);

/// The throughput over the runs, `width` columns (at least 40) and `height` lines. Levels are
/// horizontal lines, change points vertical ones. Empty if fewer than two runs have figures.
/// `unicode`: draws with characters beyond ASCII.
std::string terminal_plot(const Series& series, std::size_t width, std::size_t height,
                          bool unicode);

/// The same as a Vega-Lite specification without a theme (perf/output/drawing/vega.h). The "kind"
/// of a datum is "run" or "launch" ("run": the index of its point, "value": units per second),
/// "level"
/// ("x2": its end), or "change", a change point ("note": its size).
nlohmann::json vega_spec(const Series& series);

/// All figures of the series: "row", "machine", "fingerprint", "clock", "false_alarms",
/// "points", "change_points".
nlohmann::json series_json(const Series& series, double false_alarms);
nlohmann::json list_json(const std::vector<SeriesSummary>& all);

/// The same as OpenMetrics, without time stamps, which the node exporter's textfile collector
/// refuses. Gauges by row, machine, fingerprint, unit and clock: the value (units per second, or
/// that of a command's figure), the verdict (1, with the verdict and whether a commit accepts it as
/// labels), the number of runs, and the time of the last one (seconds since 1970).
std::string openmetrics_text(const std::vector<SeriesSummary>& all);

/// The level at every point: the median of the throughputs between two change points; 0 for points
/// before the first figure.
std::vector<double> levels(const Series& series);

}  // namespace ratchet::history
