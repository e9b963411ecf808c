#include <fmt/format.h>

#include <algorithm>

#include "perf/output/history/store.h"
#include "perf/output/page/sections.h"
#include "perf/output/page/series.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

/// Index of the run at which the level changed last; -1 where it never did.
int last_change(const json& series) {
  if (!series.contains("changes")) return -1;
  const std::size_t point = series.at("changes").back().at(0);
  return series.at("points").at(point).at(0);
}

json history_verdict(const json& series) {
  const auto changed = static_cast<std::size_t>(std::count_if(
      series.begin(), series.end(), [](const json& each) { return each.contains("changes"); }));
  return {{"state", changed == 0 ? "pass" : "undecided"},
          {"sentence", changed == 0 ? fmt::format("No level changed in {} series.", series.size())
                                    : fmt::format("The level changed in {} of {} series.", changed,
                                                  series.size())}};
}

}  // namespace

json history_section(const std::string& location) {
  history::HistoryStore store = history::open_store(location, history::Access::read);
  SeriesReader reader(store);
  json all = json::array();
  for (const history::SeriesSummary& summary : store.rows()) {
    json series = reader.series(summary.name, summary.fingerprint_hash);
    if (series.is_null()) continue;
    series["name"] = printable(summary.name, 1024);
    series["machine"] = printable(summary.machine, 200);
    series["verdict"] = history::verdict_text(summary.last_verdict);
    all.push_back(std::move(series));
  }
  std::stable_sort(all.begin(), all.end(), [](const json& one, const json& other) {
    return last_change(one) > last_change(other);
  });
  json facts = json::array();
  facts.push_back({"kept in", printable(store.name(), 300)});
  facts.push_back({"runs", std::to_string(reader.runs().size())});
  return {{"kind", "history"},
          {"title", "History"},
          {"verdict", history_verdict(all)},
          {"facts", facts},
          {"runs", reader.runs()},
          {"series", all},
          {"left_out", reader.left_out()}};
}

}  // namespace ratchet::report
