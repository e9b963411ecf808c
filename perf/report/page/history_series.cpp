#include "perf/report/page/history_series.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include "kernels/support/error.h"
#include "perf/history/keep.h"
#include "perf/history/series.h"
#include "perf/history/store.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

/// Runs a row, points in all, and seconds: a page of a thousand rows stays small and is made at
/// once.
constexpr std::size_t most_runs = 200, most_points = 30000;
constexpr double most_seconds = 4;
constexpr double false_alarms = 0.01;

/// The runs that the points refer to, each once.
class Runs {
 public:
  std::size_t index(const history::Point& point) {
    const auto [place, added] = indices_.try_emplace(point.run_id, list_.size());
    if (added)
      list_.push_back({point.time.substr(0, 16) + "Z", printable(point.revision, 60),
                       printable(point.mode, 20)});
    return place->second;
  }
  json list() const { return list_; }

 private:
  std::map<std::string, std::size_t> indices_;
  json list_ = json::array();
};

json series_model(std::vector<history::Point> points, Runs& runs) {
  std::erase_if(points, [](const history::Point& point) { return !point.throughput; });
  if (points.size() > most_runs) points.erase(points.begin(), points.end() - most_runs);
  json list = json::array(), changes = json::array();
  for (const history::Point& point : points)
    list.push_back({runs.index(point), tidy_number(*point.throughput)});
  for (const history::Change& change : history::find_changes(points, false_alarms))
    changes.push_back({change.point, tidy_number(change.before), tidy_number(change.after)});
  json model = {{"points", list}};
  if (!changes.empty()) model["changes"] = changes;
  return model;
}

json read_series(history::HistoryStore& store, const Fingerprint& machine, const json& rows) {
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  Runs runs;
  json by_row = json::object();
  std::size_t points = 0, left_out = 0;
  for (const json& row : rows) {
    if (!row.contains("now")) continue;
    const std::string name = row.at("name");
    if (points > most_points || seconds() > most_seconds) {
      ++left_out;
      continue;
    }
    const std::string hash = history::fingerprint_hash(machine, device_of(name));
    json model = series_model(store.series(name, hash), runs);
    points += model.at("points").size();
    if (!model.at("points").empty()) by_row[name] = std::move(model);
  }
  json read = {{"place", printable(store.name(), 300)}, {"runs", runs.list()}, {"rows", by_row}};
  if (left_out > 0) read["left_out"] = left_out;
  return read;
}

}  // namespace

json history_of_rows(const std::string& location, const Fingerprint& machine, const json& rows) {
  if (location == history::no_history) return {{"missing", "the run kept no history"}};
  try {
    history::HistoryStore store = history::open_store(location, history::Access::read);
    return read_series(store, machine, rows);
  } catch (const Error& error) {
    return {{"missing", printable(error.what(), 400)}};
  }
}

}  // namespace ratchet::report
