#include "perf/output/page/series.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "perf/gate/rule/facts.h"
#include "perf/output/history/keep.h"
#include "perf/output/history/series.h"
#include "perf/output/page/row_model.h"
#include "perf/output/page/sections.h"
#include "perf/stats/quantile.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

constexpr std::size_t most_runs = 200;  // of a row
constexpr double false_alarms = 0.01;

using Points = std::vector<history::Point>;

json points_model(const Points& points, const std::vector<std::size_t>& runs) {
  json list = json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    json point = {runs[i], tidy_number(*points[i].throughput)};
    const std::string verdict = history::verdict_text(points[i].verdict);
    if (verdict != "same") point.push_back(verdict);
    const bool moved = verdict == "slower" || verdict == "faster";
    if (moved && points[i].ratio) point.push_back(rounded(*points[i].ratio, 6));
    if (moved && points[i].ratio && !points[i].accepted.empty())
      point.push_back(printable(points[i].accepted, 400));
    list.push_back(std::move(point));
  }
  return list;
}

/// Leaves the last `most_runs` points with figures. The change points are those of all runs, as in
/// the terminal; returns those that are left, with their places.
std::vector<history::Change> keep_figures(history::Series& series) {
  std::vector<history::Change> left;
  const Points all = std::exchange(series.points, {});
  auto change = series.changes.begin();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].throughput) continue;
    for (; change != series.changes.end() && change->point == i; ++change) {
      left.push_back(*change);
      left.back().point = series.points.size();
    }
    series.points.push_back(all[i]);
  }
  const std::size_t more = series.points.size() > most_runs ? series.points.size() - most_runs : 0;
  series.points.erase(series.points.begin(), series.points.begin() + static_cast<long>(more));
  std::erase_if(left, [&](const history::Change& each) { return each.point < more; });
  for (history::Change& each : left) each.point -= more;
  return left;
}

/// Adds "lost" and "slower": what no later run took back. A faster run does, an accepted baseline,
/// a commit that accepts it, and a run that is as fast as stored figures; of another base, "same"
/// says nothing of it.
void add_losses(json& model, const Points& points, const std::vector<history::Change>& changes) {
  bool lost = false;
  std::size_t slower = points.size();  // none
  auto change = changes.begin();
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (; change != changes.end() && change->point == i; ++change)
      if (!change->same_code) lost = change->after < change->before;
    const history::Point& point = points[i];
    const bool as_stored = point.verdict == gate::Verdict::same && point.mode == "stored";
    if (point.verdict == gate::Verdict::slower && point.accepted.empty()) {
      slower = i;
    } else if (!point.verdict || !point.accepted.empty() ||
               point.verdict == gate::Verdict::faster || as_stored) {
      slower = points.size();
      lost = false;
    }
  }
  if (lost) model["lost"] = true;
  if (slower < points.size()) model["slower"] = slower;
}

}  // namespace

SeriesReader::SeriesReader(history::HistoryStore& store, SeriesLimits limits)
    : store_(store),
      limits_(limits),
      commits_(store.commits()),
      begin_(std::chrono::steady_clock::now()) {}

std::vector<json> SeriesReader::series(const std::string& row, const std::string& fingerprint_hash,
                                       const std::string& clock) {
  if (points_ > limits_.points || std::chrono::steady_clock::now() - begin_ > limits_.time) {
    ++left_out_;
    return {};
  }
  std::vector<json> models;
  for (history::Series& series :
       history::by_clock({}, store_.series(row, fingerprint_hash, false), false_alarms))
    if (clock.empty() || series.clock.empty() || clock == series.clock)
      if (json model = model_of(std::move(series)); !model.is_null())
        models.push_back(std::move(model));
  return models;
}

json SeriesReader::model_of(history::Series series) {
  Points& points = series.points;
  if (points.empty()) return nullptr;
  const auto last = std::max_element(points.begin(), points.end(),
                                     [](const auto& a, const auto& b) { return a.time < b.time; });
  const std::string verdict = history::verdict_text(last->verdict, last->accepted);
  const std::string clock = history::clock_text(series);
  std::vector<history::Change> changes = keep_figures(series);
  if (points.empty()) return nullptr;
  points_ += points.size();
  std::vector<std::size_t> runs;
  for (const history::Point& point : points) runs.push_back(index_of(point));
  json model = {{"points", points_model(points, runs)},
                {"clock", series.clock},
                {"clock_text", clock},
                {"verdict", verdict}};
  for (const history::Change& change : changes) {
    json entry = {change.point, tidy_number(change.before), tidy_number(change.after)};
    if (change.same_code) entry.push_back("machine");
    model["changes"].push_back(std::move(entry));
  }
  add_losses(model, points, changes);
  return model;
}

std::size_t SeriesReader::index_of(const history::Point& point) {
  const auto [place, added] = indices_.try_emplace(point.run_id, runs_.size());
  if (!added) return place->second;
  json commit = json::object();
  if (const auto known = commits_.find(point.run_id); known != commits_.end())
    commit = shown_commit(known->second);
  const std::string revision =
      point.revision == "unknown" ? commit.value("commit", "").substr(0, 12) : point.revision;
  runs_.push_back(
      {point.time.substr(0, 16) + "Z", printable(revision, 60), printable(point.mode, 20), commit});
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
      std::vector<json> series = reader.series(
          name, history::fingerprint_hash(machine, name.device()), row.value("clock", ""));
      if (!series.empty()) by_row[name] = std::move(series.front());
    }
    return {{"place", printable(store.name(), 300)},
            {"runs", reader.runs()},
            {"rows", by_row},
            {"left_out", reader.left_out()}};
  } catch (const Error& error) {
    return {{"missing", printable(error.what(), 400)}};
  }
}

namespace {

using nlohmann::json;

double clock_mhz(const Launch& launch) {
  const double of_gpu = launch.counter(counter::sm_clock_mhz).value_or(0);
  return of_gpu > 0 ? of_gpu : launch.counter(counter::cpu_mhz).value_or(0);
}

/// The share of the time that the launch did not get. For a row on its own CPU it is 1 - CPU time /
/// wall time; for a third-party program, its wait for a CPU; for a GPU, the share of samples
/// discarded as throttled; otherwise the hypervisor's steal time.
double away_percent(const Launch& launch) {
  if (const auto share = launch.counter(counter::queued)) return 100 * *share;
  if (launch.counter(counter::one_cpu).value_or(0) > 0 && launch.cpu_ms > 0)
    return std::max(0.0, 100 * (1 - launch.cpu_ms / launch.real_ms));
  const double thrown = launch.counter(counter::discarded).value_or(0);
  const double kept = launch.counter(counter::samples).value_or(0);
  if (thrown > 0 && launch.counter(counter::throttled).value_or(0) > 0)
    return 100 * thrown / (thrown + kept);
  return launch.counter(counter::steal_percent).value_or(0);
}

/// Whether the launches recorded how much of their CPU others used, and others used none of it: by
/// the rules' own measures of it, too, so that the page and the row's verdict say the same.
bool was_quiet(const Row& row, const json& series) {
  return !series.contains("away") && !series.contains("contended") && !gate::waits_of(row) &&
         std::any_of(row.launches.begin(), row.launches.end(), [](const Launch& launch) {
           return launch.counter(counter::one_cpu) || launch.counter(counter::queued) ||
                  launch.counter(counter::steal_percent);
         });
}

/// Adds nothing if every launch has 0.
template <class Figure>
void add_figures(json& series, const char* key, const Row& row, int decimals, Figure&& figure) {
  json list = json::array();
  bool any = false;
  for (const Launch& launch : row.launches) {
    const double value = rounded(figure(launch), decimals);
    any = any || value != 0;
    if (value == std::floor(value))
      list.push_back(static_cast<std::int64_t>(value));
    else
      list.push_back(value);
  }
  if (any) series[key] = std::move(list);
}

}  // namespace

json launch_series(const Row& row) {
  const std::vector<double> speeds = row.throughputs();
  if (speeds.empty()) return json::object();
  const double median = stats::median(speeds);
  json ppm = json::array(), contended = json::array();
  for (const double speed : speeds)
    ppm.push_back(static_cast<std::int64_t>(
        std::llround(std::min(speed / median - 1, 1e9) * 1e6)));  // a figure may be 0
  for (std::size_t i = 0; i < row.launches.size(); ++i)
    if (row.launches[i].contended()) contended.push_back(i);
  json series = {{"median", tidy_number(median)}, {"ppm", ppm}};
  add_figures(series, "mhz", row, 0, clock_mhz);
  add_figures(series, "away", row, 1, away_percent);
  if (!contended.empty()) series["contended"] = contended;
  if (was_quiet(row, series)) series["quiet"] = true;
  return series;
}

}  // namespace ratchet::report
