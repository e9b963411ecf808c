#include "perf/gate/bisect/state.h"

#include <algorithm>

#include "perf/support/error.h"
#include "perf/support/json_file.h"

namespace ratchet::bisect {
namespace {

using nlohmann::json;

constexpr double state_format = 1;

json to_json(const Question& question) {
  return {{"good", question.good},
          {"bad", question.bad},
          {"rows", question.rows},
          {"options", question.options}};
}

}  // namespace

bool same_work(const BuildRecord& one, const BuildRecord& other, const RowId& row) {
  const auto equal = [&](const auto& of_one, const auto& of_other) {
    const auto a = of_one.find(row), b = of_other.find(row);
    return a != of_one.end() && b != of_other.end() && !a->second.empty() && a->second == b->second;
  };
  return equal(one.digests, other.digests) || equal(one.followed, other.followed);
}

json to_json(const Judgement& judgement) {
  json entry = {{"verdict", judgement.verdict},
                {"reason", judgement.reason},
                {"pairs", judgement.pairs},
                {"budget_s", judgement.budget_s}};
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) entry[name] = *value;
  };
  add("ratio", judgement.ratio);
  add("low", judgement.low);
  add("high", judgement.high);
  return entry;
}

Judgement judgement_in(const Node& node) {
  Judgement judgement;
  judgement.verdict = gate::verdict_in(node);
  judgement.reason = node.at("reason").text();
  judgement.pairs = node.at("pairs").count();
  judgement.budget_s = node.at("budget_s").number();
  if (node.has("ratio")) judgement.ratio = node.at("ratio").positive();
  if (node.has("low")) judgement.low = node.at("low").positive();
  if (node.has("high")) judgement.high = node.at("high").positive();
  return judgement;
}

State::State(std::filesystem::path file, Question question)
    : file_(std::move(file)), question_(std::move(question)) {
  if (!std::filesystem::exists(file_)) return;
  try {
    resumed_ = read();
  } catch (const Error&) {  // damaged: the search starts again
    builds_.clear();
    judgements_.clear();
    seconds_ = 0;
  }
}

bool State::read() {
  const json root = read_json(file_);
  const Node node(root, file_.string());
  if (node.at("format").number() != state_format) return false;
  if (node.at("question").value() != to_json(question_)) return false;
  seconds_ = node.at("seconds").number();
  for (const auto& [commit, build] : node.at("builds").members()) {
    BuildRecord& record = builds_[commit];
    record.failure = build.at("failure").text();
    for (const auto& [row, digest] : build.at("digests").text_map()) record.digests[row] = digest;
    for (const Node& row : build.at("rows").list()) record.rows.push_back(row.text());
    for (const auto& [row, digest] : build.at("followed").text_map()) record.followed[row] = digest;
  }
  for (const Node& each : node.at("judgements").list())
    judgements_[{each.at("before").text(), each.at("now").text(), each.at("row").text(),
                 each.at("purpose").text()}] = judgement_in(each);
  return true;
}

void State::write() const {
  json builds = json::object(), judgements = json::array();
  for (const auto& [commit, build] : builds_)
    builds[commit] = {{"failure", build.failure},
                      {"digests", build.digests},
                      {"rows", build.rows},
                      {"followed", build.followed}};
  for (const auto& [key, judgement] : judgements_) {
    json entry = to_json(judgement);
    entry["before"] = key[0];
    entry["now"] = key[1];
    entry["row"] = key[2];
    entry["purpose"] = key[3];
    judgements.push_back(entry);
  }
  json root = {{"format", state_format},
               {"question", to_json(question_)},
               {"seconds", seconds_},
               {"builds", builds},
               {"judgements", judgements}};
  if (!conclusion_.is_null()) root["conclusion"] = conclusion_;
  write_atomically(file_, pretty(root, 3) + "\n");
}

const BuildRecord* State::build(const std::string& commit) const {
  const auto found = builds_.find(commit);
  return found == builds_.end() ? nullptr : &found->second;
}

std::size_t State::failed_builds() const {
  return static_cast<std::size_t>(
      std::count_if(builds_.begin(), builds_.end(),
                    [](const auto& each) { return !each.second.failure.empty(); }));
}

const Judgement* State::judgement(const std::string& before, const std::string& now,
                                  const RowId& row, const std::string& purpose) const {
  const auto found = judgements_.find({before, now, row, purpose});
  return found == judgements_.end() ? nullptr : &found->second;
}

void State::add(const std::string& commit, const BuildRecord& build, double seconds) {
  seconds_ += seconds;
  builds_[commit] = build;
  write();
}

void State::add(const std::string& before, const std::string& now, const std::string& purpose,
                const std::map<RowId, Judgement>& by_row, double seconds) {
  seconds_ += seconds;
  for (const auto& [row, judgement] : by_row) judgements_[{before, now, row, purpose}] = judgement;
  write();
}

void State::conclude(json conclusion) {
  conclusion_ = std::move(conclusion);
  write();
}

}  // namespace ratchet::bisect
