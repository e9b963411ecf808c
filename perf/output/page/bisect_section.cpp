#include <fmt/format.h>

#include "perf/output/page/row_model.h"
#include "perf/output/page/sections.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

/// One comparison of two revisions.
json judgement_model(const Node& judgement) {
  json model = {{"verdict", gate::verdict_in(judgement)}, {"pairs", judgement.at("pairs").count()}};
  if (const std::string reason = judgement.text_or_empty("reason"); !reason.empty())
    model["reason"] = printable(reason, 400);
  for (const char* key : {"ratio", "low", "high"})
    if (judgement.has(key)) model[key] = rounded(judgement.at(key).positive(), 6);
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

json finding_model(const Node& found) {
  json model = {{"row", printable(found.at("row").text(), 1024)},
                {"total", judgement_model(found.at("total"))},
                {"alone", judgement_model(found.at("alone"))},
                {"last_good", found.at("last_good").count()},
                {"first_bad", found.at("first_bad").count()}};
  model["skipped"] = found.at("skipped").value();
  for (const Node& reason : found.at("reasons").list())
    model["reasons"].push_back(printable(reason.text(), 400));
  return model;
}

/// The commit, or the range, of the worst row.
json bisect_verdict(const json& findings, const json& steps, std::uint64_t code) {
  if (findings.empty()) {
    const bool open = code != static_cast<std::uint64_t>(ExitCode::pass);
    return {{"state", open ? "undecided" : "pass"},
            {"exit_code", code},
            {"sentence",
             open ? "Undecided: a row may be slower." : "No row is slower in BAD than in GOOD."}};
  }
  const json& worst = findings.at(0);
  const std::uint64_t first = worst.at("first_bad");
  if (first >= steps.size()) throw Error("bisect.json: first_bad is not an index of a step");
  const json& step = steps.at(first);
  const bool one = first == worst.at("last_good").get<std::uint64_t>() + 1;
  return {{"state", "regression"},
          {"exit_code", code},
          {"sentence",
           fmt::format("{} {} made {} slower by {:.1f} %: {}",
                       one ? "Commit" : "One of the commits up to",
                       step.at("commit").get<std::string>(), worst.at("row").get<std::string>(),
                       100 * (1 - worst.at("total").value("ratio", 1.0)),
                       step.at("subject").get<std::string>())}};
}

}  // namespace

json bisect_section(const std::filesystem::path& file) {
  const json root = read_json(file);
  const Node state(root, file.string());
  if (!state.has("conclusion"))
    throw Error(file.string() +
                " holds no conclusion: the search is not finished; run the same `ratchet "
                "bisect` again to continue it");
  const Node conclusion = state.at("conclusion"), question = state.at("question");
  const json steps = steps_model(conclusion);
  json findings = json::array(), others = json::array();
  for (const Node& found : conclusion.at("rows").list()) findings.push_back(finding_model(found));
  for (const auto& [row, judgement] : conclusion.at("not_slower").members())
    others.push_back({{"row", printable(row, 1024)}, {"judgement", judgement_model(judgement)}});
  json facts = json::array();
  facts.push_back({"good", fmt::format("{:.12}", printable(question.at("good").text()))});
  facts.push_back({"bad", fmt::format("{:.12}", printable(question.at("bad").text()))});
  facts.push_back({"effort", printable(conclusion.at("effort").text(), 300)});
  return {{"kind", "bisect"},
          {"title", "Bisect"},
          {"verdict", bisect_verdict(findings, steps, conclusion.at("exit_code").count())},
          {"facts", facts},
          {"steps", steps},
          {"findings", findings},
          {"others", others}};
}

}  // namespace ratchet::report
