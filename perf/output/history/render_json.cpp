#include "perf/output/history/render.h"
#include "perf/support/json_file.h"

namespace ratchet::history {
namespace {

using nlohmann::json;

json figure(const std::optional<double>& value) { return value ? tidy_number(*value) : json(); }

json point_json(const Point& point) {
  json launches = json::array();
  for (const double value : point.launches) launches.push_back(tidy_number(value));
  return {{"time", point.time},
          {"revision", point.revision},
          {"mode", point.mode},
          {"verdict", verdict_text(point.verdict)},
          {"reason", point.reason},
          {"ratio", figure(point.ratio)},
          {"units_per_second", figure(point.throughput)},
          {"units", figure(point.units)},
          {"launches", launches}};
}

json change_json(const Change& change, const Point& point) {
  return {{"index", change.point},
          {"time", point.time},
          {"revision", point.revision},
          {"before", tidy_number(change.before)},
          {"after", tidy_number(change.after)},
          {"ratio", tidy_number(change.after / change.before)},
          {"p_value", tidy_number(change.p_value)}};
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
          {"fingerprint", series.summary.fingerprint_hash},
          {"false_alarms", false_alarms},
          {"points", points},
          {"change_points", changes}};
}

json list_json(const std::vector<SeriesSummary>& all) {
  json list = json::array();
  for (const SeriesSummary& each : all)
    list.push_back({{"row", each.name},
                    {"machine", each.machine},
                    {"fingerprint", each.fingerprint_hash},
                    {"runs", each.runs},
                    {"last_time", each.last_time},
                    {"last_verdict", verdict_text(each.last_verdict)},
                    {"last_units_per_second", figure(each.last_throughput)}});
  return list;
}

}  // namespace ratchet::history
