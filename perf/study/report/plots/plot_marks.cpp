#include "perf/study/report/plots/plot_marks.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ratchet::report {
namespace {

double scaled(double value, Scale scale) {
  return scale == Scale::linear ? value : std::log(value);
}

/// The curve's height at x, both scaled; x lies between the first and the last point.
double height_at(const PlotSeries& series, double x, const PlotSpec& plot) {
  const auto& points = series.points;
  const auto at = [&](const PlotPoint& point) { return scaled(point.x, plot.x.scale); };
  std::size_t i = 1;
  while (i + 1 < points.size() && at(points[i]) < x) ++i;
  const double from = scaled(points[i - 1].y, plot.y.scale);
  const double to = scaled(points[i].y, plot.y.scale);
  return from + (to - from) * (x - at(points[i - 1])) / (at(points[i]) - at(points[i - 1]));
}

const PlotSeries* labelled(const std::vector<const PlotSeries*>& panel, const std::string& label) {
  const auto found = std::find_if(panel.begin(), panel.end(), [&](const PlotSeries* series) {
    return series->label == label && series->points.size() > 1;
  });
  return found == panel.end() ? nullptr : *found;
}

}  // namespace

std::optional<double> crossing_of(const PlotSeries& one, const PlotSeries& other,
                                  const PlotSpec& plot) {
  std::set<double> places;
  const double from = std::max(one.points.front().x, other.points.front().x);
  const double to = std::min(one.points.back().x, other.points.back().x);
  for (const PlotSeries* series : {&one, &other})
    for (const PlotPoint& point : series->points)
      if (point.x >= from && point.x <= to) places.insert(scaled(point.x, plot.x.scale));
  double before_x = 0, before = 0;
  for (const double x : places) {
    const double gap = height_at(one, x, plot) - height_at(other, x, plot);
    if (before * gap < 0) {
      const double meeting = before_x + (x - before_x) * before / (before - gap);
      return plot.x.scale == Scale::linear ? meeting : std::exp(meeting);
    }
    before_x = x;
    before = gap;
  }
  return std::nullopt;
}

BestPoint best_of(const std::vector<const PlotSeries*>& panel, Quantity quantity) {
  BestPoint best;
  for (const PlotSeries* series : panel) {
    for (const PlotPoint& point : series->points) {
      const bool better =
          best.point == nullptr ||
          (quantity == Quantity::throughput ? point.y > best.point->y : point.y < best.point->y);
      if (better) best = {series, &point};
    }
  }
  return best;
}

std::optional<double> crossing_in(const std::vector<const PlotSeries*>& panel,
                                  const PlotSpec& plot) {
  if (plot.crossing.empty()) return std::nullopt;
  const PlotSeries* one = labelled(panel, plot.crossing[0]);
  const PlotSeries* other = labelled(panel, plot.crossing[1]);
  if (one == nullptr || other == nullptr) return std::nullopt;
  return crossing_of(*one, *other, plot);
}

}  // namespace ratchet::report
