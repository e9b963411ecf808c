#include "perf/gate/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/metric.h"
#include "perf/gate/layout_pairs.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/identity/code/disassembler.h"
#include "perf/identity/explain/comparison.h"
#include "perf/stats/paired.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {
namespace {

/// The rows of identical work.
std::set<RowId> common_work(const std::map<RowId, std::string>& before,
                            const std::map<RowId, std::string>& now) {
  std::set<RowId> rows;
  for (const auto& [row, work] : now)
    if (const auto was = before.find(row); was != before.end() && was->second == work)
      rows.insert(row);
  return rows;
}

/// A wrong result in the base matters only for rows that are slower or faster than it. So only
/// these rows get an in-situ check of the base.
void judge_base_where_it_matters(Run& run, std::vector<Facts>& rows) {
  std::set<RowId> apart;
  for (const Facts& facts : rows)
    if (is_moved(judge(facts).verdict)) apart.insert(facts.name);
  run.checker().verify_in_situ(apart, 0);
  std::map<RowId, Failure> wrong;
  for (const RowId& row : apart)
    if (const auto failure = run.ledger().failures().find(row);
        failure != run.ledger().failures().end())
      wrong.insert(*failure);
  std::erase_if(rows, [&](const Facts& facts) { return wrong.count(facts.name) > 0; });
  for (const auto& [row, failure] : wrong) rows.push_back(failing_in_base(row, failure));
}

/// From the least to the greatest ratio of a row's pairs.
std::optional<stats::Bounds> range_of(const Run& run, const RowId& row) {
  const Pairs pairs =
      pairs_of(run.ledger().measured(0).rows.at(row), run.ledger().measured(1).rows.at(row));
  return stats::paired_bounds(pairs.log_ratios,
                              std::exp2(-static_cast<double>(pairs.log_ratios.size())));
}

/// Limits of the listings in a report; `ratchet explain` shows everything.
constexpr std::size_t most_listings = 5, most_lines = 160;

std::vector<std::string> listing_of(explain::Comparison& comparison, const RowId& row) {
  try {
    std::vector<std::string> lines = comparison.listings(row);
    if (lines.size() <= most_lines) return lines;
    const std::size_t more = lines.size() - most_lines;
    lines.resize(most_lines);
    lines.push_back(fmt::format("... {} more lines", more));
    return lines;
  } catch (const Error&) {  // no disassembler or no objects; the reasons report that
    return {};
  }
}

/// Sets Facts::reasons of slower and faster rows, where both programs have digests, and
/// Facts::listing of the worst few. Takes a second or two where there is such a row. Does not throw
/// where a build lacks something: the reasons say so, and the listing is empty.
void add_reasons(std::vector<Facts>& rows, const BenchProgram& before, const BenchProgram& now) {
  if (!before.abilities().tells_code || !now.abilities().tells_code) return;
  const Phase comparing("comparing the code of rows that are slower or faster");
  explain::Comparison comparison(before.path(), now.path());
  std::size_t listings = 0;
  for (const RowReport& report : judged(rows)) {  // the worst first
    if (!is_moved(report.verdict)) continue;
    const auto same_name = [&](const Facts& each) { return each.name == report.name; };
    Facts& facts = *std::find_if(rows.begin(), rows.end(), same_name);
    facts.reasons = comparison.reasons(facts.name);
    if (listings++ < most_listings) facts.listing = listing_of(comparison, facts.name);
  }
}

}  // namespace

std::map<std::string, std::string> device_code(const BenchProgram& program) {
  if (!program.abilities().tells_code) return {};
  const Phase reading("reading the device code of " + shown_path(program.path()));
  try {
    return counters::code_hashes(program.path());
  } catch (const Error&) {  // no tool, or no device code
    return {};
  }
}

std::map<RowId, double> stated_tolerances(const BaselineStore& store) {
  std::map<RowId, double> tolerances;
  for (const StoredFile& file : store.files()) {
    for (const auto& [name, row] : file.content.rows) {
      if (row.tolerance) tolerances[name] = *row.tolerance;
    }
  }
  return tolerances;
}

SideBySide measure_side_by_side(const BenchProgram& before, const BenchProgram& now,
                                const RunOptions& options, PairOptions pairs, bool by_time,
                                const std::function<void(const std::string&)>& progress) {
  const auto code = device_code(now);
  const CodeIdentity identity = now.code_identity();
  const auto& work = identity.digests;
  pairs.same_code = counters::identical_code(device_code(before), code);
  std::error_code ignored;
  const bool same_file =
      !pairs.other_rows && std::filesystem::equivalent(before.path(), now.path(), ignored);
  pairs.by_time = by_time;
  pairs.same_work = common_work(before.code_identity().digests, work);
  if (same_file)  // which may have no digest, as a script
    for (const RowId& row : now.list().rows) pairs.same_work.insert(row);
  Run run({{"base", &before}, {"new", &now}}, options, progress);
  std::set<RowId> in_other_program, not_followed;
  if (const auto rows = minus(run.rows(), pairs.same_work); !rows.empty()) {
    const auto followed = now.row_digests(rows, progress);
    std::set<RowId> known;  // a row that one side cannot follow is timed, and said once
    for (const auto& [row, digest] : followed) known.insert(row);
    const auto base = known.empty() ? followed : before.row_digests(known, progress);
    in_other_program = common_work(base, followed);
    for (const RowId& row : rows)
      if (!followed.contains(row) || !base.contains(row)) not_followed.insert(row);
    pairs.same_work.insert(in_other_program.begin(), in_other_program.end());
  }
  const Listing listing = now.list();
  pairs.stated =
      of_this_run(pairs.stated, run.rows(), {listing.rows.begin(), listing.rows.end()}, progress);
  tolerances_for(pairs.stated, run.rows());  // a bad tolerance must fail before measuring
  if (!run.rows().empty()) {
    run.checker().check(!pairs.checked);
    run.checker().verify_in_situ(by_time ? run.rows() : minus(run.rows(), pairs.same_work), 1);
  }
  SideBySide result;
  result.rows = measure_pairs(run, pairs);
  judge_base_where_it_matters(run, result.rows);
  take_repaired_as_new(run, pairs, result.rows);
  until_interruption([&] { measure_in_layouts(run, pairs, result.rows); });
  for (Facts& facts : result.rows) {
    if (const auto hash = code.find(facts.name.stage()); hash != code.end())
      facts.code_hash = hash->second;
    facts.not_followed = !pairs.other_rows && !facts.basis.empty() && !figure_kind(facts.basis) &&
                         not_followed.contains(facts.name);
    if (facts.by_launches && in_other_program.count(facts.name))
      facts.in_other_program = range_of(run, facts.name);
  }
  state_work(result.rows, work);
  state_units(result.rows, identity.units);
  until_interruption([&] { add_reasons(result.rows, before, now); });
  result.base = run.ledger().measured(0);
  result.now = run.ledger().measured(1);
  result.seconds = run.budget().spent();
  result.seconds_measuring = run.budget().measuring();
  return result;
}

}  // namespace ratchet::gate
