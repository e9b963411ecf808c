#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/contract/counted.h"
#include "perf/output/page/row_model.h"
#include "perf/output/page/sections.h"
#include "perf/output/page/series.h"
#include "perf/support/clock.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

std::size_t judged_of(const Node& fleet) {
  std::size_t judged = 0;
  for (const Node& node : fleet.at("nodes").list()) judged += node.at("judged").truth();
  return judged;
}

json facts_of(const Node& fleet, const Fingerprint& machine) {
  json facts = json::array();
  const auto add = [&](const char* name, const std::string& text) {
    facts.push_back({name, printable(text, 300)});
  };
  add("machine", machine_text(machine));
  add("nodes", fmt::format("{} of {} judged", judged_of(fleet), fleet.at("asked").count()));
  std::string differing;
  for (const Node& node : fleet.at("nodes").list())
    if (node.has("differs")) differing += (differing.empty() ? "" : ", ") + node.at("name").text();
  if (!differing.empty()) add("nodes that differ", differing);
  if (!fleet.has("commits")) add("this build", fleet.at("revision").text());
  add("against", fleet.at("against").text());
  if (const auto time = utc_time(fleet.text_or_empty("began")))
    add("when", time->substr(0, 10) + " " + time->substr(11, 5) + " UTC");
  return facts;
}

std::vector<RowModel> rows_of(const Node& fleet) {
  std::vector<RowModel> rows;
  for (const auto& [name, entry] : fleet.at("rows").members()) {
    RowModel row = row_model(name, entry);
    if (entry.has("throughput")) row.model["now"] = {{"median", entry.at("throughput").positive()}};
    if (entry.has("nodes"))
      for (const auto& [node, ratio] : entry.at("nodes").members())
        row.model["nodes"].push_back({printable(node, 200), rounded(ratio.positive(), 6)});
    rows.push_back(std::move(row));
  }
  sort_worst_first(rows);
  return rows;
}

/// If only the lost nodes fail the run (--strict), the sentence has to name them.
json verdict_over(const Node& fleet, const std::vector<RowModel>& rows) {
  json verdict = verdict_of(rows, fleet);
  const bool open = std::any_of(rows.begin(), rows.end(), [](const RowModel& row) {
    return row.verdict == gate::Verdict::undecided || row.verdict == gate::Verdict::uncompared;
  });
  const std::size_t judged = judged_of(fleet), asked = fleet.at("asked").count();
  if (verdict.at("state") == "undecided" && !open && judged < asked)
    verdict["sentence"] =
        fmt::format("Nothing got slower on {}, but {} of {} are lost, which fails here.",
                    counted(judged, "nodes"), asked - judged, asked);
  return verdict;
}

}  // namespace

json fleet_section(const json& merged, const std::string& file, const std::string& history) {
  const Node fleet(merged, file);
  const Fingerprint machine{fleet.at("machine").text_map()};
  const std::vector<RowModel> rows = rows_of(fleet);
  const json models = models_of(rows);
  json notes = json::array();
  for (const Node& line : fleet.list_or_empty("note")) notes.push_back(line.text());
  json section = {{"kind", "run"},
                  {"title", "Fleet"},
                  {"verdict", verdict_over(fleet, rows)},
                  {"facts", facts_of(fleet, machine)},
                  {"doctor", json::array()},
                  {"doctor_asked", false},
                  {"notes", notes},
                  {"counts", counts_of(rows)},
                  {"rows", models},
                  {"history", history_of_rows(history, machine, models)}};
  add_provenance(section, fleet, fleet.at("revision").text(),
                 utc_time(fleet.text_or_empty("began")).value_or(""));
  return section;
}

}  // namespace ratchet::report
