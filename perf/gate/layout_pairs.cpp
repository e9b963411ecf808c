#include "perf/gate/layout_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/contract/counted.h"
#include "perf/gate/base/other_layouts.h"
#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/metric.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/gate/run/judging.h"
#include "perf/gate/run/pair_analyses.h"
#include "perf/stats/sequential.h"
#include "perf/support/error.h"
#include "perf/support/interruption.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {
namespace {

/// The rows that are slower or faster by the clock, which placement may move; or, `undecided`, that
/// seem so. Their tolerances.
std::map<RowId, double> moved_rows(const std::vector<Facts>& rows, bool undecided) {
  std::map<RowId, double> tolerances;
  for (const Facts& facts : rows) {
    if (facts.name.device() != Device::cpu || facts.exact || is_amount(facts.basis)) continue;
    const auto kind = figure_kind(facts.basis);
    if (kind && kind->unit == energy_unit) continue;  // from launches of their own
    const Judgement judgement = judge(facts);
    const bool seems = judgement.verdict == Verdict::undecided && judgement.decision &&
                       seems_moved(*judgement.decision);
    if (undecided ? seems : is_moved(judgement.verdict)) tolerances[facts.name] = facts.tolerance;
  }
  return tolerances;
}

/// The fewest pairs of other layouts that can confirm, with some slack. `link_s`, `launch_s`: of
/// both programs.
double least_for_layouts(std::size_t rows, double link_s, double launch_s) {
  constexpr double slack = 1.5;
  return slack * static_cast<double>(stats::plan_pairs(rows).at(1).launches) * (link_s + launch_s);
}

struct LayoutPlan {
  double budget_s = 0;
  std::size_t launches = 1;  ///< RunOptions::launches_a_pair
};

/// The pairs of other layouts have the rest of the budget, or a minute but no more than the budget
/// again, or the time of the fewest pairs that can confirm. Of a layout the launches take about as
/// long as its link, where there is time for them.
LayoutPlan plan_layouts(const Run& run, std::size_t rows, double link_s, double launch_s) {
  constexpr double minute = 60;
  const double budget_s = run.budget().seconds(), left_s = run.budget().left();
  const double least_s = least_for_layouts(rows, link_s, launch_s);
  if (least_s > std::max(budget_s, left_s))
    throw Error(
        fmt::format("that takes {}, and the budget is {}", duration(least_s), duration(budget_s)));
  LayoutPlan plan{std::max({left_s, std::min(budget_s, minute), least_s})};
  const double a_pair_s = (link_s + launch_s) * plan.budget_s / least_s;
  plan.launches = launches_that_fit(std::min((a_pair_s - link_s) / launch_s, link_s / launch_s));
  return plan;
}

}  // namespace

void measure_in_layouts(Run& run, PairOptions pairs, std::vector<Facts>& rows) {
  auto moved = moved_rows(rows, false), seeming = moved_rows(rows, true);
  const bool must = !moved.empty();
  if ((!must && (seeming.empty() || run.budget().left() <= 0)) || interruption() != 0) return;
  const auto names_of = [](const std::map<RowId, double>& tolerances) {
    std::set<RowId> names;
    for (const auto& [row, tolerance] : tolerances) names.insert(row);
    return names;
  };
  const auto which = [](const std::set<RowId>& names) {
    return names.size() == 1 ? names.begin()->text() : counted(names.size(), "rows");
  };
  const std::set<RowId> must_names = names_of(moved);
  const Abilities was = run.program(0).abilities(), is = run.program(1).abilities();
  if (was.tells_code || is.tells_code) return;  // ratchet's own functions are aligned
  try {
    if (!was.other_layouts || !is.other_layouts)
      throw Error("neither a command nor a program for a GPU is linked again");
    seeming.insert(moved.begin(), moved.end());
    const std::uint64_t seed = run.options().seed;
    OtherLayouts before(run.program(0), names_of(seeming), seed + 1),
        now(run.program(1), names_of(seeming), seed + 2);
    const double link_s = before.link_s() + now.link_s();
    const auto launch_s_of = [&](const std::map<RowId, double>& some) {
      double launch_s = 0;  // of each row, once
      for (const Facts& facts : rows)
        if (some.contains(facts.name)) launch_s += facts.pair_s;
      return std::max(launch_s, 0.01);
    };
    const bool fits =
        least_for_layouts(seeming.size(), link_s, launch_s_of(seeming)) <= run.budget().left();
    if (!fits && !must) return;
    if (fits) moved = seeming;
    const std::set<RowId> names = names_of(moved);
    run.progress().say(fmt::format(
        "{} {} slower or faster as built{}; both programs are linked again with code and data at "
        "other addresses, to see whether it is so there, too",
        which(names), names.size() == 1 ? "is" : "are",
        names.size() == must_names.size() ? "" : ", or may be"));
    const double launch_s = launch_s_of(moved);
    RunOptions options = run.options();
    options.selection = {};
    options.selection.names = names;
    options.seed += 3;
    const LayoutPlan plan = plan_layouts(run, moved.size(), link_s, launch_s);
    options.launches_a_pair = plan.launches;
    options.budget_s = plan.budget_s;
    for (OtherLayouts* side : {&before, &now}) side->set_launches(plan.launches);
    Run again({{"base", &before}, {"new", &now}}, options,
              [&](const std::string& line) { run.progress().say(line); });
    pairs.tolerances = moved;
    pairs.tolerance.reset();
    pairs.stated.clear();
    pairs.limited.clear();
    pairs.same_work.clear();
    pairs.by_time = false;
    pairs.share_of = 0;
    const std::vector<Facts> found = measure_pairs(again, pairs);
    run.budget().add_measuring(again.budget().measuring());
    for (const Facts& each : found) {
      const Judgement judgement = judge(each);
      if (judgement.verdict == Verdict::failed)
        run.progress().say(
            fmt::format("{} is judged as built alone: {}", each.name, to_string(judgement.reason)));
      if (!judgement.decision) continue;
      const auto same_name = [&](const Facts& facts) { return facts.name == each.name; };
      Facts& facts = *std::find_if(rows.begin(), rows.end(), same_name);
      facts.in_layouts = {*judgement.decision, each.launches};
      facts.in_layouts->decision.verdict = judgement.verdict;
    }
  } catch (const Error& error) {
    if (must)
      run.progress().say(fmt::format("{} {} judged as built alone, where code and data lie: {}",
                                     which(must_names), must_names.size() == 1 ? "is" : "are",
                                     error.what()));
  }
}

}  // namespace ratchet::gate
