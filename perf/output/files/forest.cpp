#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "perf/gate/baseline/units.h"
#include "perf/output/drawing/vega.h"
#include "perf/output/files/formats.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

using gate::Verdict;
using nlohmann::json;

constexpr const char* forest_layers = R"([
  {"mark": {"type": "bar", "height": {"band": 0.8}, "opacity": 0.18, "color": "#888"},
   "encoding": {"x": {"field": "from"}, "x2": {"field": "tolerance"}, "color": null,
                "shape": null}},
  {"data": {"values": [{}]},
   "mark": {"type": "rule", "strokeDash": [3, 3], "color": "#888"},
   "encoding": {"x": {"datum": 0}, "y": null, "color": null, "shape": null}},
  {"transform": [{"filter": "datum.low != null"}],
   "mark": {"type": "rule", "strokeWidth": 3},
   "encoding": {"x": {"field": "low"}, "x2": {"field": "high"}, "shape": null}},
  {"mark": {"type": "point", "filled": true, "size": 110, "opacity": 1},
   "encoding": {"x": {"field": "change"}}},
  {"mark": {"type": "text", "align": "left", "dx": 8},
   "encoding": {"x": {"field": "end"}, "text": {"field": "note"}, "color": null,
                "shape": null}}
])";

/// Verdicts by shape and colour, the same in every run and visible in both themes.
constexpr std::array drawn_verdicts = {Verdict::slower, Verdict::undecided, Verdict::same,
                                       Verdict::faster};
const json verdicts = {{"domain", drawn_verdicts},
                       {"range", {"#d04a10", "#a8720a", "#4f957f", "#2f86e0"}}};
const json shapes = {{"domain", drawn_verdicts},
                     {"range", {"triangle-down", "diamond", "circle", "triangle-up"}}};

bool is_drawn(const history::RowRecord& row) {
  return row.ratio && std::find(drawn_verdicts.begin(), drawn_verdicts.end(), row.verdict) !=
                          drawn_verdicts.end();
}

json row_datum(const history::RowRecord& row) {
  constexpr double most = 1e3;  // a figure that is 0 now would squeeze the rest
  const auto percent = [&](double ratio) { return tidy_number((std::min(ratio, most) - 1) * 100); };
  const double tolerance = row.tolerance.value_or(0);
  return {{"row", row.name},
          {"verdict", history::verdict_text(row.verdict)},
          {"change", percent(*row.ratio)},
          {"low", row.low ? percent(*row.low) : json()},
          {"high", row.high ? percent(*row.high) : json()},
          {"end", percent(std::max(row.high.value_or(0), *row.ratio))},
          {"tolerance", percent(1 + tolerance)},
          {"from", percent(1 - tolerance)},
          {"note", change_text(*row.ratio)}};
}

/// "1 slower, 6 same; not compared by time: 5 same".
std::string counts(const history::RunRecord& run) {
  gate::VerdictCounts drawn, rest;
  for (const history::RowRecord& row : run.rows)
    if (row.verdict) (is_drawn(row) ? drawn : rest).add(*row.verdict);
  std::string text;
  for (const Verdict verdict : drawn_verdicts)
    if (drawn[verdict] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", drawn[verdict], to_string(verdict));
  const std::string others = rest.text();
  return text + (others.empty() ? "" : "; not compared by time: " + others);
}

}  // namespace

std::optional<json> forest_spec(const history::RunRecord& run) {
  std::vector<const history::RowRecord*> rows;
  for (const history::RowRecord& row : run.rows)
    if (is_drawn(row)) rows.push_back(&row);
  if (rows.empty()) return std::nullopt;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* one, const auto* other) { return *one->ratio < *other->ratio; });
  json values = json::array();
  for (const history::RowRecord* row : rows) values.push_back(row_datum(*row));
  json spec =
      vega::titled(fmt::format("A gate run on {}: {}", run.machine, counts(run)),
                   "one line per row: change of the throughput, its interval; grey: the tolerance");
  spec["data"] = {{"values", std::move(values)}};
  spec["width"] = 460;
  spec["height"] = {{"step", 26}};
  json verdict = {
      {"field", "verdict"}, {"type", "nominal"}, {"title", nullptr}, {"scale", verdicts}};
  spec["encoding"] = {
      {"y", {{"field", "row"}, {"type", "nominal"}, {"title", nullptr}, {"sort", nullptr}}},
      {"x",
       {{"type", "quantitative"},
        {"title", "change of the throughput, %"},
        {"scale", {{"padding", 30}}},
        {"axis", {{"labelExpr", "datum.value == 0 ? '0' : format(datum.value, '+~r')"}}}}},
      {"color", verdict}};
  verdict["scale"] = shapes;
  spec["encoding"]["shape"] = verdict;
  spec["layer"] = json::parse(forest_layers);
  return spec;
}

}  // namespace ratchet::report
