#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "kernels/contract/stage.h"
#include "perf/stats/quantile.h"
#include "perf/study/report/plots/plot.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

namespace fs = std::filesystem;

double figure(const PlotSpec& plot, double units_per_second) {
  return plot.quantity == Quantity::throughput ? units_per_second * plot.factor
                                               : plot.factor / units_per_second;
}

bool all_alike(const Settings& settings, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto one = settings.find(name);
    const auto first = settings.find(names.front());
    if (one == settings.end() || first == settings.end() || one->second != first->second)
      return false;
  }
  return true;
}

/// The parameter of x, and what must be equal to it.
bool varies_with_x(const SeriesSpec& spec, const std::string& name) {
  return name == spec.parameter ||
         std::find(spec.alike.begin(), spec.alike.end(), name) != spec.alike.end();
}

/// Of a row whose name is silent about threads: as many as its stage has by default there.
std::optional<double> x_of(const SeriesSpec& spec, const Settings& settings,
                           const Machine& machine) {
  if (const auto x = settings.find(spec.parameter); x != settings.end())
    return static_cast<double>(x->second);
  const Stage* const stage = find_stage(spec.rows.stage);
  const int threads = machine.default_threads(spec.rows.stage);
  if (stage == nullptr || stage->info().threads != spec.parameter || threads == 0)
    return std::nullopt;
  return threads;
}

PlotSeries measured_series(const PlotSpec& plot, const SeriesSpec& spec, const Machine& machine) {
  std::map<double, const Row*> rows;  // by x
  for (const auto& [name, row] : machine.content.rows) {
    const std::optional<Settings> settings = spec.rows.match(name);
    if (!settings || row.launches.empty() || !all_alike(*settings, spec.alike)) continue;
    const auto x = x_of(spec, *settings, machine);
    if (!x) continue;
    const Row*& at_x = rows[*x];
    if (at_x == nullptr || row.units() > at_x->units()) at_x = &row;
  }
  PlotSeries series{.label = spec.label, .machine = machine.name};
  for (const auto& [x, row] : rows) {
    PlotPoint point{.x = x};
    const Settings settings = spec.rows.match(row->name).value();
    for (const auto& [name, value] : settings)
      if (!varies_with_x(spec, name)) point.setting += fmt::format("/{}:{}", name, value);
    for (const double throughput : row->throughputs())
      point.launches.push_back(figure(plot, throughput));
    point.y = figure(plot, stats::median(row->throughputs()));
    point.disturbed = machine.disturbed(row->name);
    series.points.push_back(point);
  }
  return series;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
  return fields;
}

std::size_t column_index(const std::vector<std::string>& header, const std::string& column,
                         const std::string& where) {
  const auto found = std::find(header.begin(), header.end(), column);
  if (found == header.end()) throw Error(where + ": there is no column \"" + column + "\"");
  return static_cast<std::size_t>(found - header.begin());
}

double number_in(const std::vector<std::string>& fields, std::size_t index,
                 const std::string& where) {
  if (index >= fields.size()) throw Error(where + ": has too few columns");
  const std::string& text = fields[index];
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value))
    throw Error(where + ": \"" + text + "\" is not a number");
  return value;
}

std::vector<PlotPoint> points_in(const fs::path& file, const SeriesSpec& spec) {
  std::istringstream text(read_text(file));
  std::vector<PlotPoint> points;
  std::vector<std::string> header;
  std::size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    const std::string where = fmt::format("{}:{}", file.string(), ++number);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = fields_of(line);
    if (header.empty()) {
      header = fields;
      const bool measured = std::find(header.begin(), header.end(), spec.y_column) != header.end();
      if (!spec.machine_file.empty() && !measured) return {};
      column_index(header, spec.x_column, where);
      column_index(header, spec.y_column, where);
      continue;
    }
    points.push_back({number_in(fields, column_index(header, spec.x_column, where), where),
                      number_in(fields, column_index(header, spec.y_column, where), where)});
  }
  return points;
}

/// One series a machine's folder that has the file.
std::vector<PlotSeries> series_of_machines(const SeriesSpec& spec, const fs::path& baselines) {
  std::vector<PlotSeries> all;
  for (const fs::path& folder : sorted_entries(baselines)) {
    const fs::path file = folder / spec.machine_file;
    if (!fs::is_regular_file(file)) continue;
    all.push_back({.label = spec.label,
                   .machine = folder.filename().string(),
                   .points = points_in(file, spec)});
  }
  return all;
}

void require_drawable(const PlotSpec& plot, const PlotSeries& series) {
  const auto fits = [](const AxisSpec& axis, double value) {
    return std::isfinite(value) && (axis.scale == Scale::linear || value > 0);
  };
  for (const PlotPoint& point : series.points) {
    if (!fits(plot.x, point.x) || !fits(plot.y, point.y))
      throw Error(fmt::format("plot {}, {}: the point ({}, {}) has no place on a logarithmic axis",
                              plot.id, series.label, point.x, point.y));
  }
}

std::vector<PlotSeries> series_of(const PlotSpec& plot, const SeriesSpec& spec,
                                  const std::vector<Machine>& machines, const fs::path& baselines) {
  if (!spec.machine_file.empty()) return series_of_machines(spec, baselines);
  if (!spec.file.empty())
    return {{.label = spec.label, .points = points_in(baselines / "published" / spec.file, spec)}};
  if (spec.rows.stage.empty()) {
    PlotSeries published{.label = spec.label, .printed = true};
    for (const XY& point : spec.points) published.points.push_back({point.x, point.y});
    return {published};
  }
  std::vector<PlotSeries> all;
  for (const Machine& machine : machines) all.push_back(measured_series(plot, spec, machine));
  return all;
}

}  // namespace

std::vector<PlotSeries> plot_series(const PlotSpec& plot, const std::vector<Machine>& machines,
                                    const fs::path& baselines) {
  std::vector<PlotSeries> all;
  for (const SeriesSpec& spec : plot.series) {
    for (PlotSeries& series : series_of(plot, spec, machines, baselines)) {
      if (series.points.empty()) continue;
      require_drawable(plot, series);
      std::stable_sort(series.points.begin(), series.points.end(),
                       [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
      // In a panel of its machine a series has the name that it has in the others.
      series.panel = plot.published_on.empty() ? ""
                     : series.machine.empty()  ? "published: " + plot.published_on
                                               : series.machine;
      if (series.panel.empty() && !series.machine.empty()) series.label += " on " + series.machine;
      all.push_back(std::move(series));
    }
  }
  return all;
}

Spread spread_of(const PlotSeries& series) {
  std::vector<double> values;
  for (const PlotPoint& point : series.points) values.push_back(point.y);
  Spread spread;
  spread.median = stats::median(values);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  spread.least = *least / spread.median;
  spread.most = *most / spread.median;
  return spread;
}

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
