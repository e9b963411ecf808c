#include "perf/gate/bisect/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "kernels/contract/counted.h"
#include "perf/gate/baseline/units.h"
#include "perf/gate/outcome.h"
#include "perf/support/printable.h"

namespace ratchet::bisect {
namespace {

std::string figures_text(const Judgement& judgement) {
  if (!judgement.ratio) return judgement_text(judgement);
  std::string text = change_text(*judgement.ratio);
  if (judgement.low && judgement.high)
    text += fmt::format(" ({:+.2f} to {:+.2f} %, {})", (*judgement.low - 1) * 100,
                        (*judgement.high - 1) * 100, counted(judgement.pairs, "pairs"));
  return text;
}

/// A whole interval below 0 % is a loss, also where a rule beside the interval keeps the verdict
/// open.
bool is_proven(const Judgement& size) {
  return size.ratio &&
         (size.verdict == gate::Verdict::slower ||
          (size.verdict == gate::Verdict::undecided && size.high.value_or(1) < 1));
}

std::string commit_text(const Revision& revision) {
  return fmt::format("{:.12} {}", revision.commit, printable(revision.subject, 100));
}

/// The commits among which the search cannot decide, with the reason for each.
void report_range(std::ostream& out, const RowSearch& search) {
  const Finding& finding = search.finding;
  out << "  one of these commits; for all but the last it is not known whether it is slower:\n";
  for (std::size_t i = finding.last_good + 1; i <= finding.first_bad; ++i) {
    out << "    " << commit_text(search.steps[i].revision);
    if (const auto why = finding.skipped.find(i); why != finding.skipped.end())
      out << " (" << printable(why->second, 160) << ")";
    out << "\n";
  }
}

}  // namespace

void report(std::ostream& out, const RowSearch& search, const Commands& commands) {
  const Finding& finding = search.finding;
  const Revision& first_bad = search.steps[finding.first_bad].revision;
  out << search.row << ": throughput " << figures_text(search.total) << " from GOOD to BAD\n";
  const bool one = finding.first_bad == finding.last_good + 1;
  if (one) {
    out << "  commit " << commit_text(first_bad) << "\n";
    if (first_bad.parents.size() > 1)
      out << fmt::format(
          "  this is a merge; to search its branch: {1} bisect $(git merge-base {0:.12}^1 "
          "{0:.12}^2) {0:.12}^2 {2}{3}\n",
          first_bad.commit, commands.program, gate::shell_quoted(search.row.text()),
          commands.given);
  } else {
    report_range(out, search);
  }
  out << (one ? "  alone: " : "  together: ") << size_text(finding) << "\n";
  for (const std::string& reason : finding.reasons) out << "  * " << reason << "\n";
}

std::string size_text(const Finding& finding) {
  std::string text = figures_text(finding.size);
  if (is_proven(finding.size) && finding.size.verdict != gate::Verdict::slower)
    text +=
        fmt::format("; this interval shows a loss, though the comparison is {}{}",
                    to_string(finding.size.verdict),
                    finding.size.reason.empty() ? "" : ": " + printable(finding.size.reason, 400));
  else if (finding.size.verdict != gate::Verdict::slower)
    text += finding.first_bad == finding.last_good + 1
                ? "; this commit alone is not proven slower: the slowdown may come from several "
                  "commits"
                : "; even together they are not proven slower: the slowdown may come from more "
                  "commits";
  return text;
}

Judgement identical() { return {gate::Verdict::same, "identical work", {}, {}, {}}; }
Judgement only_in_bad() {
  return {gate::Verdict::added, "GOOD lacks it; name a later GOOD", {}, {}, {}};
}
Judgement in_neither() {
  return {gate::Verdict::missing, "neither GOOD nor BAD has it", {}, {}, {}};
}
Judgement only_in_good() { return {gate::Verdict::missing, "BAD lacks it", {}, {}, {}}; }

namespace {

/// Not compared, for one of the three reasons above.
bool is_set_aside(const Judgement& judgement) {
  return !judgement.ratio &&
         (judgement.verdict == gate::Verdict::same || judgement.verdict == gate::Verdict::added ||
          judgement.verdict == gate::Verdict::missing);
}

}  // namespace

std::string judgement_text(const Judgement& judgement) {
  using gate::Verdict;
  const std::string verdict = to_string(judgement.verdict);
  const std::string reason = printable(judgement.reason, 400);
  if (is_set_aside(judgement)) return verdict + " (" + reason + ")";
  if (!judgement.ratio) return verdict + ": " + reason;
  return verdict +
         (judgement.verdict != Verdict::undecided ? ""
          : *judgement.ratio < 1                  ? " whether it is slower"
                                                  : " whether it is faster") +
         ", throughput " + figures_text(judgement);
}

std::string others_text(const OtherRows& others) {
  constexpr std::size_t most = 5;
  std::map<std::string, std::vector<RowId>> alike;
  std::string text;
  for (const auto& [row, judgement] : others)
    if (is_set_aside(judgement)) alike[judgement_text(judgement)].push_back(row);
  for (const auto& [words, rows] : alike) {
    text += fmt::format("{} {}: ", counted(rows.size(), "rows"), words);
    for (std::size_t i = 0; i < std::min(most, rows.size()); ++i)
      text += (i == 0 ? "" : ", ") + printable(rows[i]);
    if (rows.size() > most) text += fmt::format(" and {} more", rows.size() - most);
    text += "\n";
  }
  for (const auto& [row, judgement] : others)
    if (!is_set_aside(judgement)) text += printable(row) + ": " + judgement_text(judgement) + "\n";
  return text;
}

Answer answer_without_commit(const OtherRows& others, std::size_t steps, ExitCode code) {
  const bool known = code == ExitCode::pass;
  const std::string state = known ? "pass" : code == ExitCode::undecided ? "undecided" : "failed";
  if (steps < 2)
    return {state,
            "No commit between GOOD and BAD changes a file that the build reads: nothing is "
            "slower."};
  gate::VerdictCounts counts;
  bool work = !others.empty();
  for (const auto& [row, judgement] : others) {
    counts.add(judgement.verdict);
    work = work && judgement.verdict == gate::Verdict::same && !judgement.ratio;
  }
  return {state,
          fmt::format("No row is {}slower in BAD than in GOOD{}{}{}.", known ? "" : "known to be ",
                      others.empty() ? "" : ": ", counts.text(), work ? " (identical work)" : "")};
}

Answer answer_of(const RowSearch& search) {
  const Finding& finding = search.finding;
  const bool one = finding.first_bad == finding.last_good + 1;
  const Revision& last = search.steps[finding.first_bad].revision;
  const bool own = is_proven(finding.size);
  const double ratio = own ? *finding.size.ratio : search.total.ratio.value_or(1);
  const bool since = !own && finding.last_good > 0;
  return {"regression",
          fmt::format("{} {:.12} made {} slower{} {:.1f} %{}: {}",
                      one ? "Commit" : "One of the commits up to", last.commit,
                      printable(search.row), since ? ", which lost" : " by", 100 * (1 - ratio),
                      since ? " since GOOD" : "", printable(last.subject, 200))};
}

std::string explain_command(const RowSearch& search, const Commands& commands) {
  const Finding& finding = search.finding;
  if (!commands.explain_given || finding.first_bad != finding.last_good + 1) return "";
  return fmt::format("{} explain {} --base {:.12}{}", commands.program,
                     gate::shell_quoted(search.row.text()),
                     search.steps[finding.last_good].revision.commit, *commands.explain_given);
}

namespace {

nlohmann::json with_words(const Judgement& judgement, const std::string& words) {
  nlohmann::json entry = to_json(judgement);
  entry["words"] = words;
  return entry;
}

}  // namespace

Conclusion::Conclusion(const std::vector<Step>& steps, Commands commands)
    : commands_(std::move(commands)), steps_(nlohmann::json::array()) {
  for (const Step& step : steps)
    steps_.push_back({{"commit", step.revision.commit},
                      {"subject", printable(step.revision.subject, 200)},
                      {"unchanged", step.unchanged.size()}});
}

void Conclusion::add(const RowSearch& search) {
  const Finding& finding = search.finding;
  nlohmann::json skipped = nlohmann::json::array();
  for (const auto& [step, why] : finding.skipped) skipped.push_back({step, printable(why, 400)});
  const Answer answer = answer_of(search);
  if (commits_.insert(search.steps[finding.first_bad].revision.commit).second) {
    if (found_)
      found_->sentence += ". " + answer.sentence;
    else
      found_ = answer;
  }
  rows_.push_back({{"row", printable(search.row)},
                   {"total", with_words(search.total, judgement_text(search.total))},
                   {"last_good", finding.last_good},
                   {"first_bad", finding.first_bad},
                   {"alone", with_words(finding.size, size_text(finding))},
                   {"skipped", skipped},
                   {"reasons", finding.reasons}});
  if (const std::string command = explain_command(search, commands_);
      !command.empty() && finding.reasons.empty())
    rows_.back()["explain"] = command;
}

Answer Conclusion::answer(ExitCode code) const {
  return found_ ? *found_ : answer_without_commit(others_, steps_.size(), code);
}

nlohmann::json Conclusion::failed(const std::string& why, const std::string& effort) const {
  nlohmann::json conclusion = made(ExitCode::failed, effort);
  conclusion["sentence"] = "The search failed: " + printable(why, 800);
  return conclusion;
}

nlohmann::json Conclusion::made(ExitCode code, const std::string& effort) const {
  nlohmann::json others = nlohmann::json::object();
  for (const auto& [row, judgement] : others_)
    others[printable(row)] = with_words(judgement, judgement_text(judgement));
  const Answer says = answer(code);
  return {{"exit_code", static_cast<int>(code)},
          {"state", says.state},
          {"sentence", says.sentence},
          {"effort", effort},
          {"steps", steps_},
          {"rows", rows_},
          {"not_slower", others}};
}

std::string effort_text(const State& state, const std::vector<Step>& steps) {
  std::size_t commits = steps.size() - 1;
  for (const Step& step : steps) commits += step.unchanged.size();
  return fmt::format(
      "{}, {} of them change files of the build; {}, {} of them failed; {}; {:.0f} s",
      counted(commits, "commits"), steps.size() - 1, counted(state.builds().size(), "builds"),
      state.failed_builds(), counted(state.judgements(), "comparisons"), state.seconds());
}

}  // namespace ratchet::bisect
