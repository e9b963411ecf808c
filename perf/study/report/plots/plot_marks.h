// The points of a plot that a text speaks of: the best one, and where two curves meet.
#pragma once

#include <optional>
#include <vector>

#include "perf/study/report/plots/plot.h"

namespace ratchet::report {

struct BestPoint {
  const PlotSeries* series = nullptr;
  const PlotPoint* point = nullptr;
};

/// The point of the highest throughput or of the lowest cost; the first of equal ones.
BestPoint best_of(const std::vector<const PlotSeries*>& panel, Quantity quantity);

/// Where two series are as fast as each other: x at which their curves, straight between points on
/// these scales, first meet; nothing where they do not.
std::optional<double> crossing_of(const PlotSeries& one, const PlotSeries& other,
                                  const PlotSpec& plot);

/// The same of the two series that plot.crossing names; nothing where one is not in the panel.
std::optional<double> crossing_in(const std::vector<const PlotSeries*>& panel,
                                  const PlotSpec& plot);

}  // namespace ratchet::report
