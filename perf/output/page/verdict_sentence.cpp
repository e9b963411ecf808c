#include "perf/output/page/verdict_sentence.h"

#include <fmt/format.h>

#include <array>

#include "perf/gate/rule/verdicts.h"

namespace ratchet::report {
namespace {

using gate::Verdict;
using gate::VerdictCounts;
using nlohmann::json;

constexpr std::array faults = {Verdict::failed, Verdict::unverified, Verdict::missing,
                               Verdict::changed};

std::size_t faulty(const VerdictCounts& counts) {
  std::size_t rows = 0;
  for (const Verdict fault : faults) rows += counts[fault];
  return rows;
}

/// The exit code of `ratchet gate` without options.
ExitCode default_exit_code(const VerdictCounts& counts) {
  gate::Ending ending;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(Verdict::unavailable); ++i)
    if (const auto verdict = static_cast<Verdict>(i); counts[verdict] > 0)
      ending.verdicts.insert(verdict);
  return gate::exit_code(ending, {});
}

std::string rows_text(std::size_t rows) {
  return fmt::format("{} row{}", rows, rows == 1 ? "" : "s");
}

/// "graveler/cpu/05_wyrand lost 4.9 % of its throughput (4.4 to 5.3 %)", of the worst.
std::string worst_text(const std::vector<RowModel>& rows) {
  const json& worst = rows.at(0).model;
  const auto lost = [&](const char* key) { return 100 * (1 - worst.value(key, 1.0)); };
  std::string text = fmt::format("{} lost {:.1f} % of its throughput",
                                 worst.at("name").get<std::string>(), lost("ratio"));
  if (worst.contains("low"))
    text += fmt::format(" ({:.1f} to {:.1f} %)", lost("high"), lost("low"));
  return text;
}

std::string regression_text(const std::vector<RowModel>& rows, std::size_t slower) {
  if (slower == 1) return fmt::format("1 row got slower: {}", worst_text(rows));
  return fmt::format("{} rows got slower, most of all {}", slower, worst_text(rows));
}

std::string failure_text(const VerdictCounts& counts) {
  std::string text;
  for (const Verdict fault : faults)
    if (counts[fault] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[fault], to_string(fault));
  return text;
}

std::string pass_text(const VerdictCounts& counts, std::size_t identical) {
  const std::size_t same = counts[Verdict::same] + counts[Verdict::faster];
  if (same == 0 && counts[Verdict::uncompared] > 0)
    return fmt::format("Nothing was compared: {} measured, and no baseline of this machine yet",
                       rows_text(counts[Verdict::uncompared]));
  std::string text = fmt::format("Nothing got slower: {}", rows_text(same));
  if (identical > 0) text += fmt::format(", {} of identical work", identical);
  if (const std::size_t faster = counts[Verdict::faster]; faster > 0)
    text += fmt::format(", {} faster", faster);
  if (const std::size_t open = counts[Verdict::undecided]; open > 0)
    text += fmt::format("; {} undecided", open);
  if (const std::size_t added = counts[Verdict::added]; added > 0)
    text += fmt::format("; {} new", added);
  if (const std::size_t first = counts[Verdict::uncompared]; first > 0)
    text += fmt::format("; {} not compared", first);
  return text;
}

std::string undecided_text(const VerdictCounts& counts, std::size_t rows) {
  if (const std::size_t open = counts[Verdict::undecided]; open > 0)
    return fmt::format("Nothing is known to be slower, but {} of {} stayed undecided", open,
                       rows_text(rows));
  if (const std::size_t added = counts[Verdict::added]; added > 0)
    return fmt::format("Nothing got slower, but {} {} new, which fails here", rows_text(added),
                       added == 1 ? "is" : "are");
  if (counts[Verdict::uncompared] > 0) return "Nothing was compared, which fails here";
  return "Machine drift: the machine runs at another speed than stored, which fails here";
}

}  // namespace

json verdict_of(const std::vector<RowModel>& rows, const Node& run) {
  VerdictCounts counts;
  std::size_t identical = 0, here = 0;
  for (const RowModel& row : rows) {
    counts.add(row.verdict);
    here += row.verdict != Verdict::unavailable;
    identical += row.identical_work;
  }
  const ExitCode code = run.has("exit_code") ? static_cast<ExitCode>(run.at("exit_code").count())
                                             : default_exit_code(counts);
  const auto made = [&](const char* state, const std::string& sentence) -> json {
    return {{"state", state}, {"exit_code", static_cast<int>(code)}, {"sentence", sentence + "."}};
  };
  if (code == ExitCode::regression)
    return made("regression", regression_text(rows, counts[Verdict::slower]));
  if (code == ExitCode::failed)
    return made("failed", fmt::format("{} of {} cannot be judged: {}", faulty(counts),
                                      rows_text(here), failure_text(counts)));
  const bool compared = counts[Verdict::same] + counts[Verdict::faster] > 0;
  if (code == ExitCode::undecided || (!compared && counts[Verdict::undecided] > 0))
    return made("undecided", undecided_text(counts, here));
  if (code == ExitCode::nothing_ran) return made("nothing", "Nothing could run on this machine");
  return made(compared || counts[Verdict::uncompared] == 0 ? "pass" : "nothing",
              pass_text(counts, identical));
}

}  // namespace ratchet::report
