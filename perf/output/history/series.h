// Selects a series of the history and finds its change points.
#pragma once

#include <string>
#include <vector>

#include "perf/output/history/store.h"

namespace ratchet::history {

/// The level of a series before a point and from it on.
struct Change {
  std::size_t point = 0;  ///< index into the points: the first of the new level
  double before = 0;      ///< units per second
  double after = 0;
  double p_value = 0;
  /// Of the machine: the row is known to execute the same code in the run that it begins with and
  /// in the one before, by digests or since one was the other's base.
  bool same_code = false;
};

/// Figures of one clock, since those of different clocks cannot be compared.
struct Series {
  SeriesSummary summary;
  std::string clock;  ///< empty where unknown
  std::vector<Point> points;
  std::vector<Change> changes;
};

/// Change points of the throughputs by perf/stats/change_points.h, ignoring points without figures.
/// `false_alarms`: probability of finding any in a series that has none.
std::vector<Change> find_changes(const std::vector<Point>& points, double false_alarms);

/// The points of a row under one fingerprint as a series for each clock, with their change points.
/// Points without figures are in each. Figures of an unknown clock, which an older ratchet
/// recorded, join the only known clock; among several they are a series of their own.
std::vector<Series> by_clock(const SeriesSummary& summary, const std::vector<Point>& points,
                             double false_alarms);

/// "wall time"; and how many figures join it whose clock is not recorded. Empty where the figures
/// are of no clock, as those of metrics.
std::string clock_text(const Series& series);

/// Those of a machine: its name, the first digits of a fingerprint, or empty for all. Throws
/// `Error` if there is none.
std::vector<SeriesSummary> of_machine(std::vector<SeriesSummary> all, const std::string& machine);

/// The series of `all` that the filters (kernels/contract/row_filter.h) and `machine` select.
/// A series has one fingerprint: throws `Error` listing them if a row has several. Also throws if a
/// pattern matches no row.
std::vector<SeriesSummary> select_series(const std::vector<SeriesSummary>& all,
                                         const std::vector<std::string>& patterns,
                                         const std::string& machine);

}  // namespace ratchet::history
