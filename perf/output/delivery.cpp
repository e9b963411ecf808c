#include "perf/output/delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>
#include <sstream>
#include <variant>

#include "kernels/contract/counted.h"
#include "perf/gate/baseline/accept.h"
#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/units.h"
#include "perf/gate/override.h"
#include "perf/gate/rule/thread_groups.h"
#include "perf/output/files/output.h"
#include "perf/output/files/output_files.h"
#include "perf/output/files/output_row.h"
#include "perf/output/history/keep.h"
#include "perf/output/page/page.h"
#include "perf/output/page/sections.h"
#include "perf/stats/quantile.h"
#include "perf/support/clock.h"
#include "perf/support/interruption.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

std::string line_of(const std::string& text) { return text.empty() ? "" : text + "\n"; }

std::string range_text(const std::string& least, const std::string& most) {
  return least == most ? least : least + " to " + most;
}

std::string unchecked_note(const Outcome& outcome) {
  const std::size_t count = unchecked_rows(outcome.measured);
  if (count == 0) return "";
  // `compare` has no such option.
  const bool may_check = !outcome.side_by_side || outcome.title.starts_with("base: ");
  return fmt::format("No test checks what {} compute{}{}.\n", counted(count, "rows"),
                     count == 1 ? "s" : "",
                     may_check ? ": --check-cmd 'COMMAND' runs your own tests first" : "");
}

std::string machine_note(const std::vector<RowReport>& reports) {
  const auto moved = machine_moved(reports);
  if (!moved) return "";
  const auto percent = [](double ratio) { return fmt::format("{:+.1f}", 100 * (ratio - 1)); };
  const std::string size =
      moved->of == 1 ? fmt::format("by {} %", percent(moved->median))
                     : fmt::format("all {} by {} %, median {} %", moved->of,
                                   range_text(percent(moved->least), percent(moved->most)),
                                   percent(moved->median));
  return fmt::format(
      "Machine drift: {} of {} of identical work ran at another speed than stored, {}. The "
      "machine changed, not the code; `ratchet doctor` names the causes.\n",
      moved->beyond, counted(moved->of, "rows"), size);
}

/// A line a group of rows with several numbers of threads, in which a row is undecided.
std::string thread_groups_note(const std::vector<RowReport>& reports) {
  constexpr std::size_t most = 5;
  const std::vector<ThreadGroup> groups = thread_groups(reports);
  std::string lines;
  for (std::size_t i = 0; i < std::min(groups.size(), most); ++i) {
    const ThreadGroup& group = groups[i];
    lines += fmt::format("{} at {} numbers of threads, as one: {} ({} ... {}); {} undecided.\n",
                         printable(group.name), group.rows.size(), change_text(group.ratio),
                         change_text(group.bounds.low), change_text(group.bounds.high),
                         counted(group.undecided, "rows"));
  }
  if (groups.size() > most)
    lines += fmt::format("gate.json has {} more such groups.\n", groups.size() - most);
  return lines;
}

/// Rows with a launch or a failure.
std::ptrdiff_t measured_rows(const Outcome& outcome) {
  return std::count_if(outcome.reports.begin(), outcome.reports.end(), [](const RowReport& report) {
    return report.launches > 0 || report.verdict == Verdict::failed;
  });
}

/// What an interrupted run kept, and how to go on.
std::string interruption_note(const Outcome& outcome) {
  if (!outcome.interrupted) return "";
  return fmt::format(
      "Interrupted by {} after {:.0f} s: {} of {} rows were measured and are in the result files; "
      "nothing is added to the history. The same command starts anew.\n",
      name_of_interruption(), outcome.circumstances.seconds, measured_rows(outcome),
      outcome.reports.size());
}

/// A regression that the code explains.
bool is_loss(const RowReport& report) {
  return report.verdict == Verdict::slower && !is_accepted(report) && !report.same_by_time;
}

/// The one with the largest loss that is certain; null without one.
const RowReport* surest_loss(const Outcome& outcome) {
  const RowReport* surest = nullptr;
  const auto most = [](const RowReport& report) {
    return report.decision && report.decision->simultaneous ? report.decision->simultaneous->high
                                                            : 1;
  };
  for (const RowReport& report : outcome.reports)
    if (is_loss(report) && (!surest || most(report) < most(*surest))) surest = &report;
  return surest;
}

/// A command of Circumstances::commands for this row; empty without either.
std::string command_of(const Outcome& outcome, const char* purpose, const RowReport* report) {
  const auto command = outcome.circumstances.commands.find(purpose);
  return report && command != outcome.circumstances.commands.end()
             ? command_for(command->second, report->name)
             : "";
}

/// Where --by-time alone makes the exit code 1, though nothing in the code explains it.
std::string by_time_note(const Outcome& outcome) {
  const auto alike =
      std::count_if(outcome.reports.begin(), outcome.reports.end(), [](const RowReport& report) {
        return report.verdict == Verdict::slower && report.same_by_time;
      });
  if (alike == 0) return "";
  return fmt::format(
      "{} slower by time alone: both sides execute the same code, so {} made the difference. "
      "Without --by-time {} same.\n",
      alike == 1 ? "1 row is" : fmt::format("{} rows are", alike),
      outcome.side_by_side ? "layout (where code and data lie in memory) or noise"
                           : "layout (where code and data lie in memory), the machine or noise",
      alike == 1 ? "it is" : "they are");
}

/// The next step after a regression.
std::string bisect_command(const Outcome& outcome) {
  if (!outcome.circumstances.no_bisect.empty()) return "";
  return command_of(outcome, "bisect", surest_loss(outcome));
}

std::string bisect_note(const Outcome& outcome) {
  if (const std::string& why_not = outcome.circumstances.no_bisect; !why_not.empty())
    return surest_loss(outcome) ? "no bisect is offered: " + why_not + "\n" : "";
  const std::string command = bisect_command(outcome);
  return command.empty() ? "" : "which commit: " + command + "\n";
}

/// How a change says that its slowdowns, and rows that do other work or are gone, are meant
/// (gate/override.h); stored baselines have `accept`.
std::string trailer_note(const Outcome& outcome) {
  constexpr std::size_t most = 5;
  const gate::Provenance& of = outcome.circumstances.provenance;
  if (of.base.commit.empty() || of.base.commit == of.now.commit) return "";
  std::string lines;
  std::size_t losses = 0;
  for (const RowReport& report : outcome.reports) {
    const bool open = outcome.side_by_side && !is_accepted(report);
    const bool changed = open && report.verdict == Verdict::changed;
    const bool gone = open && report.verdict == Verdict::missing;
    const bool loss = is_loss(report) && report.paired;
    if ((!changed && !gone && !loss) || ++losses > most) continue;
    const std::string what =
        changed ? "changed"
        : gone  ? "removed"
                : fmt::format("-{:.0f} %", std::ceil(100 * (1 - report.decision->ratio)));
    lines += fmt::format("  Ratchet-Accept: {} {} because REASON\n",
                         printable(gate::trailer_name(report.name)), what);
  }
  if (losses > most) lines += fmt::format("  and so for {} more\n", losses - most);
  return lines.empty() ? "" : "if it is meant, at the end of the commit's message:\n" + lines;
}

/// What shows why a row got slower or faster that executes other code than its baseline.
std::string explain_command(const Outcome& outcome) {
  if (!outcome.explainable) {  // it records both builds
    const RowReport* surest = surest_loss(outcome);
    return surest && !figure_kind(surest->basis) ? command_of(outcome, "explain", surest) : "";
  }
  const auto moved =
      std::find_if(outcome.reports.begin(), outcome.reports.end(), [](const RowReport& report) {
        return report.moved && report.executes == Facts::Executes::other;
      });
  return moved == outcome.reports.end() ? "" : command_of(outcome, "explain", &*moved);
}

/// What measures both builds of rows that have stored figures only.
/// `repeated`: the command of this run.
std::string side_by_side(const Outcome& outcome, const std::string& repeated) {
  const gate::Provenance& provenance = outcome.circumstances.provenance;
  if (provenance.now.commit.empty() && repeated.find(" --exec ") != std::string::npos)
    return "in a git repository --base REV measures both revisions side by side";
  if (provenance.now.commit.empty())
    return "`ratchet compare --exec OLD --exec NEW` measures two programs side by side";
  if (!outcome.circumstances.no_base.empty())
    return "no other revision can be built: " + outcome.circumstances.no_base;
  const std::string& known = provenance.base.commit;
  if (known == provenance.now.commit && is_committed(outcome.revision))
    return "the baseline is of this very commit, so only more launches can settle it, here "
           "(--launches) or in the baseline (`ratchet accept`)";
  const bool stored = repeated.find(" --stored") != std::string::npos;
  const std::string measures =
      std::string(stored ? " in place of --stored" : "") + " measures both builds side by side";
  const std::string base =
      known.empty() ? "the baseline's revision is unknown in this repository; --base REV, with a "
                      "commit that you name," +
                          measures
                    : "--base " + known.substr(0, 12) + measures;
  return provenance.shallow ? base + ", after `git fetch --unshallow`" : base;
}

/// What makes a change of rows the baseline.
std::string accept_rows_command(const Outcome& outcome) {
  return outcome.side_by_side || rows_to_accept(outcome.reports).empty() ? ""
                                                                         : outcome.accept_command;
}

/// Of this run; it may be unknown.
std::string repeat_command(const Outcome& outcome) {
  const auto repeat = outcome.circumstances.commands.find("repeat");
  return repeat == outcome.circumstances.commands.end() ? "" : repeat->second;
}

std::string line_with(const char* purpose, const std::string& command) {
  return command.empty() ? "" : std::string(purpose) + ": " + command + "\n";
}

std::string nothing_compared_note(const Outcome& outcome) {
  return nothing_compared(outcome.reports, outcome.measured.fingerprint(), outcome.accept_command);
}

bool all_identical(const Outcome& outcome) {
  return !outcome.reports.empty() &&
         std::all_of(outcome.reports.begin(), outcome.reports.end(),
                     [](const RowReport& report) { return report.same_work; });
}

/// A call that does more on purpose is no slower row where the row says what a call does.
std::string items_note(const Outcome& outcome) {
  if (outcome.of_two_rows) return "";  // of which neither was changed
  const auto found =
      std::find_if(outcome.reports.begin(), outcome.reports.end(), [](const RowReport& report) {
        return report.verdict == Verdict::slower && report.basis.starts_with("1/");
      });
  return found == outcome.reports.end()
             ? ""
             : fmt::format(
                   "{} states no items and no bytes: if its call does more on purpose, state "
                   "them (SetItemsProcessed) on both sides, and it is changed, not slower\n",
                   found->name);
}

/// What to do about rows that are undecided, faster, slower, missing or changed.
std::string next_steps(const Outcome& outcome) {
  const std::string command = repeat_command(outcome);
  return line_of(what_would_settle(outcome.reports, outcome.circumstances.seconds, command,
                                   side_by_side(outcome, command),
                                   outcome.side_by_side ? outcome.circumstances.budget_s : 0)) +
         by_time_note(outcome) +
         line_with(outcome.explainable ? "what differs in its code" : "which functions take longer",
                   explain_command(outcome)) +
         bisect_note(outcome) + trailer_note(outcome) + items_note(outcome) +
         line_with("if the rows are meant to be gone or changed", accept_rows_command(outcome)) +
         line_with("so that later changes keep what got faster", outcome.accept_faster);
}

/// The notes of --quiet.
std::string quiet_notes(const Outcome& outcome) {
  if (outcome.interrupted) return interruption_note(outcome);
  const bool compared =
      std::none_of(outcome.reports.begin(), outcome.reports.end(),
                   [](const RowReport& report) { return report.verdict == Verdict::uncompared; });
  return (compared ? "" : accept_note(outcome.accept_command)) + next_steps(outcome);
}

}  // namespace

std::string notes_of(const Outcome& outcome) {
  if (outcome.interrupted) return interruption_note(outcome);
  const double seconds = outcome.circumstances.seconds;
  const std::string settles = next_steps(outcome), stale = line_of(outcome.stale);
  if (outcome.side_by_side)
    return stale +
           fmt::format("{}\n{:.0f} s{}{}.\n", outcome.title, seconds,
                       all_identical(outcome)
                           ? ""  // next to nothing was to be measured
                           : fmt::format(", {:.1f} % of them overhead of the gate",
                                         100 * (1 - outcome.seconds_measuring / seconds)),
                       outcome.build_s < 1
                           ? ""
                           : "; before that, building the base took " + duration(outcome.build_s)) +
           unchecked_note(outcome) + thread_groups_note(outcome.reports) + settles;
  if (!outcome.nothing_to_compare.empty())
    return stale + unchecked_note(outcome) +
           fmt::format("NOTHING WAS COMPARED.\n{}.\n", outcome.nothing_to_compare);
  return stale + unchecked_note(outcome) + nothing_compared_note(outcome) +
         machine_note(outcome.reports) + thread_groups_note(outcome.reports) + settles;
}

std::vector<NextStep> next_of(const Outcome& outcome) {
  std::vector<NextStep> steps;
  if (outcome.interrupted || (!outcome.side_by_side && !outcome.nothing_to_compare.empty()))
    return steps;
  const auto add = [&](const char* purpose, const std::string& command) {
    if (!command.empty()) steps.push_back({purpose, command});
  };
  if (!outcome.side_by_side && !nothing_compared_note(outcome).empty())
    add("accept", outcome.accept_command);
  add("repeat", settling_command(outcome.reports, repeat_command(outcome)));
  add("explain", explain_command(outcome));
  add("bisect", bisect_command(outcome));
  add("accept", accept_rows_command(outcome));
  add("accept", outcome.accept_faster);
  return steps;
}

std::string taken_cpu_note(std::vector<RowReport>& reports) {
  const auto share_of = [](const Remark& remark) {
    const auto* waits = std::get_if<Waits>(&remark);
    return waits && !waits->certain ? std::optional(waits->share) : std::nullopt;
  };
  std::vector<double> shares;
  for (const RowReport& report : reports)
    for (const Remark& remark : report.remarks)
      if (const auto share = share_of(remark)) shares.push_back(*share);
  if (shares.empty()) return "";
  const double unlike_others = stats::median(shares) / 2;
  std::erase_if(shares, [&](double share) { return share < unlike_others; });
  if (shares.size() < 2) return "";
  for (RowReport& report : reports)
    std::erase_if(report.remarks, [&](const Remark& remark) {
      return share_of(remark).value_or(-1) >= unlike_others;
    });
  const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
  return fmt::format(
      "Others used the CPU during {} of {} rows, which got {} % of its time, or these rows wait: "
      "judged by CPU time; if one waits, use --clock wall.\n",
      shares.size(), reports.size(),
      range_text(fmt::format("{:.2g}", 100 * *least), fmt::format("{:.2g}", 100 * *most)));
}

Delivery::Delivery(const std::filesystem::path& results, const std::string& history,
                   std::ostream& progress)
    : results_(results),
      lock_(results, "measuring"),
      history_(history::location_or_default(history, results)) {
  require_writable(results);
  history::require_usable(history_, progress);
}

std::string Delivery::add_to_history(const Outcome& outcome, std::ostream& out) const {
  const bool measured = outcome.measured.rows.size() + outcome.base.rows.size() > 0;
  if (!measured || outcome.interrupted) return "";
  Ending lost = ending_of(outcome);
  const ExitCode found = exit_code(lost, outcome.policy);
  lost.loss = true;
  std::ostringstream said;
  const bool kept = history::keep(history_, history_record(outcome, found), results_,
                                  exit_code(lost, outcome.policy), said);
  out << said.str() << std::flush;
  return kept ? "" : said.str();
}

namespace {

/// As the table shows them: why nothing was compared stands once below it.
std::vector<RowReport> reports_shown(const Outcome& outcome) {
  std::vector<RowReport> reports = outcome.reports;
  for (RowReport& report : reports)
    if (!outcome.nothing_to_compare.empty() &&
        to_string(report.reason) == outcome.nothing_to_compare)
      report.reason = {};
  return reports;
}

}  // namespace

ExitCode Delivery::deliver(Outcome outcome, const DisplayOptions& display, std::ostream& out,
                           std::ostream& progress) const {
  // Files without a figure would replace those of an earlier run.
  if (outcome.interrupted && measured_rows(outcome) == 0) throw Interrupted();
  const std::string taken = taken_cpu_note(outcome.reports);
  outcome.note = notes_of(outcome) + taken;
  outcome.next = next_of(outcome);
  out << terminal_table(reports_shown(outcome), display) << std::flush;
  std::string written;
  try {
    written = write_outputs(results_, outcome) + "\n";
    if (display.quiet && exit_code(ending_of(outcome), outcome.policy) == ExitCode::pass)
      written.clear();
  } catch (const Error& error) {
    outcome.lost = std::string("the results could not be written: ") + error.what();
    written = outcome.lost + "\n";
    outcome.accept_command.clear();  // there is nothing to accept
    outcome.accept_faster.clear();
    outcome.note = notes_of(outcome) + taken;
    outcome.next = next_of(outcome);
  }
  // The line on a program that is older than its sources stands with the verdict.
  out << (display.quiet
              ? quiet_notes(outcome)
              : outcome.note.substr(outcome.interrupted ? 0 : line_of(outcome.stale).size()))
      << written << std::flush;
  if (const std::string lost = add_to_history(outcome, out); !lost.empty()) {
    const bool files = outcome.lost.empty();
    outcome.lost = lost;
    outcome.note += lost;
    if (files) try {  // again, since they state the exit code
        write_outputs(results_, outcome);
      } catch (const Error& error) {
        out << "the results could not be written again: " << error.what() << "\n";
      }
  }
  tell_github(outcome, out, progress);
  Ending ending = ending_of(outcome);
  const auto sections = [&] {
    const ComparedLaunches compared = compared_launches(outcome);
    return nlohmann::json::array({report::run_section(
        {results_ / "gate.json", kept_results(outcome), compared.base.rows, compared.now.rows},
        history_)});
  };
  if (!report::leave_report(results_, sections, display.quiet, out)) ending.loss = true;
  const ExitCode code = exit_code(ending, outcome.policy);
  out << line_of(outcome.stale) << headline(outcome.reports, code, display.colour) << std::endl;
  if (display.json) print_verdict(kept_results(outcome).context["ratchet"], outcome.reports, code);
  return code;
}

}  // namespace ratchet::gate
