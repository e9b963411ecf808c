#include "perf/gate/run/pairs.h"

#include <fmt/format.h>

#include <cmath>

#include "perf/stats/quantile.h"
#include "perf/stats/sequential.h"

namespace ratchet::gate {
namespace {

/// ln(now / before) of a counter, launch by launch; empty where a launch lacks it.
std::vector<double> log_ratios(const Row& before, const Row& now, const std::string& counter) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(before.launches.size(), now.launches.size()); ++i) {
    const double a = before.launches[i].counter(counter).value_or(0);
    const double b = now.launches[i].counter(counter).value_or(0);
    if (!(a > 0) || !(b > 0)) return {};
    ratios.push_back(std::log(b / a));
  }
  return ratios;
}

double tolerance_of(const std::string& row, const PairOptions& options) {
  if (options.tolerance) return *options.tolerance;
  const auto own = options.tolerances.find(row);
  return own != options.tolerances.end() ? own->second
                                         : default_tolerance(device_of(row), Comparison::paired);
}

RowReport judge_row(const std::string& name, const Session& session, const PairOptions& options,
                    const stats::Look& look) {
  const Row& before = session.measured(0).rows.at(name);
  const Row& now = session.measured(1).rows.at(name);
  RowReport report;
  report.name = name;
  report.tolerance = tolerance_of(name, options);
  report.baseline_launches = before.launches.size();
  report.launches = now.launches.size();
  report.throughput = stats::median(now.throughputs());
  if (const auto change = changed_between(before, now)) {
    report.verdict = Verdict::changed;
    report.reason = *change;
    return report;
  }
  report.decision = decide_pairs(pairs_of(before, now), report.tolerance, look);
  report.verdict = report.decision->verdict;
  report.reason = report.decision->reason;
  if (options.same_code.count(stage_of(name))) doubt_same_code(report);
  return report;
}

void add_unpaired(std::vector<RowReport>& reports, const Session& session,
                  const PairOptions& options) {
  const auto add = [&](const std::string& name, Verdict verdict, const std::string& reason) {
    RowReport report;
    report.name = name;
    report.verdict = verdict;
    report.reason = reason;
    reports.push_back(report);
  };
  for (const auto& [name, failure] : session.failures())
    add(name, failure.unverified ? Verdict::unverified : Verdict::failed, failure.reason);
  for (const std::string& name : session.selection().only_in(0))
    add(name, Verdict::missing, "in the base, not in this build");
  for (const std::string& name : session.selection().only_in(1))
    add(name, options.added_rows_fail ? Verdict::fresh : Verdict::uncompared, "not in the base");
  for (const auto& [name, reason] : session.unavailable()) add(name, Verdict::unavailable, reason);
}

}  // namespace

Pairs pairs_of(const Row& before, const Row& now) {
  Pairs pairs;
  pairs.log_ratios = log_ratios(before, now, "units_per_second");
  for (const double change : log_ratios(before, now, "reference_version")) {
    if (change != 0) return pairs;
  }
  pairs.reference = log_ratios(before, now, "reference_per_second");
  return pairs;
}

std::vector<RowReport> measure_and_judge_pairs(Session& session, const PairOptions& options) {
  std::map<std::string, RowReport> judged;
  std::set<std::string> open = session.alive();
  const auto looks = stats::plan_looks(std::max<std::size_t>(1, open.size()),
                                       options.rule.false_alarms, options.rule.same_error);
  std::size_t made = 0;
  for (const stats::Look& look : looks) {
    if (open.empty() || (made > 0 && session.seconds_left() <= 0)) break;
    if (made > 0) session.say(fmt::format("{} rows are undecided and get more pairs", open.size()));
    session.measure(open, look.pairs - made, made == 0 ? look.pairs : 0);
    made = look.pairs;
    const std::set<std::string> alive = session.alive();
    for (auto row = open.begin(); row != open.end();) {
      const bool failed = !alive.count(*row);
      if (failed) judged.erase(*row);
      if (!failed) judged[*row] = judge_row(*row, session, options, look);
      const bool closed = failed || judged[*row].verdict != Verdict::undecided;
      row = closed ? open.erase(row) : std::next(row);
    }
  }
  std::vector<RowReport> reports;
  for (const auto& [name, report] : judged) reports.push_back(report);
  add_unpaired(reports, session, options);
  sort_worst_first(reports);
  return reports;
}

}  // namespace ratchet::gate
