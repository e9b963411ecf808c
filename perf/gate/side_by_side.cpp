#include "perf/gate/side_by_side.h"

#include "perf/identity/code/disassembler.h"
#include "perf/gate/reasons.h"
#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {
namespace {

/// The rows that execute the same in both builds.
std::set<std::string> common_work(const std::map<std::string, std::string>& before,
                                  const std::map<std::string, std::string>& now) {
  std::set<std::string> rows;
  for (const auto& [row, work] : now)
    if (const auto was = before.find(row); was != before.end() && was->second == work)
      rows.insert(row);
  return rows;
}

/// What is wrong in the base does harm as a yardstick alone: where a row is slower or faster.
void judge_base_where_it_matters(Session& session, std::vector<RowReport>& reports) {
  std::set<std::string> apart;
  for (const RowReport& report : reports)
    if (report.verdict == Verdict::slower || report.verdict == Verdict::faster)
      apart.insert(report.name);
  session.check_points(apart, 0);
  std::map<std::string, Failure> wrong;
  for (const std::string& row : apart)
    if (const auto failure = session.failures().find(row); failure != session.failures().end())
      wrong.insert(*failure);
  std::erase_if(reports, [&](const RowReport& report) { return wrong.count(report.name) > 0; });
  add_failures(reports, wrong);
  sort_worst_first(reports);
}

}  // namespace

std::map<std::string, std::string> device_code(const BenchProgram& program) {
  if (!program.is_ours()) return {};
  try {
    return counters::code_hashes(program.path());
  } catch (const Error&) {  // no tool, or no device code: nothing is known, which is no failure
    return {};
  }
}

std::map<std::string, double> stated_tolerances(const BaselineStore& store) {
  std::map<std::string, double> tolerances;
  for (const StoredFile& file : store.files()) {
    for (const auto& [name, row] : file.content.rows) {
      if (row.tolerance) tolerances[name] = *row.tolerance;
    }
  }
  return tolerances;
}

SideBySide measure_side_by_side(const BenchProgram& before, const BenchProgram& now,
                                const SessionOptions& options, PairOptions pairs, bool by_time,
                                const std::function<void(const std::string&)>& progress) {
  const auto code = device_code(now);
  const auto work = now.work().digests;
  pairs.same_code = counters::identical_code(device_code(before), code);
  if (!by_time) pairs.same_work = common_work(before.work().digests, work);
  Session session({{"base", &before}, {"new", &now}}, options, progress);
  tolerances_for(pairs.stated, session.rows());  // a bad one is known before minutes are spent
  if (!session.rows().empty()) {
    session.check();
    session.check_points(minus(session.rows(), pairs.same_work), 1);
  }
  SideBySide result;
  result.reports = measure_and_judge_pairs(session, pairs);
  judge_base_where_it_matters(session, result.reports);
  for (RowReport& report : result.reports) {
    if (const auto hash = code.find(stage_of(report.name)); hash != code.end())
      report.code_hash = hash->second;
  }
  state_work(result.reports, work);
  add_reasons(result.reports, before, now);
  result.base = session.measured(0);
  result.now = session.measured(1);
  result.seconds = session.seconds_spent();
  result.seconds_measuring = session.seconds_measuring();
  return result;
}

}  // namespace ratchet::gate
