#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/contract/counted.h"
#include "perf/output/history/store.h"
#include "perf/output/page/sections.h"
#include "perf/output/page/series.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

/// The time of the last event of a series; empty where it has none.
std::string last_event(const json& series, const json& runs) {
  if (!series.contains("events")) return "";
  const std::size_t point = series.at("events").back().at(0);
  const std::size_t run = series.at("points").at(point).at(0);
  return runs.at(run).at(0);
}

double last_ratio(const json& series) { return series.at("events").back().at(2); }

/// "demo/cpu/01_a, -7.4 % at 0123456789ab", of the largest loss.
std::string worst_text(const json& series, const json& runs) {
  const json& point = series.at("points").at(series.at("events").back().at(0).get<std::size_t>());
  return fmt::format("{}, {:+.1f} % at {}", series.at("name").get<std::string>(),
                     100 * (last_ratio(series) - 1),
                     runs.at(point.at(0).get<std::size_t>()).at(1).get<std::string>());
}

/// A change point and the verdict of the run that it begins with are one change.
std::size_t changes_of(const json& series) {
  std::set<std::size_t> points;
  for (const json& event : series.value("events", json::array()))
    points.insert(event.at(0).get<std::size_t>());
  return points.size();
}

/// The most losses at change points that `series` steady series show by chance, but for one history
/// in a hundred. Each shows a change point with 1 %, half of which are losses.
std::size_t losses_by_chance(std::size_t series) {
  const double expected = 0.005 * static_cast<double>(series);
  double term = std::exp(-expected), sum = term;
  std::size_t most = 0;
  for (; sum < 0.99; sum += term) term *= expected / static_cast<double>(++most);
  return most;
}

/// Agrees with the verdicts of the runs: none that called a row slower is passed over.
json history_verdict(const json& all, const json& runs) {
  const auto made = [](const char* state, const std::string& sentence) -> json {
    return {{"state", state}, {"sentence", sentence}};
  };
  if (all.empty()) return made("nothing", "No run of this history has figures.");
  std::size_t lost = 0, by_runs = 0, events = 0;
  const json* worst = nullptr;
  for (const json& series : all) {
    events += changes_of(series);
    if (!series.contains("lost")) continue;
    ++lost;
    by_runs += series.contains("slower");
    if (!worst || last_ratio(series) < last_ratio(*worst)) worst = &series;
  }
  if (const std::size_t chance = losses_by_chance(all.size());
      lost > 0 && by_runs == 0 && lost <= chance)
    return made(
        "undecided",
        fmt::format(
            "{} of {} series lost throughput at a change point, which chance alone shows in "
            "up to {}; no run called a row slower. The largest loss: {}.",
            lost, all.size(), chance, worst_text(*worst, runs)));
  if (worst)
    return made(
        "regression",
        fmt::format("{} of {} series lost throughput at {} last change; the largest loss: "
                    "{}.",
                    lost, all.size(), lost == 1 ? "its" : "their", worst_text(*worst, runs)));
  if (events > 0)
    return made("pass",
                fmt::format("No series lost throughput at its last change; {} in {} series.",
                            counted(events, "changes"), all.size()));
  return made("pass",
              fmt::format("No change point in {} series, and no run called a row slower or faster.",
                          all.size()));
}

}  // namespace

json history_section(const std::string& location) {
  history::HistoryStore store = history::open_store(location, history::Access::read);
  SeriesReader reader(store, limits_of_a_site);
  json all = json::array();
  for (const history::SeriesSummary& summary : store.rows()) {
    for (json& series : reader.series(summary.name, summary.fingerprint_hash)) {
      series["name"] = printable(summary.name, 1024);
      series["machine"] = printable(summary.machine, 200);
      series["fingerprint"] = summary.fingerprint_hash.substr(0, 8);
      series["unit"] = printable(summary.unit, 40);
      all.push_back(std::move(series));
    }
  }
  // Losses first, the latest first; then other changes, the latest first.
  const json& runs = reader.runs();
  std::stable_sort(all.begin(), all.end(), [&](const json& one, const json& other) {
    return std::pair(one.contains("lost"), last_event(one, runs)) >
           std::pair(other.contains("lost"), last_event(other, runs));
  });
  json facts = json::array();
  facts.push_back({"kept in", printable(store.name(), 300)});
  facts.push_back({"runs", std::to_string(reader.runs().size())});
  facts.push_back(
      {"change points", "a series without a change shows one with a probability of 1 %"});
  return {{"kind", "history"},
          {"title", "History"},
          {"verdict", history_verdict(all, runs)},
          {"facts", facts},
          {"runs", runs},
          {"series", all},
          {"left_out", reader.left_out()}};
}

}  // namespace ratchet::report
