#include "perf/gate/run/judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

namespace ratchet::gate {
namespace {

using JudgeRow = std::function<RowReport(const std::string& row, const stats::Look& look)>;

/// Goes from look to look with the rows that are undecided, and they alone, while the budget lasts:
/// launches what is missing to the look's number, `made` before the first, and judges. When the
/// budget ends a look early, its rows are judged with what they have.
std::vector<RowReport> look_by_look(Session& session, const std::set<std::string>& rows,
                                    const std::vector<stats::Look>& looks, std::size_t made,
                                    const JudgeRow& judge) {
  std::map<std::string, RowReport> judged;
  std::set<std::string> open = rows;
  for (const stats::Look& look : looks) {
    const bool first = &look == &looks.front();
    if (open.empty() || (!first && session.seconds_left() <= 0)) break;
    if (!first)
      session.say(fmt::format("{} rows are undecided and get more launches", open.size()));
    if (look.launches > made)
      session.measure(open, look.launches - made, first ? look.launches : 0);
    made = look.launches;
    const std::set<std::string> alive = session.alive();
    for (auto row = open.begin(); row != open.end();) {
      const bool failed = !alive.count(*row);
      if (failed) judged.erase(*row);
      if (!failed) judged[*row] = judge(*row, look);
      const bool closed = failed || judged[*row].verdict != Verdict::undecided;
      row = closed ? open.erase(row) : std::next(row);
    }
  }
  std::vector<RowReport> reports;
  for (const auto& [name, report] : judged) reports.push_back(report);
  return reports;
}

/// Of rows whose verdict is known: enough to show how fast they run.
void measure_briefly(Session& session, const std::set<std::string>& rows) {
  constexpr std::size_t launches = 3;
  constexpr double share_of_budget = 0.25, sample_s = 0.05;
  if (rows.empty()) return;
  session.say(fmt::format(
      "{} rows execute what their baselines executed: same, timed for the record", rows.size()));
  session.measure_short(rows, launches, sample_s, share_of_budget);
}

/// Every name, measured or stored, that the run was asked about.
std::set<std::string> covered_names(const Session& session, const BaselineStore& store) {
  std::set<std::string> names = session.rows();
  for (const StoredFile& file : store.files()) {
    for (const auto& [name, row] : file.content.rows) {
      if (session.selection().selects(name)) names.insert(name);
    }
  }
  return names;
}

/// Of what was measured; where nothing could be, the machine is still this one.
Fingerprint fingerprint_of(const Session& session) {
  Measurements measured;
  measured.context = session.measured().context;
  if (measured.context.empty()) {
    for (const auto& [key, value] : fingerprint_fields()) measured.context[key] = value;
  }
  return measured.fingerprint();
}

double tolerance_of(const std::string& row, const PairOptions& options) {
  if (options.tolerance) return *options.tolerance;
  const auto own = options.tolerances.find(row);
  return own != options.tolerances.end() ? own->second
                                         : default_tolerance(device_of(row), Comparison::paired);
}

std::size_t at_least_one(std::size_t rows) { return std::max<std::size_t>(1, rows); }

}  // namespace

std::vector<RowReport> measure_and_judge_stored(Session& session, const BaselineStore& store,
                                                const Executed& executed) {
  // Six launches a side are the least for a 95 % interval: what a slow machine keeps of its nine.
  constexpr std::size_t least = 6;
  const std::size_t launches = session.launches();
  measure_briefly(session, identical_rows(session.alive(), executed, store, nullptr));
  const Fingerprint here = fingerprint_of(session);
  const auto identical = identical_rows(session.alive(), executed, store, &here);
  std::set<std::string> others = session.alive();
  for (const std::string& row : identical) others.erase(row);
  if (!others.empty()) session.measure(others, launches, std::min(launches, least));
  const Measurements& measured = session.measured();
  const std::size_t compared = compared_rows(measured, store).size() - identical.size();
  const auto looks = stats::plan_stored(launches, at_least_one(compared));
  const auto alone = stats::plan_stored(
      launches, at_least_one(measured.rows.size() - compared - identical.size()));
  const StoredSide stored{store, fingerprint_of(session), looks.front(), alone.front()};
  const auto judge = [&](const std::string& name, const stats::Look&) {
    return judge_stored(measured.rows.at(name), stored, executed);
  };
  auto reports = look_by_look(session, others, looks, launches, judge);
  for (const std::string& row : identical)
    if (session.alive().count(row)) reports.push_back(judge(row, looks.front()));
  add_failures(reports, session.failures());
  add_absent(reports, store, stored.here, session.unavailable(), covered_names(session, store));
  sort_worst_first(reports);
  return reports;
}

std::vector<RowReport> measure_and_judge_pairs(Session& session, const PairOptions& options) {
  std::set<std::string> others, identical;
  for (const std::string& row : session.alive())
    (options.same_work.count(row) ? identical : others).insert(row);
  measure_briefly(session, identical);
  const auto looks =
      stats::plan_pairs(at_least_one(others.size()), options.false_alarms, options.same_error);
  const auto judge = [&](const std::string& name, const stats::Look& look) {
    RowReport report =
        compare_rows(session.measured(0).rows.at(name), session.measured(1).rows.at(name),
                     Comparison::paired, tolerance_of(name, options), look);
    if (identical.count(name)) {
      if (report.verdict != Verdict::changed) settle_identical_work(report);
    } else if (options.same_code.count(stage_of(name))) {
      doubt_same_code(report);
    }
    return report;
  };
  auto reports = look_by_look(session, others, looks, 0, judge);
  for (const std::string& row : identical)
    if (session.alive().count(row)) reports.push_back(judge(row, looks.front()));
  add_failures(reports, session.failures());
  for (const std::string& name : session.selection().only_in(0))
    reports.push_back(bare_report(name, Verdict::missing, "in the base, not in this build"));
  const Verdict added = options.added_rows_fail ? Verdict::added : Verdict::uncompared;
  for (const std::string& name : session.selection().only_in(1))
    reports.push_back(bare_report(name, added, "not in the base"));
  for (const auto& [name, reason] : session.unavailable())
    reports.push_back(bare_report(name, Verdict::unavailable, reason));
  sort_worst_first(reports);
  return reports;
}

}  // namespace ratchet::gate
