// How long games are: the share of shuffled deals with so many turns or more, beside the longest
// games that the text found; a picture for the family's page. The games are those of seed 1, so
// that it is the same everywhere.
#include <fmt/format.h>

#include <cmath>

#include "correctness/bmn/checks/checks.h"
#include "kernels/bmn/bmn.h"
#include "perf/output/drawing/vega.h"
#include "perf/study/report/plots/drawings.h"
#include "perf/support/json_file.h"

namespace ratchet::bmn {
namespace {

using nlohmann::json;

constexpr std::uint64_t kDeals = 1'000'000;
/// "share" 1e-12, the lowest that is drawn.
constexpr double kLowest = 1e-12;

constexpr const char* layers = R"([
  {"transform": [{"filter": "datum.kind == 'law'"}],
   "mark": {"type": "line", "strokeDash": [5, 4], "color": "#2f86e0"}},
  {"transform": [{"filter": "datum.kind == 'games'"}],
   "mark": {"type": "line", "strokeWidth": 2.5, "color": "#2f86e0"}},
  {"transform": [{"filter": "datum.kind == 'longest'"}],
   "mark": {"type": "rule", "strokeWidth": 2, "color": "#d04a10"},
   "encoding": {"y": {"value": 90}, "y2": {"value": "height"}}},
  {"transform": [{"filter": "datum.kind == 'longest'"}],
   "mark": {"type": "text", "align": "right", "dx": 8, "dy": {"expr": "datum.above"}},
   "encoding": {"y": {"value": 80}, "text": {"field": "note"}}}
])";

std::vector<std::uint64_t> lengths_of_games() {
  const auto& stage = dynamic_cast<const BmnStage&>(*find_stage("bmn/cpu/04_planes"));
  Parameters parameters = stage.defaults();
  parameters.set("deals", kDeals);
  const auto table = stage.prepare_table(parameters);
  table->run();
  table->wait();
  const Result result = table->collect();
  return {result.lengths.begin(), result.lengths.end()};
}

json point(const char* kind, double turns, double share) {
  return {{"kind", kind}, {"turns", tidy_number(turns)}, {"share", tidy_number(share)}};
}

/// The share of the games that are so long or longer.
void add_games(json& values, const std::vector<std::uint64_t>& lengths) {
  std::uint64_t longer = 0;
  for (unsigned bin = kBins; bin-- > 0;) {
    longer += lengths[bin];
    if (longer > 0)
      values.push_back(point("games", bin_start(bin), static_cast<double>(longer) / kDeals));
  }
}

/// Straight on from 1000 turns, by P(>= 1000) and P(>= 2000) of 4e7 deals.
void add_law(json& values) {
  const double at_1000 = 9.79e-3, at_2000 = 7.4e-5;
  const double last = 1000 + 1000 * std::log(kLowest / at_1000) / std::log(at_2000 / at_1000);
  values.push_back(point("law", 1000, at_1000));
  values.push_back(point("law", last, kLowest));
}

/// `above`: pixels by which the note stands higher, where it would run into another one.
void add_longest(json& values, double turns, const std::string& note, int above = 0) {
  json value = point("longest", turns, kLowest);
  value["above"] = -above;
  value["note"] = note;
  values.push_back(value);
}

json lengths() {
  json values = json::array();
  add_games(values, lengths_of_games());
  add_law(values);
  double best = 0;
  for (const OracleRow& row : oracle("bmn_document_deals.tsv"))
    best = std::max(best, std::stod(row.at("doc_turns")));
  add_longest(values, best, fmt::format("the text's best, {:.0f}", best));
  add_longest(values, 8344, "longest known that ends, 8344", 20);
  json spec = vega::titled(
      "How long a game is",
      fmt::format("share of {} shuffled deals (seed 1) with so many turns or more; dashed: by the "
                  "rate of fall from 1000 to 2000 turns",
                  kDeals));
  spec["data"] = {{"values", values}};
  spec["width"] = 680;
  spec["height"] = 320;
  spec["encoding"] = {{"x", {{"field", "turns"}, {"type", "quantitative"}, {"title", "turns"}}},
                      {"y",
                       {{"field", "share"},
                        {"type", "quantitative"},
                        {"title", "share of games"},
                        {"scale", {{"type", "log"}, {"domain", {kLowest, 1}}}},
                        {"axis", {{"format", ".0e"}, {"tickCount", 7}}}}}};
  spec["layer"] = json::parse(layers);
  return spec;
}

const report::PictureRegistration registered{"bmn", "lengths", &lengths};

}  // namespace
}  // namespace ratchet::bmn
