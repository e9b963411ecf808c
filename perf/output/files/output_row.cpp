#include "perf/output/files/output_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <variant>

#include "perf/gate/baseline/units.h"
#include "perf/gate/outcome.h"
#include "perf/gate/run/run_options.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

/// The interval that decided, or the per-comparison one if there is no simultaneous one.
std::optional<stats::Bounds> shown_bounds(const Decision& decision) {
  return decision.verdict == Verdict::same || !decision.simultaneous ? decision.per_comparison
                                                                     : decision.simultaneous;
}

/// What is proven of an undecided row: the changes that its interval leaves possible.
std::string still_possible(const stats::Bounds& ratio) {
  const double lost = 100 * (1 - ratio.low), gained = 100 * (ratio.high - 1);
  if (lost <= 0) return fmt::format("a loss is no longer possible, a gain of {:.1f} % is", gained);
  const std::string loss = fmt::format("may have lost up to {:.1f} %", lost);
  if (gained <= 0) return loss + ", a gain is no longer possible";
  constexpr double known = 10, useless = 50;  // %
  if (std::min(lost, gained) > known && std::max(lost, gained) > useless)
    return fmt::format("nothing is known of it: between {:+.0f} % and {:+.0f} %", -lost, gained);
  if (std::max(lost, gained) > useless)
    return fmt::format("{} or gained up to {:.1f} %", loss, gained);
  return fmt::format("same within {:.1f} %: {} or gained up to {:.1f} %", std::max(lost, gained),
                     loss, gained);
}

/// What differs in the code that a slower or faster row executes, one line each.
std::vector<std::string> differences_in_work(const RowReport& report) {
  std::vector<std::string> lines;
  if (report.moved && report.launched)
    lines.push_back("it launches " + to_string(*report.launched));
  if (report.moved && report.executes == Facts::Executes::other_program)
    lines.push_back("the program differs from the baseline's");
  if (report.moved && report.executes == Facts::Executes::other)
    lines.push_back("it executes other code than the baseline");
  lines.insert(lines.end(), report.reasons.begin(), report.reasons.end());
  return lines;
}

}  // namespace

std::string unit_of(const RowReport& report) {
  return report.unit.empty() ? ratchet::unit_of(report.name, report.basis) : report.unit;
}

namespace {

/// What a baseline holds, where the figure that is shown as before is another: the stored one at
/// the speed that the machine has now.
std::string stored_figure(const RowReport& report, const OutputRow& row) {
  constexpr double alike = 0.01;
  const double shown = row.throughput / *row.ratio;
  if (report.paired || report.pair_s > 0 || std::abs(row.before / shown - 1) < alike) return "";
  return fmt::format(
      "{}stored: {}, before: at the machine's present speed", row.reason.empty() ? "" : "; ",
      row.call_before_s > 0 ? time_text(row.call_before_s) : rate_text(row.before, row.unit));
}

}  // namespace

OutputRow output_row(const RowReport& report, const Policy& policy) {
  OutputRow row;
  row.name = printable(report.name);
  row.family = row.name.family();
  if (row.family.empty()) row.family = "ratchet";
  row.verdict = report.verdict;
  // The error output of a third-party program may be long, and a table is not a log.
  std::string reason = to_string(report.reason);
  for (const std::string& remark : texts(report.remarks)) {
    if (reason.find(remark) == std::string::npos) reason += (reason.empty() ? "" : "; ") + remark;
  }
  const std::optional<stats::Bounds> bounds =
      report.decision ? shown_bounds(*report.decision) : std::nullopt;
  // Launches that others contended prove nothing.
  const bool contended = std::holds_alternative<OthersHeldCpu>(report.reason);
  if (report.verdict == Verdict::undecided && bounds && !contended)
    reason = still_possible(*bounds) + (reason.empty() ? "" : "; ") + reason;
  row.reason = printable(reason, 400);
  for (const std::string& each : differences_in_work(report))
    row.reasons.push_back(printable(each, 400));
  Ending alone;
  alone.add(report);
  row.outcome = exit_code(alone, policy);
  row.tolerance = report.tolerance;
  row.baseline_launches = report.baseline_launches;
  row.launches = report.launches;
  row.throughput = report.now.throughput;
  row.before = report.before.throughput;
  row.call_s = report.now.call_s;
  row.call_before_s = report.before.call_s;
  row.unit = unit_of(report);
  row.clock = to_string(report.clock);
  row.identical_work = report.identical_work;
  if (report.decision) {
    row.ratio = report.decision->ratio;
    if (row.before > 0 && *row.ratio > 0) {
      // The change is of pairs or of launches at equal clocks. Medians of the two sides may differ
      // by what the machine did between them, even in sign.
      row.reason += stored_figure(report, row);
      row.before = row.throughput / *row.ratio;
      row.call_before_s = row.call_s * *row.ratio;
    }
    row.interval = bounds;
    if (std::isfinite(report.decision->detectable)) row.detectable = report.decision->detectable;
  }
  // This build against itself is no comparison, nor are figures of other units. Those of other work
  // are shown, without a change.
  const bool other_figures =
      report.verdict == Verdict::changed && !std::holds_alternative<OtherUnits>(report.reason);
  if (other_figures || report.verdict == Verdict::uncompared) row.before = row.call_before_s = 0;
  return row;
}

std::vector<OutputRow> output_rows(const std::vector<RowReport>& reports, const Policy& policy) {
  std::vector<OutputRow> rows;
  for (const RowReport& report : reports) rows.push_back(output_row(report, policy));
  return rows;
}

namespace {

/// Its ratio is a change: not the clock's part in identical work, nor noise of one build.
bool shows_change(const OutputRow& row) {
  return row.ratio && !row.identical_work && row.verdict != Verdict::uncompared;
}

}  // namespace

std::string effect_text(const OutputRow& row) {
  return shows_change(row) ? change_text(*row.ratio) : "-";
}

std::string interval_text(const OutputRow& row) {
  if (!row.interval || !shows_change(row)) return "-";
  const std::string low = change_text(row.interval->low);
  return fmt::format("{} ... {}", low.substr(0, low.size() - 2), change_text(row.interval->high));
}

std::string tolerance_text(const OutputRow& row) {
  return row.tolerance > 0 ? fmt::format("{:.3g} %", row.tolerance * 100) : "-";
}

std::string detects_text(const OutputRow& row) {
  return row.detectable && !row.identical_work ? fmt::format("{:.1f} %", *row.detectable * 100)
                                               : "-";
}

std::string launches_text(const OutputRow& row) {
  if (row.baseline_launches + row.launches == 0) return "-";
  return fmt::format("{} + {}", row.baseline_launches, row.launches);
}

std::string throughput_text(const OutputRow& row) {
  if (!(row.throughput > 0)) return "-";
  if (!(row.before > 0) || row.identical_work) return rate_text(row.throughput, row.unit);
  return rates_text(row.before, row.throughput, row.unit);
}

std::string call_text(const OutputRow& row) {
  if (!(row.call_s > 0)) return "-";
  if (!(row.call_before_s > 0) || row.identical_work) return time_text(row.call_s);
  return times_text(row.call_before_s, row.call_s);
}

std::string sentence(const OutputRow& row) {
  std::string text = to_string(row.verdict);
  const bool compared = shows_change(row);
  if (compared)
    text += fmt::format(
        ": throughput {} ({}), {}, tolerance {}, minimum detectable effect {}, {} launches",
        effect_text(row), interval_text(row), throughput_text(row), tolerance_text(row),
        detects_text(row), launches_text(row));
  if (row.reason.empty()) return text;
  return text + (compared ? "; " : ": ") + row.reason;
}

bool seems_slower(const RowReport& report) {
  return report.verdict == Verdict::undecided && report.decision &&
         report.decision->per_comparison &&
         report.decision->per_comparison->high < 1 - report.tolerance;
}

namespace {

struct Open {
  double tolerance_needed = 0;  ///< the smallest that makes it "same"
  double further_s = 0;         ///< infinite if no number of pairs is likely to decide it
  bool possible = false;        ///< though a number of pairs may
  bool seems_slower = false;
};

/// Rounds budgets and tolerances for messages.
constexpr std::array budgets_s = {10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0};
constexpr std::array tolerances = {0.01, 0.02, 0.03, 0.05, 0.1};  // more hides what a gate is for
/// The next run may find a busier machine.
constexpr double time_margin = 1.5;

/// Of a clean pair: contended ones take their time, too.
double clean_pair_s(const RowReport& report) {
  const auto clean = static_cast<double>(std::max<std::size_t>(1, report.launches));
  return report.pair_s * (clean + static_cast<double>(report.contended)) / clean;
}

/// Of rows whose pairs others spoil, no budget can be foretold.
bool is_spoiled(const RowReport& report) { return report.contended > report.launches; }

/// The time of so many pairs. Against a stored baseline's own build, pairs get a half of the budget
/// at least (judging.cpp).
double seconds_of_pairs(const RowReport& report, double pairs) {
  return (report.against.empty() ? 1 : 2) * pairs * clean_pair_s(report);
}

/// Of a row that few pairs leave open, more may decide it though that is not likely.
constexpr double likely = 0.8, possible = 0.35;

/// 0 where no number of pairs of this plan decides the row with this probability.
std::size_t pairs_to_decide(const RowReport& report, const std::vector<stats::Analysis>& plan,
                            double probability = likely) {
  return stats::pairs_to_decide(
      {report.decision->ratio, *report.decision->per_comparison, report.launches, report.tolerance},
      plan, probability);
}

Open open_row(const RowReport& report, const std::vector<stats::Analysis>& plan) {
  const std::size_t wanted = pairs_to_decide(report, plan);
  Open open{0, HUGE_VAL};
  // "Same" takes the per-comparison interval, and the row shows the wider one: both lie within.
  for (const auto& bounds : {report.decision->per_comparison, shown_bounds(*report.decision)})
    open.tolerance_needed = std::max({open.tolerance_needed, 1 - bounds->low, bounds->high - 1});
  if (wanted > 0)
    open.further_s = seconds_of_pairs(report, static_cast<double>(wanted - report.launches));
  open.possible = pairs_to_decide(report, plan, possible) > 0;
  open.seems_slower = seems_slower(report);
  return open;
}

std::size_t settled_within(std::vector<Open> rows, double further_s) {
  std::sort(rows.begin(), rows.end(),
            [](const Open& a, const Open& b) { return a.further_s < b.further_s; });
  std::size_t count = 0;
  for (const Open& row : rows) {
    further_s -= row.further_s;
    count += further_s >= 0;
  }
  return count;
}

/// "; --budget-s 900 is likely to settle 9": the shortest that settles most of the settleable rows.
std::string by_budget(const std::vector<Open>& rows, double seconds) {
  const auto within = [&](double budget_s) {
    return settled_within(rows, budget_s / time_margin - seconds);
  };
  const std::size_t most = within(budgets_s.back());
  for (const double budget_s : budgets_s) {
    const std::size_t count = within(budget_s);
    if (count > 0 && 5 * count >= 4 * most)
      return fmt::format("; --budget-s {:.0f} is likely to settle {}{}", budget_s, count,
                         count < rows.size() ? fmt::format(" of {}", rows.size()) : "");
  }
  const auto open = std::count_if(rows.begin(), rows.end(), std::mem_fn(&Open::possible));
  if (open > 0)
    return fmt::format("; it cannot be told yet which --budget-s would settle {} of {}", open,
                       rows.size());
  return fmt::format("; not even an hour (--budget-s 3600) is likely to settle {}", rows.size());
}

/// Nothing where a row seems slower: the tolerance that settles it would hide its loss.
std::string by_tolerance(const std::vector<Open>& rows) {
  if (std::any_of(rows.begin(), rows.end(), std::mem_fn(&Open::seems_slower))) return "";
  for (const double tolerance : tolerances) {
    const auto count = std::count_if(rows.begin(), rows.end(), [&](const Open& row) {
      return row.tolerance_needed <= tolerance;
    });
    if (5 * static_cast<std::size_t>(count) >= 4 * rows.size())
      return fmt::format("; --tolerance {} would have settled {}", tolerance, count);
  }
  return "";
}

/// "1.3 %" of 0.01201: two digits, rounded up so that the tolerance suffices as shown.
std::string percent_above(double share) {
  const double value = 100 * share;
  const double unit = value > 0 ? std::pow(10, std::floor(std::log10(value)) - 1) : 1;
  return fmt::format("{:.2g} %", std::ceil(value / unit - 1e-9) * unit);
}

bool is_open(const RowReport& report) {
  return report.verdict == Verdict::undecided && report.pair_s > 0 && report.decision &&
         report.decision->per_comparison;
}

}  // namespace

std::string what_would_settle_row(const RowReport& report) {
  if (!is_open(report)) return "";
  const std::size_t pairs = pairs_to_decide(report, stats::plan_pairs(1));
  const double seconds = time_margin * seconds_of_pairs(report, static_cast<double>(pairs));
  const double needed = open_row(report, stats::plan_pairs(1)).tolerance_needed;
  const bool tolerance = needed <= tolerances.back() && !seems_slower(report);
  const std::string wider = "a tolerance of " + percent_above(needed);
  const std::string longer =
      fmt::format("about {:.0f} s of this row alone", std::max(1.0, std::ceil(seconds)));
  if (pairs > 0 && !is_spoiled(report) && seconds <= budgets_s.back())
    return tolerance ? longer + ", or " + wider : longer;
  const bool open = pairs_to_decide(report, stats::plan_pairs(1), possible) > 0;
  const char* more_pairs =
      open ? "whether more pairs suffice cannot be told yet" : "more pairs are unlikely to suffice";
  if (tolerance) return wider + "; " + more_pairs;
  if (seems_slower(report)) return more_pairs;
  return fmt::format("a tolerance up to {:.0f} % is unlikely to suffice; {}",
                     100 * tolerances.back(), more_pairs);
}

namespace {

/// The fewest and the most.
struct Range {
  std::optional<std::size_t> least;
  std::size_t most = 0;

  void add(std::size_t count) {
    least = std::min(least.value_or(count), count);
    most = std::max(most, count);
  }
  /// "1 pair", "52 to 208 pairs".
  std::string text(const char* one, const char* several) const {
    return fmt::format("{}{} {}", *least < most ? fmt::format("{} to ", *least) : "", most,
                       most == 1 ? one : several);
  }
};

/// The undecided rows of a run, by what is known of them.
struct Undecided {
  std::vector<const RowReport*> all;
  std::vector<Open> open;          ///< measured in pairs that give an interval
  std::size_t few = 0;             ///< measured in too few pairs
  std::size_t least = 0;           ///< the most pairs that one of these needs
  double few_s = 0;                ///< the time of the pairs that they lack
  double pair_s = 0;               ///< their longest pair
  std::size_t stored = 0;          ///< compared with stored launches
  std::size_t short_of = 0;        ///< of these, in too few launches
  std::size_t least_launches = 0;  ///< the most launches that one of these needs
  double longer = 1;               ///< how many times as many that is
  std::size_t contended = 0;
  Range pairs, launches;    ///< that rows have, by their kind
  std::size_t spoiled = 0;  ///< rows of which others spoiled most pairs
};

std::size_t pairs_needed(const RowReport& report, const std::vector<stats::Analysis>& plan) {
  const auto* few = std::get_if<FewPairs>(&report.reason);
  return few ? few->least : plan.front().launches;
}

bool is_paired(const RowReport& report) { return report.paired || report.pair_s > 0; }

Undecided undecided_rows(const std::vector<RowReport>& reports,
                         const std::vector<stats::Analysis>& plan) {
  Undecided found;
  for (const RowReport& report : reports) {
    if (report.verdict != Verdict::undecided) continue;
    found.all.push_back(&report);
    (is_paired(report) ? found.pairs : found.launches).add(report.launches);
    if (is_paired(report) && is_spoiled(report)) {
      ++found.spoiled;
    } else if (is_open(report)) {
      found.open.push_back(open_row(report, plan));
    } else if (is_paired(report)) {
      const std::size_t needed = pairs_needed(report, plan);
      ++found.few;
      found.least = std::max(found.least, needed);
      found.few_s +=
          seconds_of_pairs(report, static_cast<double>(needed - std::min(needed, report.launches)));
      found.pair_s = std::max(found.pair_s, report.pair_s);
      found.contended += report.contended;
    } else {
      ++found.stored;
      const auto* few = std::get_if<FewLaunches>(&report.reason);
      if (!few) continue;
      ++found.short_of;
      found.least_launches = std::max(found.least_launches, few->least);
      found.longer =
          std::max(found.longer, static_cast<double>(few->least) /
                                     static_cast<double>(std::max<std::size_t>(1, few->launches)));
    }
  }
  return found;
}

/// "; 3 have fewer than the 5 pairs of an interval, since a pair takes up to 8 s; --budget-s 300
/// gives them these".
std::string by_pairs(const Undecided& rows, double seconds, bool says_budget) {
  if (rows.few == 0) return "";
  std::string text = fmt::format("; {} ha{} too few pairs for an interval, at least {} are needed",
                                 rows.few, rows.few == 1 ? "s" : "ve", rows.least);
  if (rows.pair_s > 0) text += fmt::format(" and one takes up to {:.2g} s", rows.pair_s);
  if (rows.contended > 0) text += fmt::format(" (other processes spoiled {})", rows.contended);
  if (says_budget) return text;
  for (const double budget_s : budgets_s)
    if (time_margin * (seconds + rows.few_s) <= budget_s)
      return text + fmt::format(": --budget-s {:.0f} is likely to give these", budget_s);
  return text + ": one hour is unlikely to give these";
}

/// "; 1 has fewer than the 10 launches that a verdict needs: --budget-s 120 is likely to give
/// these".
std::string by_launches(const Undecided& rows, double seconds) {
  if (rows.short_of == 0) return "";
  std::string text =
      fmt::format("; {} ha{} fewer than the {} launches that a verdict needs: ", rows.short_of,
                  rows.short_of == 1 ? "s" : "ve", rows.least_launches);
  const std::size_t usual = RunOptions().launches;
  if (rows.least_launches > stats::plan_stored(usual, 1).back().launches)
    text += fmt::format("--launches {} ", rows.least_launches);
  for (const double budget_s : budgets_s)
    if (time_margin * seconds * rows.longer <= budget_s)
      return text + fmt::format("--budget-s {:.0f} is likely to give these", budget_s);
  return text + "one hour is unlikely to give these";
}

std::string by_quiet(const Undecided& rows) {
  if (rows.spoiled == 0) return "";
  return fmt::format(
      "; the machine is too busy for {}: other processes spoiled most of {} pairs, so measure on a "
      "quieter one (`ratchet doctor` names them)",
      rows.spoiled, rows.spoiled == 1 ? "its" : "their");
}

/// What a run of one row alone gives it, and the command.
struct Alone {
  const char* gives = "";
  std::string command;  ///< empty: there is none
};

/// For the worst row that the whole budget is likely to settle.
Alone alone(const Undecided& rows, const std::vector<stats::Analysis>& plan,
            const std::string& repeat) {
  constexpr std::array alone_s = {30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0};
  constexpr double start_up_s = 5;  // lists and checks
  for (const RowReport* report : rows.all) {
    if (!is_paired(*report) || is_spoiled(*report) || repeat.empty()) continue;
    auto pairs = 2 * static_cast<double>(pairs_needed(*report, plan));
    if (is_open(*report))  // this run may have been it
      pairs = static_cast<double>(
          pairs_to_decide(*report, rows.all.size() == 1 ? plan : stats::plan_pairs(1)));
    if (pairs == 0) continue;
    const double wanted_s = seconds_of_pairs(*report, pairs);
    for (const double budget_s : alone_s) {
      if (start_up_s + time_margin * wanted_s > budget_s) continue;
      return {rows.all.size() > 1 ? "A row that is named alone has the whole budget"
              : is_open(*report)  ? "This row alone, with the whole budget"
                                  : "This row alone, with time for an interval",
              command_for(repeat, report->name, fmt::format(" --budget-s {:.0f}", budget_s))};
    }
  }
  return {};
}

/// Of a run in which all compared rows are judged by time.
std::vector<stats::Analysis> plan_of(const std::vector<RowReport>& reports) {
  std::size_t compared = 0;
  for (const RowReport& report : reports) compared += report.decision && !report.identical_work;
  return stats::plan_pairs(std::max<std::size_t>(1, compared));
}

}  // namespace

std::string settling_command(const std::vector<RowReport>& reports, const std::string& repeat) {
  const auto plan = plan_of(reports);
  return alone(undecided_rows(reports, plan), plan, repeat).command;
}

std::string what_would_settle(const std::vector<RowReport>& reports, double seconds,
                              const std::string& repeat, const std::string& side_by_side,
                              double budget_s) {
  const auto plan = plan_of(reports);
  const Undecided rows = undecided_rows(reports, plan);
  if (rows.all.empty()) return "";
  const bool no_more = rows.pairs.least.value_or(0) >= plan.back().launches;
  std::string text = fmt::format("{} undecided after ", rows.all.size());
  if (rows.pairs.least)
    text += rows.pairs.text("pair", "pairs") + (no_more ? " (a run takes no more)" : "");
  if (rows.launches.least)
    text += (rows.pairs.least ? " and " : "") + rows.launches.text("launch", "launches");
  text += fmt::format(" in {:.0f} s", seconds);
  if (rows.pairs.least && !no_more && budget_s > 0)
    text += seconds < 0.9 * budget_s
                ? fmt::format(" (no next analysis fits into the rest of {:.0f} s)", budget_s)
                : fmt::format(" (the budget of {:.0f} s ended)", budget_s);
  const Alone named = alone(rows, plan, repeat);
  const bool says_budget =
      rows.all.size() == 1 && !named.command.empty();  // of the one row there is
  if (!rows.open.empty())
    text += (says_budget ? "" : by_budget(rows.open, seconds)) + by_tolerance(rows.open);
  text += by_pairs(rows, seconds, says_budget) + by_launches(rows, seconds) + by_quiet(rows);
  if (rows.stored > 0)
    text += fmt::format("; {} compared with stored launches: {}", rows.stored, side_by_side);
  if (!named.command.empty()) text += fmt::format("\n{}:\n  {}", named.gives, named.command);
  return text;
}

}  // namespace ratchet::gate
