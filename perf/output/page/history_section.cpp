#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "kernels/contract/counted.h"
#include "perf/gate/baseline/units.h"
#include "perf/output/history/store.h"
#include "perf/output/page/sections.h"
#include "perf/output/page/series.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

/// The time of the last change point, or of the gate that called it slower; empty without either.
std::string last_event(const json& series, const json& runs) {
  const auto time = [&](std::size_t point) -> std::string {
    return runs.at(series.at("points").at(point).at(0).get<std::size_t>()).at(0);
  };
  std::string last;
  if (series.contains("changes")) last = time(series.at("changes").back().at(0));
  return series.contains("slower") ? std::max(last, time(series.at("slower"))) : last;
}

/// After a change point over before it; of a gate that called it slower, its own.
double ratio_of(const json& series, const char* loss) {
  if (loss == std::string_view("slower")) {
    const json& point = series.at("points").at(series.at(loss).get<std::size_t>());
    return point.size() > 3 ? point.at(3).get<double>() : 1;
  }
  const json& change = series.at("changes").back();
  return change.at(2).get<double>() / change.at(1).get<double>();
}

/// A run of no known commit is named by its time.
/// "demo/cpu/01_a, -7.4 % at 0123456789ab", or "... (the gate of 0123456789ab against ...)".
std::string loss_text(const json& series, const char* loss, const json& runs) {
  const bool gate = loss == std::string_view("slower");
  const std::size_t point = gate ? series.at(loss) : series.at("changes").back().at(0);
  const json& run = runs.at(series.at("points").at(point).at(0).get<std::size_t>());
  const auto or_else = [](const std::string& known, const std::string& otherwise) {
    return known.empty() ? otherwise : known.substr(0, 12);
  };
  const std::string commit = or_else(run.at(1), run.at(0));
  const std::string against =
      or_else(run.at(3).value("against", ""),
              run.at(2) == "stored" ? "stored figures" : "a build whose commit is not known");
  return fmt::format(
      "{}, {} {}", series.at("name").get<std::string>(), change_text(ratio_of(series, loss), 1),
      gate ? fmt::format("(the gate of {} against {})", commit, against) : "at " + commit);
}

/// Of the series that have this loss, their number and the largest.
struct Losses {
  Losses(const json& all, const char* key, const json& runs) {
    const json* largest = nullptr;
    for (const json& series : all) {
      if (!series.contains(key)) continue;
      ++count;
      if (!largest || ratio_of(series, key) < ratio_of(*largest, key)) largest = &series;
    }
    if (largest) worst = loss_text(*largest, key, runs);
  }
  std::size_t count = 0;
  std::string worst;
};

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
  const Losses lost(all, "lost", runs), slower(all, "slower", runs);
  std::size_t changes = 0;
  for (const json& series : all) changes += series.value("changes", json::array()).size();
  if (const std::size_t chance = losses_by_chance(all.size());
      lost.count > 0 && slower.count == 0 && lost.count <= chance)
    return made(
        "undecided",
        fmt::format(
            "{} of {} series lost throughput at a change point, which chance alone shows in "
            "up to {}; no gate called a row slower. The largest loss: {}.",
            lost.count, all.size(), chance, lost.worst));
  const std::string found =
      changes == 0 ? fmt::format("No change point in {} series.", all.size())
                   : fmt::format("{} in {} series.", counted(changes, "change points"), all.size());
  std::string sentence;
  if (slower.count > 0)
    sentence = fmt::format("A gate called {} of {} series slower; the largest loss: {}. ",
                           slower.count, all.size(), slower.worst);
  if (lost.count > 0)
    sentence += fmt::format(
        "{} of {} series lost throughput at {} last change point; the largest "
        "loss: {}. ",
        lost.count, all.size(), lost.count == 1 ? "its" : "their", lost.worst);
  if (sentence.empty()) return made("pass", "No series lost throughput. " + found);
  return made("regression", sentence + found);
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
    const auto place = [&](const json& series) {
      return std::pair(series.contains("lost") || series.contains("slower"),
                       last_event(series, runs));
    };
    return place(one) > place(other);
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
