#include <fmt/format.h>

#include "perf/output/page/row_model.h"
#include "perf/output/page/sections.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

/// One comparison of two revisions: what the search said of it.
json judgement_model(const Node& judgement) {
  json model = {{"verdict", gate::verdict_in(judgement)},
                {"words", printable(judgement.at("words").text(), 1024)}};
  if (judgement.has("ratio")) model["ratio"] = rounded(judgement.at("ratio").positive(), 6);
  return model;
}

json steps_model(const Node& conclusion) {
  json steps = json::array();
  for (const Node& step : conclusion.at("steps").list())
    steps.push_back({{"commit", fmt::format("{:.12}", printable(step.at("commit").text()))},
                     {"subject", printable(step.at("subject").text(), 200)},
                     {"unchanged", step.at("unchanged").count()}});
  return steps;
}

json finding_model(const Node& found, std::size_t steps) {
  if (found.at("first_bad").count() >= steps)
    throw Error("bisect.json: first_bad is not an index of a step");
  json model = {{"row", printable(found.at("row").text(), 1024)},
                {"total", judgement_model(found.at("total"))},
                {"alone", judgement_model(found.at("alone"))},
                {"last_good", found.at("last_good").count()},
                {"first_bad", found.at("first_bad").count()}};
  model["skipped"] = found.at("skipped").value();
  if (found.has("explain")) model["explain"] = printable(found.at("explain").text(), 1024);
  for (const Node& reason : found.at("reasons").list())
    model["reasons"].push_back(printable(reason.text(), 400));
  return model;
}

}  // namespace

json bisect_section(const std::filesystem::path& file) {
  const json root = read_json(file);
  const Node state(root, file.string());
  if (!state.has("conclusion"))
    throw Error(file.string() +
                " holds no conclusion: the search is not finished; run the same `ratchet "
                "bisect` again to continue it");
  if (!state.at("conclusion").has("sentence"))
    throw Error(file.string() +
                " is of an earlier version of ratchet; run the same `ratchet bisect` again: it "
                "repeats its report at once");
  const Node conclusion = state.at("conclusion"), question = state.at("question");
  const json steps = steps_model(conclusion);
  json findings = json::array(), others = json::array();
  for (const Node& found : conclusion.at("rows").list())
    findings.push_back(finding_model(found, steps.size()));
  for (const auto& [row, judgement] : conclusion.at("not_slower").members())
    others.push_back({{"row", printable(row, 1024)}, {"judgement", judgement_model(judgement)}});
  json facts = json::array();
  facts.push_back({"good", fmt::format("{:.12}", printable(question.at("good").text()))});
  facts.push_back({"bad", fmt::format("{:.12}", printable(question.at("bad").text()))});
  facts.push_back({"effort", printable(conclusion.at("effort").text(), 300)});
  return {{"kind", "bisect"},
          {"title", "Bisect"},
          {"verdict",
           {{"state", conclusion.at("state").text()},
            {"exit_code", conclusion.at("exit_code").count()},
            {"sentence", printable(conclusion.at("sentence").text(), 1024)}}},
          {"facts", facts},
          {"steps", steps},
          {"findings", findings},
          {"others", others}};
}

}  // namespace ratchet::report
