// Plots of published and measured series, drawn as SVG.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "perf/report/machines.h"
#include "perf/report/plot_spec.h"

namespace ratchet::report {

struct PlotPoint {
  double x = 0, y = 0;
  std::vector<double> launches;  ///< y of each launch of a measured point
};

/// One line of a plot.
struct PlotSeries {
  std::string label = {};
  bool measured = false;
  bool printed = false;                    ///< in the text: the legend says "published"
  std::vector<PlotPoint> points = {};      ///< by x
  std::optional<std::size_t> colour = {};  ///< of the palette; by default the series' own place
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

/// The drawing: axes, a line and points a series (published ones dashed and hollow), launches as
/// faint points, the band, a legend. Nothing when no series has points.
std::optional<std::string> plot_svg(const PlotSpec& plot, const std::vector<PlotSeries>& series);

}  // namespace ratchet::report
