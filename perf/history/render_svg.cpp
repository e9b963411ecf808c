#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "perf/history/render.h"
#include "perf/support/svg.h"

namespace ratchet::history {
namespace {

constexpr double width = 960, height = 400;
constexpr double left = 96, right = 24, top = 56, bottom = 64;

svg::Axis values(const Series& series) {
  double low = INFINITY, high = 0;
  const auto take = [&](double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const Point& point : series.points) {
    for (const double value : point.launches) take(value);
    if (point.throughput) take(*point.throughput);
  }
  if (high == 0) low = 0, high = 1;
  const double margin = high > low ? 0.08 * (high - low) : 0.01 * high;
  return {low - margin, high + margin, height - bottom, top, svg::Axis::Scale::linear};
}

/// Where runs and figures lie on the paper.
struct Scale {
  svg::Axis value;
  std::size_t count = 1;

  explicit Scale(const Series& series) : value(values(series)), count(series.points.size()) {}
  double x(std::size_t index) const {
    const double room = width - left - right;
    return left + room * (static_cast<double>(index) + 0.5) / static_cast<double>(count);
  }
  double y(double throughput) const { return value.at(throughput); }
};

void value_axis(svg::Drawing& drawing, const Scale& scale) {
  for (const double value : scale.value.ticks()) {
    drawing.line({left, scale.y(value)}, {width - right, scale.y(value)}, "grid");
    drawing.text({left - 8, scale.y(value) + 4}, "end", fmt::format("{:.5g}", value));
  }
  const double middle = (top + height - bottom) / 2;
  drawing.text({20, middle}, "middle", "throughput, units per second",
               fmt::format(" transform=\"rotate(-90 20 {:.1f})\"", middle));
}

/// At most eight runs are named under the axis, the first always.
void run_axis(svg::Drawing& drawing, const Series& series, const Scale& scale) {
  drawing.line({left, height - bottom}, {width - right, height - bottom}, "axis");
  const std::size_t every = (series.points.size() + 7) / 8;
  for (std::size_t i = 0; i < series.points.size(); i += every) {
    const Point& point = series.points[i];
    drawing.text({scale.x(i), height - bottom + 18}, "middle", point.revision.substr(0, 12));
    drawing.text({scale.x(i), height - bottom + 32}, "middle", point.time.substr(0, 10));
  }
  drawing.text({(left + width - right) / 2, height - 10}, "middle", "gate run");
}

void level_lines(svg::Drawing& drawing, const Series& series, const Scale& scale) {
  const std::vector<double> level = levels(series);
  for (std::size_t from = 0, i = 0; i < level.size(); ++i) {
    if (i + 1 < level.size() && level[i + 1] == level[from]) continue;
    if (level[from] > 0)
      drawing.line({scale.x(from) - 4, scale.y(level[from])},
                   {scale.x(i) + 4, scale.y(level[from])}, "level");
    from = i + 1;
  }
}

void points(svg::Drawing& drawing, const Series& series, const Scale& scale) {
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const Point& point = series.points[i];
    for (const double value : point.launches)
      drawing.circle({scale.x(i), scale.y(value)}, 2, "launch");
    if (!point.throughput) continue;
    drawing.circle({scale.x(i), scale.y(*point.throughput)}, 4, "run",
                   fmt::format("{} {} {}: {:.6g} units/s", point.time, point.revision,
                               point.verdict, *point.throughput));
  }
}

void change_marks(svg::Drawing& drawing, const Series& series, const Scale& scale) {
  for (const Change& change : series.changes) {
    const double x = (scale.x(change.point) + scale.x(change.point ? change.point - 1 : 0)) / 2;
    drawing.line({x, top}, {x, height - bottom}, "change");
    drawing.text({x, top - 6}, "middle",
                 fmt::format("{:+.2f} %", (change.after / change.before - 1) * 100),
                 " class=\"change-text\"");
  }
}

constexpr const char* style =
    ".level{stroke:#1f6feb;stroke-width:2}"
    ".change{stroke:#c0392b;stroke-dasharray:4 3}.change-text{fill:#c0392b}"
    ".launch{fill:#888;fill-opacity:.35}.run{fill:#1f6feb}";

}  // namespace

std::string svg_plot(const Series& series) {
  const Scale scale(series);
  const SeriesSummary& of = series.summary;
  svg::Drawing drawing(width, height, style);
  drawing.text({left, 24}, "start",
               fmt::format("{} on {} ({})", of.name, of.machine, of.fingerprint_hash.substr(0, 8)),
               " class=\"title\"");
  value_axis(drawing, scale);
  run_axis(drawing, series, scale);
  change_marks(drawing, series, scale);
  level_lines(drawing, series, scale);
  points(drawing, series, scale);
  return drawing.document();
}

}  // namespace ratchet::history
