// A series as people and programs look at it: which one is meant, and where it changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perf/output/history/store.h"

namespace ratchet::history {

/// The level of a series before and from a point on.
struct Change {
  std::size_t point = 0;  ///< index into the points: the first of the new level
  double before = 0;      ///< units per second
  double after = 0;
  double p_value = 0;
};

struct Series {
  SeriesSummary summary;
  std::vector<Point> points;
  std::vector<Change> changes;
};

/// Change points of the throughputs by perf/stats/change_points.h; points without figures are
/// passed over. `false_alarms`: probability of finding any in a series that has none.
std::vector<Change> find_changes(const std::vector<Point>& points, double false_alarms);

/// The series of `all` that the filters (kernels/contract/row_filter.h) and `machine` (a machine's
/// name, or the first digits of a fingerprint; may be empty) select. Only runs of one fingerprint
/// form a series: throws `Error` listing them when a row has several, when a pattern matches no
/// row, and when a machine does not.
std::vector<SeriesSummary> select_series(const std::vector<SeriesSummary>& all,
                                         const std::vector<std::string>& patterns,
                                         const std::string& machine);

}  // namespace ratchet::history
