// Plots of published and measured series, as Vega-Lite specifications.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/plot_spec.h"

namespace ratchet::report {

struct PlotPoint {
  double x = 0, y = 0;
  std::vector<double> launches = {};  ///< y of each launch of a measured point
  std::string setting = {};           ///< of a measured point: its parameters beside x, "/steps:96"
  bool disturbed = false;             ///< Machine::disturbed: drawn pale
};

/// One curve of a plot.
struct PlotSeries {
  std::string label = {};
  std::string machine = {};            ///< that measured it; empty where it is published
  bool printed = false;                ///< in the text: the legend says "published"
  std::string panel = {};              ///< the panel that it lies in, empty where there is one
  std::vector<PlotPoint> points = {};  ///< by x

  bool measured() const { return !machine.empty(); }
};

/// The series of `plot` that have points. A point of a stage is the median of its launches; where
/// several rows lie at one x, the one whose call does most work counts. `baselines` is the folder
/// of the machines' folders and of "published". Throws `Error` naming file and line for a data file
/// that is missing or malformed, and for figures that a logarithmic axis cannot show.
std::vector<PlotSeries> plot_series(const PlotSpec& plot, const std::vector<Machine>& machines,
                                    const std::filesystem::path& baselines);

/// How far the points of a series lie from their median: the smallest and the largest ratio to it.
struct Spread {
  double median = 0, least = 1, most = 1;
};
Spread spread_of(const PlotSeries& series);

/// The Vega-Lite specification, with its data, without a theme (perf/output/drawing/vega.h). Nothing when
/// no series has points. A panel without a curve, of several, is left out. Each datum has a "kind":
///   "median"    a point, and "curve" one of so many that they get no marks of their own: "series",
///               "x", "y", "setting" and "line": only points of one line, which have the same
///               setting, are joined
///   "launch"    "series", "x", "y": of one launch
///   "band"      "series", "x", "x2", "y", "y2"
///   "best"      "x", "y", "note"
///   "crossing"  "x", "note"
/// and "panel". Published series are dashed, with hollow points.
std::optional<nlohmann::json> vega_spec(const PlotSpec& plot,
                                        const std::vector<PlotSeries>& series);

// The points of a plot that a text speaks of: the best one, and where two curves meet.

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
