#include <fmt/format.h>

#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/units.h"
#include "perf/output/drawing/vega.h"
#include "perf/output/history/render.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::history {
namespace {

using nlohmann::json;

json figure(const std::optional<double>& value) { return value ? tidy_number(*value) : json(); }

json point_json(const Point& point) {
  json launches = json::array();
  for (const double value : point.launches) launches.push_back(tidy_number(value));
  json made = {{"time", point.time},
               {"revision", point.revision},
               {"mode", point.mode},
               {"verdict", verdict_text(point.verdict)},
               {"reason", point.reason},
               {"ratio", figure(point.ratio)},
               {"units_per_second", figure(point.throughput)},
               {"units", figure(point.units)},
               {"launches", launches}};
  if (!point.accepted.empty()) made["accepted"] = point.accepted;
  return made;
}

json change_json(const Change& change, const Point& point) {
  return {{"index", change.point},
          {"time", point.time},
          {"revision", point.revision},
          {"before", tidy_number(change.before)},
          {"after", tidy_number(change.after)},
          {"ratio", tidy_number(change.after / change.before)},
          {"p_value", tidy_number(change.p_value)},
          {"same_code", change.same_code}};
}

}  // namespace

json series_json(const Series& series, double false_alarms) {
  json points = json::array();
  for (const Point& point : series.points) points.push_back(point_json(point));
  json changes = json::array();
  for (const Change& change : series.changes)
    changes.push_back(change_json(change, series.points.at(change.point)));
  return {{"row", series.summary.name},
          {"machine", series.summary.machine},
          {"unit", series.summary.unit},
          {"fingerprint", series.summary.fingerprint_hash},
          {"clock", series.clock},
          {"false_alarms", false_alarms},
          {"points", points},
          {"change_points", changes}};
}

json list_json(const std::vector<SeriesSummary>& all) {
  json list = json::array();
  for (const SeriesSummary& each : all) {
    list.push_back({{"row", each.name},
                    {"machine", each.machine},
                    {"unit", each.unit},
                    {"clock", each.clock},
                    {"clocks_differ", each.clocks_differ},
                    {"fingerprint", each.fingerprint_hash},
                    {"runs", each.runs},
                    {"last_time", each.last_time},
                    {"last_verdict", verdict_text(each.last_verdict)},
                    {"last_units_per_second", figure(each.last_throughput)}});
    if (!each.accepted.empty()) list.back()["last_accepted"] = each.accepted;
  }
  return list;
}

namespace {

using nlohmann::json;

constexpr const char* plot_layers = R"([
  {"transform": [{"filter": "datum.kind == 'launch'"}],
   "mark": {"type": "point", "filled": true, "size": 16, "opacity": 0.35, "color": "#888"}},
  {"transform": [{"filter": "datum.kind == 'level'"}],
   "mark": {"type": "rule", "strokeWidth": 2, "color": "#359bd2"},
   "encoding": {"x2": {"field": "x2"}}},
  {"transform": [{"filter": "datum.kind == 'run'"}],
   "mark": {"type": "point", "filled": true, "size": 60, "opacity": 1, "color": "#359bd2"}},
  {"transform": [{"filter": "datum.kind == 'change'"}],
   "mark": {"type": "rule", "strokeDash": [4, 3], "color": "#d04a10"}, "encoding": {"y": null}},
  {"transform": [{"filter": "datum.kind == 'change'"}],
   "mark": {"type": "text", "baseline": "bottom", "dy": -4},
   "encoding": {"y": {"value": 0}, "text": {"field": "note"}}}
])";

void add_runs(json& values, const Series& series) {
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const Point& point = series.points[i];
    for (const double launch : point.launches)
      values.push_back({{"kind", "launch"}, {"run", i}, {"value", tidy_number(launch)}});
    if (point.throughput)
      values.push_back({{"kind", "run"},
                        {"run", i},
                        {"value", tidy_number(*point.throughput)},
                        {"revision", printable(point.revision)},
                        {"time", printable(point.time)},
                        {"verdict", verdict_text(point.verdict)}});
  }
}

void add_levels(json& values, const Series& series) {
  const std::vector<double> level = levels(series);
  for (std::size_t from = 0, i = 0; i < level.size(); ++i) {
    if (i + 1 < level.size() && level[i + 1] == level[from]) continue;
    if (level[from] > 0)
      values.push_back({{"kind", "level"},
                        {"run", static_cast<double>(from) - 0.1},
                        {"x2", static_cast<double>(i) + 0.1},
                        {"value", tidy_number(level[from])}});
    from = i + 1;
  }
}

void add_changes(json& values, const Series& series) {
  for (const Change& change : series.changes)
    values.push_back({{"kind", "change"},
                      {"run", static_cast<double>(change.point) - 0.5},
                      {"note", change_text(change.after / change.before)}});
}

/// At most eight runs are named under the axis, the first always.
json run_axis(const Series& series) {
  const std::size_t every = (series.points.size() + 7) / 8;
  json named = json::array(), labels = json::object();
  for (std::size_t i = 0; i < series.points.size(); i += every) {
    const Point& point = series.points[i];
    named.push_back(i);
    labels[std::to_string(i)] = {printable(point.revision.substr(0, 12)),
                                 printable(point.time.substr(0, 10))};
  }
  return {{"values", named}, {"labelExpr", labels.dump() + "[datum.value]"}, {"grid", false}};
}

}  // namespace

json vega_spec(const Series& given) {
  const Series series = drawn(given);
  const auto kind = figure_kind(given.summary.unit);
  const std::string unit = !kind                ? "throughput, " + given.summary.unit + "/s"
                           : kind->unit.empty() ? "value"
                                                : kind->unit;
  const SeriesSummary& of = series.summary;
  json values = json::array();
  add_runs(values, series);
  add_levels(values, series);
  add_changes(values, series);
  const std::string clock = clock_text(series);
  json spec = vega::titled(fmt::format("{} on {} ({})", printable(of.name), of.machine,
                                       of.fingerprint_hash.substr(0, 8)));
  spec["data"] = {{"values", std::move(values)}};
  spec["width"] = 680;
  spec["height"] = 300;
  spec["encoding"] = {{"x",
                       {{"field", "run"},
                        {"type", "quantitative"},
                        {"title", "gate run"},
                        {"scale", {{"zero", false}, {"nice", false}, {"padding", 40}}},
                        {"axis", run_axis(series)}}},
                      {"y",
                       {{"field", "value"},
                        {"type", "quantitative"},
                        {"title", clock.empty() ? unit : unit + ", by " + clock},
                        {"scale", {{"zero", false}, {"padding", 16}}},
                        {"axis", {{"format", "~s"}}}}}};
  spec["layer"] = json::parse(plot_layers);
  return spec;
}

}  // namespace ratchet::history
