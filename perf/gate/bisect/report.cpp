#include "perf/gate/bisect/report.h"

#include <fmt/format.h>

#include <ostream>

#include "kernels/contract/counted.h"
#include "perf/gate/baseline/units.h"
#include "perf/support/printable.h"

namespace ratchet::bisect {
namespace {

std::string size_text(const Judgement& judgement) {
  if (!judgement.ratio) return to_string(judgement.verdict) + ": " + judgement.reason;
  std::string text = change_text(*judgement.ratio);
  if (judgement.low && judgement.high)
    text += fmt::format(" ({:+.2f} to {:+.2f} %, {})", (*judgement.low - 1) * 100,
                        (*judgement.high - 1) * 100, counted(judgement.pairs, "pairs"));
  return text;
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

void report(std::ostream& out, const RowSearch& search) {
  const Finding& finding = search.finding;
  const Revision& first_bad = search.steps[finding.first_bad].revision;
  out << search.row << ": throughput " << size_text(search.total) << " from GOOD to BAD\n";
  const bool one = finding.first_bad == finding.last_good + 1;
  if (one) {
    out << "  commit " << commit_text(first_bad) << "\n";
    if (first_bad.parents.size() > 1)
      out << fmt::format(
          "  this is a merge; to search its branch: ratchet bisect $(git merge-base {0:.12}^1 "
          "{0:.12}^2) {0:.12}^2\n",
          first_bad.commit);
  } else {
    report_range(out, search);
  }
  out << (one ? "  alone: " : "  together: ") << size_text(finding.size);
  if (finding.size.verdict != gate::Verdict::slower)
    out << (one ? "; this commit alone is not proven slower: the slowdown may come from several "
                  "commits"
                : "; even together they are not proven slower: the slowdown may come from more "
                  "commits");
  out << "\n";
  for (const std::string& reason : finding.reasons) out << "  * " << reason << "\n";
}

Conclusion::Conclusion(const std::vector<Step>& steps) : steps_(nlohmann::json::array()) {
  for (const Step& step : steps)
    steps_.push_back({{"commit", step.revision.commit},
                      {"subject", printable(step.revision.subject, 200)},
                      {"unchanged", step.unchanged.size()}});
}

void Conclusion::add(const RowSearch& search) {
  const Finding& finding = search.finding;
  nlohmann::json skipped = nlohmann::json::array();
  for (const auto& [step, why] : finding.skipped) skipped.push_back({step, printable(why, 400)});
  rows_.push_back({{"row", printable(search.row)},
                   {"total", to_json(search.total)},
                   {"last_good", finding.last_good},
                   {"first_bad", finding.first_bad},
                   {"alone", to_json(finding.size)},
                   {"skipped", skipped},
                   {"reasons", finding.reasons}});
}

void Conclusion::add_not_slower(const RowId& row, const Judgement& judgement) {
  not_slower_[printable(row)] = to_json(judgement);
}

nlohmann::json Conclusion::made(ExitCode code, const std::string& effort) const {
  return {{"exit_code", static_cast<int>(code)},
          {"effort", effort},
          {"steps", steps_},
          {"rows", rows_},
          {"not_slower", not_slower_}};
}

std::string effort_text(const State& state, const std::vector<Step>& steps) {
  std::size_t commits = steps.size() - 1;
  for (const Step& step : steps) commits += step.unchanged.size();
  return fmt::format(
      "{}, {} of them change files of the build; {}, {} of them failed; {}; {:.0f} s",
      counted(commits, "commits"), steps.size() - 1, counted(state.builds().size(), "builds"),
      state.failed_builds(), counted(state.judgements(), "comparisons"), state.seconds());
}

std::string not_slower_text(const std::map<RowId, Judgement>& judged) {
  std::string text = "No row is known to be slower in BAD than in GOOD:\n";
  for (const auto& [row, judgement] : judged)
    text += fmt::format("  {}: {}{}\n", printable(row),
                        judgement.ratio ? to_string(judgement.verdict) + ", " : "",
                        size_text(judgement));
  return text;
}

namespace {

std::string rows_text(const std::set<RowId>& rows, const std::string& what) {
  constexpr std::size_t most = 5;
  std::string names;
  std::size_t named = 0;
  for (const RowId& row : rows)
    if (named++ < most) names += (named == 1 ? "" : ", ") + printable(row);
  if (rows.size() > most) names += fmt::format(" and {} more", rows.size() - most);
  return rows.empty()
             ? ""
             : fmt::format("{} {}, not searched: {}\n", counted(rows.size(), "rows"), what, names);
}

}  // namespace

std::string identical_text(const std::set<RowId>& rows) {
  return rows_text(rows, "same (identical work)");
}

std::string absent_text(const std::set<RowId>& rows) {
  return rows_text(rows, "new (GOOD lacks it; name a later GOOD)");
}

std::string gone_text(const std::set<RowId>& rows) {
  return rows_text(rows, "gone (BAD lacks it)");
}

std::string unknown_text(const std::map<RowId, Judgement>& judged) {
  std::string text;
  for (const auto& [row, judgement] : judged)
    if (!judgement.ratio)
      text += fmt::format("{}: {}: {}\n", printable(row), to_string(judgement.verdict),
                          judgement.reason);
    else if (judgement.verdict == gate::Verdict::undecided)
      text += fmt::format("{}: undecided whether it is {}, {}; not searched\n", printable(row),
                          *judgement.ratio < 1 ? "slower" : "faster", size_text(judgement));
    else if (judgement.verdict == gate::Verdict::faster)
      text += fmt::format("{}: faster, {}; not searched\n", printable(row), size_text(judgement));
  return text;
}

}  // namespace ratchet::bisect
