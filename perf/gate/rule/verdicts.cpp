#include "perf/gate/rule/verdicts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/metric.h"
#include "perf/gate/baseline/units.h"
#include "perf/stats/quantile.h"
#include "perf/support/interruption.h"

namespace ratchet::gate {
namespace {

/// 21: where both sides ran the control workload, both views must agree.
Decision by_both_views(const Facts& facts) {
  if (!facts.by_reference) return *facts.by_launches;
  return agreed(*facts.by_launches, facts.by_reference->decision,
                facts.by_reference->machine_ratio);
}

/// 23: the same device code, launched alike, is neither slower nor faster.
void doubt_same_code(const Facts& facts, Judgement& made) {
  if (!facts.same_code || facts.same_work || facts.launched) return;
  made.remarks.push_back(SameMachineCode{});
  if (!is_moved(made.verdict)) return;
  made.reason = OnlyByTime{made.verdict};
  made.verdict = Verdict::undecided;
}

/// 30: launches that others contended decide nothing; and of a row that is undecided anyhow they
/// are the reason.
void doubt_contended(const Facts& facts, Judgement& made) {
  if (facts.contended == 0) return;
  if (facts.only_contended) made.remarks.push_back(HeldByOthers{});
  const bool decided =
      is_moved(made.verdict) || (made.verdict == Verdict::same && !made.identical_work);
  if (made.verdict != Verdict::undecided && !(facts.only_contended && decided)) return;
  made.verdict = Verdict::undecided;
  made.reason = OthersHeldCpu{
      facts.contended, facts.only_contended ? facts.contended : facts.contended + facts.launches};
}

/// 51: gaps that the row's time does not show, where they are long on either side.
void add_gaps(const Facts& facts, Judgement& made) {
  constexpr double long_gaps = 0.1;
  if (made.identical_work) return;
  const double now = facts.now.gap_share(), before = facts.before.gap_share();
  if (std::max(now, before) < long_gaps) return;
  const bool two = facts.before.throughput > 0;
  made.remarks.push_back(
      LaunchGaps{facts.now.gaps_s, now, two ? std::optional(before) : std::nullopt});
}

/// A row of the memory that the launches' processes take, with both sides at what is told at least.
bool is_least_memory(const Facts& facts) {
  const auto kind = figure_kind(facts.basis);
  const auto unit = kind ? bytes_in(kind->unit) : std::nullopt;
  const std::string name = facts.name.text();
  if (!unit || !(name == memory_metric || name.ends_with(std::string("/") + memory_metric)))
    return false;
  const auto is_least = [&](const Facts::Figures& side) {
    const double mb = kind->throughput(side.throughput) * *unit / 1e6;
    return std::abs(mb - least_memory_mb) < 1e-6;
  };
  return is_least(facts.before) && is_least(facts.now);
}

void add_remarks(const Facts& facts, Judgement& made) {
  if (facts.same_by_time && !facts.launched && made.decision)
    made.remarks.push_back(JudgedByTime{});
  if (facts.exact && made.decision) made.remarks.push_back(Exact{});
  if (facts.not_followed && made.moved && !facts.in_layouts) made.remarks.push_back(NotFollowed{});
  for (const AtLimit& limit : facts.limits) made.remarks.push_back(limit);
  if (!facts.against.empty()) made.remarks.push_back(MeasuredAgainst{facts.against});
  if (facts.layout) made.remarks.push_back(*facts.layout);
  for (const bool before : {true, false})
    if (const auto& modes = (before ? facts.before : facts.now).modes;
        modes && modes->low < modes->high * (1 - facts.tolerance))
      made.remarks.push_back(Bimodal{
          before, *modes, facts.unit.empty() ? unit_of(facts.name, facts.basis) : facts.unit});
  add_gaps(facts, made);
  if (facts.namesakes) made.remarks.push_back(*facts.namesakes);
  if (is_least_memory(facts)) made.remarks.push_back(LeastMemory{});
  if (facts.nothing && made.verdict != Verdict::unavailable) made.remarks.push_back(*facts.nothing);
  // Of identical work no clock judged.
  if (facts.waits && !made.identical_work) made.remarks.push_back(*facts.waits);
  if (facts.other_clock) made.remarks.push_back(*facts.other_clock);
}

/// 50: what wall time leaves open, CPU time decides, if wall time fits.
void decide_by_cpu_time(const Facts& facts, Judgement& made) {
  const Decision wall = *made.decision;
  if (!facts.by_cpu_time || wall.verdict != Verdict::undecided || !wall.per_comparison) return;
  const Decision& cpu = *facts.by_cpu_time;
  const double band = wall_time_band * facts.tolerance;
  const bool fits =
      cpu.verdict == Verdict::same
          ? wall.per_comparison->low >= 1 - band && wall.per_comparison->high <= 1 + band
          : is_moved(cpu.verdict) && (cpu.verdict == Verdict::slower) == (wall.ratio < 1);
  if (!fits) return;
  made.decision = cpu;
  made.remarks.push_back(ByCpuTime{wall.per_comparison->low - 1, wall.per_comparison->high - 1});
}

/// 53: what is slower or faster as built, or seems so, is so only if it is in other layouts, too.
/// Without bounds they say nothing.
void decide_by_layouts(const Facts& facts, Judgement& made) {
  const bool seems = made.verdict == Verdict::undecided && seems_moved(*made.decision);
  if (!facts.in_layouts || made.identical_work || (!seems && !is_moved(made.verdict))) return;
  const Decision& over = facts.in_layouts->decision;
  const bool decide = over.verdict != Verdict::undecided || over.simultaneous;
  if (!decide && seems) return;
  const double change = made.decision->ratio - 1;
  made.remarks.push_back(
      ByLayouts{made.verdict, over.verdict, decide, change, facts.in_layouts->layouts});
  if (!decide) return;
  const bool contradicts =
      is_moved(over.verdict) && (over.verdict == Verdict::slower) != (change < 0);
  made.decision = over;
  made.verdict = contradicts ? Verdict::undecided : over.verdict;
  made.reason = over.reason;
}

/// By the launches of both sides: 5 to 9, 19 and 21; of several threads also 50, of two occasions
/// also 28.
void judge_by_launches(const Facts& facts, Judgement& made) {
  made.decision = by_both_views(facts);
  decide_by_cpu_time(facts, made);
  const bool decided = made.decision->verdict != Verdict::undecided;
  if (facts.occasions && !made.identical_work)
    made.decision = across_occasions(*made.decision, facts.occasions->shift, facts.name.device(),
                                     facts.tolerance, facts.occasions->analysis);
  made.verdict = made.decision->verdict;
  made.reason = made.decision->reason;
  made.settled = decided && made.verdict == Verdict::undecided;
  decide_by_layouts(facts, made);
  made.moved = is_moved(made.verdict) && !made.identical_work;
}

}  // namespace

Judgement judge(const Facts& facts) {
  Judgement made;
  made.identical_work = is_identical_work(facts);
  if (facts.obstacle) {  // 12 to 14
    made.verdict = facts.obstacle->verdict;
    made.reason = facts.obstacle->reason;
  } else if (is_given(facts.changed)) {  // 12
    made.verdict = Verdict::changed;
    made.reason = facts.changed;
  } else if (facts.against_itself) {  // 15
    made.verdict = Verdict::uncompared;
    // One launch shows neither a change nor its noise.
    if (std::holds_alternative<OneLaunch>(facts.against_itself->reason)) {
      made.reason = NoBaseline{};
    } else {
      made.decision = facts.against_itself;
      made.reason = NoBaseline{facts.against_itself->verdict};
    }
  } else if (facts.by_launches) {
    judge_by_launches(facts, made);
  } else if (facts.nothing) {
    made.verdict = Verdict::unavailable;
    made.reason = *facts.nothing;
  }
  if (made.identical_work) {  // 25
    made.verdict = Verdict::same;
    made.reason = IdenticalWork{facts.launches > 0};
  }
  doubt_same_code(facts, made);
  doubt_contended(facts, made);
  add_remarks(facts, made);
  return made;
}

std::vector<RowReport> judged(const std::vector<Facts>& rows) {
  std::vector<RowReport> reports;
  for (const Facts& facts : rows) reports.push_back({facts, judge(facts)});
  sort_worst_first(reports);
  return reports;
}

void sort_worst_first(std::vector<RowReport>& reports) {
  const auto badness = [](const RowReport& report) {
    return std::tuple(report.verdict, report.decision ? report.decision->ratio : 1, report.name);
  };
  std::sort(reports.begin(), reports.end(),
            [&](const RowReport& a, const RowReport& b) { return badness(a) < badness(b); });
}

bool Policy::passes(Verdict verdict) const {
  if (verdict == Verdict::undecided) return undecided_passes.value_or(!strict);
  if (verdict == Verdict::added) return allow_new || !strict;
  return verdict != Verdict::uncompared || !strict;
}

bool is_accepted(const RowReport& report) {
  const bool may_be = report.verdict == Verdict::slower || report.verdict == Verdict::changed ||
                      report.verdict == Verdict::missing;
  return may_be && report.accepted && report.accepted->holds;
}

std::optional<MachineMoved> machine_moved(const std::vector<RowReport>& reports) {
  std::size_t beyond = 0;
  std::vector<double> ratios;
  for (const RowReport& report : reports) {
    if (!report.identical_work || !report.decision || report.paired) continue;
    if (is_amount(report.basis)) continue;  // no machine moves it
    ratios.push_back(report.decision->ratio);
    beyond += std::fabs(ratios.back() - 1) > report.tolerance && is_shown(*report.decision, 1);
  }
  if (beyond * 2 <= ratios.size()) return std::nullopt;
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  return MachineMoved{beyond, ratios.size(), *least, *most, stats::median(ratios)};
}

Ending::Ending(const std::vector<RowReport>& reports)
    : machine_moved(gate::machine_moved(reports).has_value()) {
  for (const RowReport& report : reports) add(report);
}

void Ending::add(const RowReport& report) {
  verdicts.insert(is_accepted(report) ? Verdict::same : report.verdict);
  for (const AtLimit& limit : report.limits) limits.insert(limit.state);
}

namespace {

ExitCode of_verdicts(const Ending& ending, const Policy& policy) {
  using enum Verdict;
  const auto any = [&](std::initializer_list<Verdict> some) {
    return std::any_of(some.begin(), some.end(),
                       [&](Verdict verdict) { return ending.verdicts.count(verdict) > 0; });
  };
  if (any({slower}) || ending.limits.count(AtLimit::State::exceeded)) return ExitCode::regression;
  if (any({failed, unverified, missing, changed})) return ExitCode::failed;
  if (std::any_of(ending.verdicts.begin(), ending.verdicts.end(),
                  [&](Verdict verdict) { return !policy.passes(verdict); }))
    return ExitCode::undecided;
  if (ending.limits.count(AtLimit::State::undecided) && !policy.passes(undecided))
    return ExitCode::undecided;
  if (ending.machine_moved && policy.strict_machine) return ExitCode::undecided;
  if (!any({same, faster, added, undecided, uncompared})) return ExitCode::nothing_ran;
  return ending.nodes_lost && policy.strict ? ExitCode::undecided : ExitCode::pass;
}

}  // namespace

ExitCode exit_code(const Ending& ending, const Policy& policy) {
  if (ending.interruption != 0) return after_interruption(ending.interruption);
  const ExitCode code = of_verdicts(ending, policy);
  return ending.loss ? after_loss(code) : code;
}

}  // namespace ratchet::gate
