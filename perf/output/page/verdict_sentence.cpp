#include "perf/output/page/verdict_sentence.h"

#include <fmt/format.h>

#include <map>

#include "perf/gate/rule/verdicts.h"

namespace ratchet::report {
namespace {

using nlohmann::json;
using Counts = std::map<std::string, std::size_t>;

std::size_t count(const Counts& counts, const char* verdict) {
  const auto found = counts.find(verdict);
  return found == counts.end() ? 0 : found->second;
}

std::size_t faulty(const Counts& counts) {
  return count(counts, "failed") + count(counts, "unverified") + count(counts, "missing") +
         count(counts, "changed");
}

/// As `ratchet gate` without options would end.
ExitCode default_exit_code(const Counts& counts) {
  gate::Ending ending;
  for (int i = 0; i <= static_cast<int>(gate::Verdict::unavailable); ++i) {
    const auto verdict = static_cast<gate::Verdict>(i);
    if (counts.count(gate::to_string(verdict))) ending.verdicts.insert(verdict);
  }
  return gate::exit_code(ending, {});
}

std::string rows_text(std::size_t rows) {
  return fmt::format("{} row{}", rows, rows == 1 ? "" : "s");
}

/// "graveler/cpu/05_wyrand lost 4.9 % of its throughput (4.4 to 5.3 %)", of the worst.
std::string worst_text(const json& rows) {
  const json& worst = rows.at(0);
  const auto lost = [&](const char* key) { return 100 * (1 - worst.value(key, 1.0)); };
  std::string text = fmt::format("{} lost {:.1f} % of its throughput",
                                 worst.at("name").get<std::string>(), lost("ratio"));
  if (worst.contains("low"))
    text += fmt::format(" ({:.1f} to {:.1f} %)", lost("high"), lost("low"));
  return text;
}

std::string regression_text(const json& rows, std::size_t slower) {
  if (slower == 1) return fmt::format("1 row got slower: {}", worst_text(rows));
  return fmt::format("{} rows got slower, most of all {}", slower, worst_text(rows));
}

std::string failure_text(const Counts& counts) {
  std::string text;
  for (const char* verdict : {"failed", "unverified", "missing", "changed"})
    if (const std::size_t rows = count(counts, verdict); rows > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", rows, verdict);
  return text;
}

std::string pass_text(const Counts& counts, std::size_t identical) {
  const std::size_t same = count(counts, "same") + count(counts, "faster");
  if (same == 0 && count(counts, "uncompared") > 0)
    return fmt::format("Nothing was compared: {} measured, and no baseline of this machine yet",
                       rows_text(count(counts, "uncompared")));
  std::string text = fmt::format("Nothing got slower: {}", rows_text(same));
  if (identical > 0) text += fmt::format(", {} of identical work", identical);
  if (const std::size_t faster = count(counts, "faster"); faster > 0)
    text += fmt::format(", {} faster", faster);
  if (const std::size_t open = count(counts, "undecided"); open > 0)
    text += fmt::format("; {} undecided", open);
  if (const std::size_t added = count(counts, "new"); added > 0)
    text += fmt::format("; {} new", added);
  if (const std::size_t first = count(counts, "uncompared"); first > 0)
    text += fmt::format("; {} not compared", first);
  return text;
}

std::string undecided_text(const Counts& counts, std::size_t rows) {
  if (const std::size_t open = count(counts, "undecided"); open > 0)
    return fmt::format("Nothing is known to be slower, but {} of {} stayed undecided", open,
                       rows_text(rows));
  if (const std::size_t added = count(counts, "new"); added > 0)
    return fmt::format("Nothing got slower, but {} {} new, which does not pass here",
                       rows_text(added), added == 1 ? "is" : "are");
  if (count(counts, "uncompared") > 0) return "Nothing was compared, which does not pass here";
  return "The machine runs at another speed than stored, which does not pass here";
}

}  // namespace

json verdict_of(const json& rows, const Node& run) {
  Counts counts;
  std::size_t identical = 0, here = 0;
  for (const json& row : rows) {
    const std::string verdict = row.at("verdict");
    ++counts[verdict];
    here += verdict != "unavailable";
    identical += row.value("identical_work", false);
  }
  const ExitCode code = run.has("exit_code") ? static_cast<ExitCode>(run.at("exit_code").count())
                                             : default_exit_code(counts);
  const auto made = [&](const char* state, const std::string& sentence) -> json {
    return {{"state", state}, {"exit_code", static_cast<int>(code)}, {"sentence", sentence + "."}};
  };
  if (code == ExitCode::regression)
    return made("regression", regression_text(rows, count(counts, "slower")));
  if (code == ExitCode::failed)
    return made("failed", fmt::format("{} of {} cannot be judged: {}", faulty(counts),
                                      rows_text(here), failure_text(counts)));
  const bool compared = count(counts, "same") + count(counts, "faster") > 0;
  if (code == ExitCode::undecided || (!compared && count(counts, "undecided") > 0))
    return made("undecided", undecided_text(counts, here));
  if (code == ExitCode::nothing_ran) return made("nothing", "Nothing could run on this machine");
  return made(compared || count(counts, "uncompared") == 0 ? "pass" : "nothing",
              pass_text(counts, identical));
}

}  // namespace ratchet::report
