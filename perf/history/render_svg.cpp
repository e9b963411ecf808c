#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "perf/history/render.h"

namespace ratchet::history {
namespace {

constexpr double width = 960, height = 400;
constexpr double left = 96, right = 24, top = 56, bottom = 64;

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return safe;
}

/// 1, 2 or 5 times a power of ten, such that some five steps cover the range.
double round_step(double range) {
  const double rough = range / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

/// Where runs and figures lie on the paper.
struct Scale {
  double low = INFINITY, high = 0;
  std::size_t count = 1;

  explicit Scale(const Series& series) : count(series.points.size()) {
    for (const Point& point : series.points) {
      for (const double value : point.launches) take(value);
      if (point.throughput) take(*point.throughput);
    }
    if (high == 0) low = 0, high = 1;
    const double margin = high > low ? 0.08 * (high - low) : 0.01 * high;
    low -= margin;
    high += margin;
  }
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double x(std::size_t index) const {
    const double room = width - left - right;
    return left + room * (static_cast<double>(index) + 0.5) / static_cast<double>(count);
  }
  double y(double value) const {
    return top + (high - value) / (high - low) * (height - top - bottom);
  }
};

std::string text_at(double x, double y, const char* anchor, const std::string& text,
                    const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, escaped(text));
}

std::string value_axis(const Scale& scale) {
  std::string svg;
  const double step = round_step(scale.high - scale.low);
  for (double value = std::ceil(scale.low / step) * step; value <= scale.high; value += step) {
    svg += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                       left, width - right, scale.y(value), scale.y(value));
    svg += text_at(left - 8, scale.y(value) + 4, "end", fmt::format("{:.5g}", value));
  }
  const double middle = (top + height - bottom) / 2;
  return svg + text_at(20, middle, "middle", "throughput, units per second",
                       fmt::format(" transform=\"rotate(-90 20 {:.1f})\"", middle).c_str());
}

/// At most eight runs are named under the axis, the first always.
std::string run_axis(const Series& series, const Scale& scale) {
  std::string svg =
      fmt::format("<line class=\"axis\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/>\n", left,
                  width - right, height - bottom);
  const std::size_t every = (series.points.size() + 7) / 8;
  for (std::size_t i = 0; i < series.points.size(); i += every) {
    const Point& point = series.points[i];
    svg += text_at(scale.x(i), height - bottom + 18, "middle", point.revision.substr(0, 12));
    svg += text_at(scale.x(i), height - bottom + 32, "middle", point.time.substr(0, 10));
  }
  return svg + text_at((left + width - right) / 2, height - 10, "middle", "gate run");
}

std::string level_lines(const Series& series, const Scale& scale) {
  std::string svg;
  const std::vector<double> level = levels(series);
  for (std::size_t from = 0, i = 0; i < level.size(); ++i) {
    if (i + 1 < level.size() && level[i + 1] == level[from]) continue;
    if (level[from] > 0)
      svg += fmt::format(
          "<line class=\"level\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
          scale.x(from) - 4, scale.x(i) + 4, scale.y(level[from]), scale.y(level[from]));
    from = i + 1;
  }
  return svg;
}

std::string points(const Series& series, const Scale& scale) {
  std::string svg;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const Point& point = series.points[i];
    for (const double value : point.launches)
      svg += fmt::format("<circle class=\"launch\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\"/>\n",
                         scale.x(i), scale.y(value));
    if (!point.throughput) continue;
    svg += fmt::format(
        "<circle class=\"run\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{} {} {}: {:.6g} "
        "units/s</title></circle>\n",
        scale.x(i), scale.y(*point.throughput), escaped(point.time), escaped(point.revision),
        escaped(point.verdict), *point.throughput);
  }
  return svg;
}

std::string change_marks(const Series& series, const Scale& scale) {
  std::string svg;
  for (const Change& change : series.changes) {
    const double x = (scale.x(change.point) + scale.x(change.point ? change.point - 1 : 0)) / 2;
    svg += fmt::format(
        "<line class=\"change\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n", x, top,
        height - bottom);
    svg += text_at(x, top - 6, "middle",
                   fmt::format("{:+.2f} %", (change.after / change.before - 1) * 100),
                   " class=\"change-text\"");
  }
  return svg;
}

constexpr const char* style =
    "<style>text{font:12px sans-serif;fill:#222}.title{font-size:15px;font-weight:bold}"
    ".grid{stroke:#ddd}.axis{stroke:#222}.level{stroke:#1f6feb;stroke-width:2}"
    ".change{stroke:#c0392b;stroke-dasharray:4 3}.change-text{fill:#c0392b}"
    ".launch{fill:#888;fill-opacity:.35}.run{fill:#1f6feb}</style>\n";

}  // namespace

std::string svg_plot(const Series& series) {
  const Scale scale(series);
  const SeriesSummary& of = series.summary;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
             "height=\"{1}\">\n{2}<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
             width, height, style) +
         text_at(
             left, 24, "start",
             fmt::format("{} on {} ({})", of.name, of.machine, of.fingerprint_hash.substr(0, 8)),
             " class=\"title\"") +
         value_axis(scale) + run_axis(series, scale) + change_marks(series, scale) +
         level_lines(series, scale) + points(series, scale) + "</svg>\n";
}

}  // namespace ratchet::history
