#include "perf/output/page/history_series.h"

#include <algorithm>

#include "perf/output/history/keep.h"
#include "perf/output/history/series.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

/// Limits on runs per row, points in total, and seconds: a page of a thousand rows stays small and
/// is written quickly.
constexpr std::size_t most_runs = 200, most_points = 30000;
constexpr std::chrono::seconds most_time{4};
constexpr double false_alarms = 0.01;

}  // namespace

SeriesReader::SeriesReader(history::HistoryStore& store)
    : store_(store), begin_(std::chrono::steady_clock::now()) {}

json SeriesReader::series(const std::string& row, const std::string& fingerprint_hash) {
  if (points_ > most_points || std::chrono::steady_clock::now() - begin_ > most_time) {
    ++left_out_;
    return nullptr;
  }
  std::vector<history::Point> points = store_.series(row, fingerprint_hash);
  std::erase_if(points, [](const history::Point& point) { return !point.throughput; });
  if (points.empty()) return nullptr;
  if (points.size() > most_runs)
    points.erase(points.begin(), points.end() - static_cast<std::ptrdiff_t>(most_runs));
  points_ += points.size();
  json list = json::array(), changes = json::array();
  for (const history::Point& point : points)
    list.push_back({index_of(point), tidy_number(*point.throughput)});
  for (const history::Change& change : history::find_changes(points, false_alarms))
    changes.push_back({change.point, tidy_number(change.before), tidy_number(change.after)});
  json model = {{"points", list}};
  if (!changes.empty()) model["changes"] = changes;
  return model;
}

std::size_t SeriesReader::index_of(const history::Point& point) {
  const auto [place, added] = indices_.try_emplace(point.run_id, runs_.size());
  if (added)
    runs_.push_back(
        {point.time.substr(0, 16) + "Z", printable(point.revision, 60), printable(point.mode, 20)});
  return place->second;
}

json history_of_rows(const std::string& location, const Fingerprint& machine, const json& rows) {
  if (location == history::no_history) return {{"missing", "The run kept no history."}};
  try {
    history::HistoryStore store = history::open_store(location, history::Access::read);
    SeriesReader reader(store);
    json by_row = json::object();
    for (const json& row : rows) {
      if (!row.contains("now")) continue;
      const RowId name = row.at("name").get<std::string>();
      json series = reader.series(name, history::fingerprint_hash(machine, name.device()));
      if (!series.is_null()) by_row[name] = std::move(series);
    }
    return {{"place", printable(store.name(), 300)},
            {"runs", reader.runs()},
            {"rows", by_row},
            {"left_out", reader.left_out()}};
  } catch (const Error& error) {
    return {{"missing", printable(error.what(), 400)}};
  }
}

}  // namespace ratchet::report
