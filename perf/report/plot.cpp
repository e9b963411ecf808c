#include "perf/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "perf/report/markdown.h"

namespace ratchet::report {
namespace {

constexpr double width = 960, left = 96, right = 24, top = 48, plot_height = 360;
constexpr double below = 56;  ///< labels under the x axis
constexpr double legend_line = 18;

constexpr const char* style =
    ".series{stroke-width:2}.published{stroke-width:1.5;stroke-dasharray:6 4}"
    ".launch{fill-opacity:.3}.band{fill-opacity:.12}";

struct Range {
  double low = INFINITY, high = -INFINITY;
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// A margin of a twentieth on both sides, on the scale of the axis.
svg::Axis axis_over(const Range& range, double from, double to, svg::Axis::Scale scale) {
  const svg::Axis tight(range.low, range.high, from, to, scale);
  if (scale == svg::Axis::Scale::linear) {
    const double margin = 0.05 * (tight.high() - tight.low());
    // Figures that are never negative get no negative room.
    const double low = range.low >= 0 ? std::max(0.0, tight.low() - margin) : tight.low() - margin;
    return {low, tight.high() + margin, from, to, scale};
  }
  const double margin = std::pow(tight.high() / tight.low(), 0.05);
  return {tight.low() / margin, tight.high() * margin, from, to, scale};
}

struct Paper {
  svg::Axis x, y;
  svg::Point at(double px, double py) const { return {x.at(px), y.at(py)}; }
};

bool has_band(const PlotSpec& plot, const PlotSeries& series) {
  return plot.band && series.measured && series.points.size() > 1;
}

Paper paper_for(const PlotSpec& plot, const std::vector<PlotSeries>& all) {
  Range x, y;
  for (const PlotSeries& series : all) {
    for (const PlotPoint& point : series.points) {
      x.take(point.x);
      y.take(point.y);
      for (const double launch : point.launches) y.take(launch);
    }
    if (!has_band(plot, series)) continue;
    const double median = spread_of(series).median;
    y.take(median * (1 - *plot.band));
    y.take(median * (1 + *plot.band));
  }
  return {axis_over(x, left, width - right, plot.x.scale),
          axis_over(y, top + plot_height, top, plot.y.scale)};
}

/// Values under the x axis; powers of two where so many digits would run into each other.
std::vector<std::string> x_labels(const PlotSpec& plot, const std::vector<double>& ticks) {
  const bool long_powers =
      plot.x.scale == svg::Axis::Scale::binary && !ticks.empty() && ticks.back() >= 1e7;
  std::vector<std::string> labels;
  for (const double tick : ticks)
    labels.push_back(long_powers ? format_binary(tick) : format_power(tick, 7));
  return labels;
}

void draw_axes(svg::Drawing& drawing, const PlotSpec& plot, const Paper& paper) {
  const double floor = top + plot_height;
  for (const double tick : paper.y.ticks()) {
    drawing.line({left, paper.y.at(tick)}, {width - right, paper.y.at(tick)}, "grid");
    drawing.text({left - 8, paper.y.at(tick) + 4}, "end", format_power(tick, 3));
  }
  const std::vector<double> ticks = paper.x.ticks();
  const std::vector<std::string> labels = x_labels(plot, ticks);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    drawing.line({paper.x.at(ticks[i]), top}, {paper.x.at(ticks[i]), floor}, "grid");
    drawing.text({paper.x.at(ticks[i]), floor + 18}, "middle", labels[i]);
  }
  drawing.line({left, floor}, {width - right, floor}, "axis");
  drawing.line({left, top}, {left, floor}, "axis");
  drawing.text({(left + width - right) / 2, floor + 38}, "middle", plot.x.label);
  const double middle = top + plot_height / 2;
  drawing.text({20, middle}, "middle", plot.y.label,
               fmt::format(" transform=\"rotate(-90 20 {:.1f})\"", middle));
}

void draw_band(svg::Drawing& drawing, const PlotSpec& plot, const PlotSeries& series,
               const Paper& paper, const std::string& colour) {
  const double median = spread_of(series).median;
  const svg::Point upper = paper.at(series.points.front().x, median * (1 + *plot.band));
  const svg::Point lower = paper.at(series.points.back().x, median * (1 - *plot.band));
  drawing.rectangle(upper, lower.x - upper.x, lower.y - upper.y, "band",
                    " fill=\"" + colour + "\"");
}

void draw_series(svg::Drawing& drawing, const PlotSpec& plot, const PlotSeries& series,
                 const Paper& paper, const std::string& colour) {
  if (has_band(plot, series)) draw_band(drawing, plot, series, paper, colour);
  std::vector<svg::Point> line;
  for (const PlotPoint& point : series.points) {
    line.push_back(paper.at(point.x, point.y));
    for (const double launch : point.launches)
      drawing.circle(paper.at(point.x, launch), 2, "launch", "", " fill=\"" + colour + "\"");
  }
  drawing.polyline(line, series.measured ? "series" : "published", " stroke=\"" + colour + "\"");
  // A curve of a hundred points is its own line; marks would only hide it.
  if (series.points.size() > 40) return;
  for (const PlotPoint& point : series.points)
    drawing.circle(
        paper.at(point.x, point.y), 4, "point",
        fmt::format("{}: {} at {}", series.label, format_power(point.y, 5),
                    format_power(point.x, 7)),
        fmt::format(" stroke=\"{}\" fill=\"{}\"", colour, series.measured ? colour : "#fff"));
}

std::string legend_text(const PlotSpec& plot, const PlotSeries& series) {
  std::string text = series.label + (series.printed ? " (published)" : "");
  if (!has_band(plot, series)) return text;
  const Spread spread = spread_of(series);
  return text + fmt::format(": {:+.1f} to {:+.1f} % around its median", (spread.least - 1) * 100,
                            (spread.most - 1) * 100);
}

}  // namespace

std::optional<std::string> plot_svg(const PlotSpec& plot, const std::vector<PlotSeries>& series) {
  if (series.empty()) return std::nullopt;
  const double legend = top + plot_height + below;
  const double height =
      legend + legend_line * (static_cast<double>(series.size()) + (plot.band ? 1 : 0)) + 8;
  svg::Drawing drawing(width, height, style);
  drawing.text({left, 24}, "start", plot.title, " class=\"title\"");
  const Paper paper = paper_for(plot, series);
  draw_axes(drawing, plot, paper);
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::string colour = svg::series_colour(series[i].colour.value_or(i));
    draw_series(drawing, plot, series[i], paper, colour);
    const double y = legend + legend_line * (static_cast<double>(i) + 0.5);
    drawing.line({left, y}, {left + 28, y}, series[i].measured ? "series" : "published",
                 " stroke=\"" + colour + "\"");
    drawing.text({left + 36, y + 4}, "start", legend_text(plot, series[i]));
  }
  if (plot.band)
    drawing.text(
        {left, height - legend_line / 2}, "start",
        fmt::format("shaded: {:.0f} % around the median of a measured series", *plot.band * 100));
  return drawing.document();
}

}  // namespace ratchet::report
