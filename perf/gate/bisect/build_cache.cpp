#include "perf/gate/bisect/build_cache.h"

#include <fmt/format.h>

#include "perf/gate/layout_pairs.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/gate/run/judging.h"
#include "perf/support/clock.h"
#include "perf/support/hash.h"
#include "perf/support/interruption.h"

namespace ratchet::bisect {
namespace {

Judgement judgement_of(const gate::RowReport& report) {
  Judgement judgement;
  judgement.verdict = report.verdict;
  judgement.reason = gate::to_string(report.reason);
  judgement.pairs = report.launches;
  if (!report.decision) return judgement;
  judgement.ratio = report.decision->ratio;
  const auto& bounds = report.decision->simultaneous ? report.decision->simultaneous
                                                     : report.decision->per_comparison;
  if (bounds) judgement.low = bounds->low;
  if (bounds) judgement.high = bounds->high;
  return judgement;
}

/// Such as a full disk, or a compiler killed for its memory: what the next run may find otherwise
/// must not be kept as an answer.
bool is_no_fault_of_the_revision(const std::string& what) {
  const auto has = [&](const char* words) { return what.find(words) != std::string::npos; };
  return !(has(" does not build: ") || has("cannot list its benchmarks") ||
           what.starts_with("the command ")) ||
         has("No space left on device") || has("was killed by signal") ||
         has("signal terminated program");
}

}  // namespace

const BuildRecord& BuildCache::build(const Revision& revision) {
  if (const BuildRecord* known = state_.build(revision.commit)) return *known;
  const double start = seconds_now();
  try {
    return build_or_throw(revision);
  } catch (const Error& error) {
    if (is_no_fault_of_the_revision(error.what())) throw;
    say_(fmt::format("{:.12} is skipped: {}", revision.commit, error.what()));
    state_.add(revision.commit, {error.what(), {}, {}}, seconds_now() - start);
  }
  return *state_.build(revision.commit);
}

const BuildRecord& BuildCache::build_or_throw(const Revision& revision) {
  const BuildRecord* known = state_.build(revision.commit);
  if (known && known->failure.empty()) return *known;
  const double start = seconds_now();
  const BuildRecord record = describe(revision);
  state_.add(revision.commit, record, seconds_now() - start);
  return *state_.build(revision.commit);
}

BuildRecord BuildCache::describe(const Revision& revision) {
  gate::ProgramOptions bench = options_.bench;
  bench.program = program(revision);
  const auto built = gate::open_program(bench);
  return {"", built->code_identity().digests, built->list().rows};
}

const BuildRecord& BuildCache::follow(const Revision& revision, const std::set<RowId>& rows) {
  BuildRecord record = *state_.build(revision.commit);
  std::set<RowId> unknown;
  for (const RowId& row : rows)
    if (record.followed.try_emplace(row).second) unknown.insert(row);
  if (!unknown.empty()) {
    const double start = seconds_now();
    gate::ProgramOptions bench = options_.bench;
    bench.program = program(revision);
    for (const auto& [row, digest] : gate::open_program(bench)->row_digests(unknown, say_))
      record.followed[row] = digest;
    state_.add(revision.commit, record, seconds_now() - start);
  }
  return *state_.build(revision.commit);
}

std::filesystem::path BuildCache::program(const Revision& revision) {
  const auto known = programs_.find(revision.commit);
  if (known != programs_.end()) return known->second;
  const gate::BaseBuild built =
      gate::build_revision(options_.repository, revision.commit, options_.build);
  return programs_[revision.commit] =
             built.programs.empty() ? built.source : built.programs.front();
}

std::map<RowId, Judgement> BuildCache::judge(const Revision& before, const Revision& now,
                                             const std::set<RowId>& rows,
                                             const std::string& purpose,
                                             const Precision& precision) {
  std::map<RowId, Judgement> judged;
  for (const RowId& row : rows)
    if (const Judgement* known = state_.judgement(before.commit, now.commit, row, purpose);
        known &&
        (known->verdict != gate::Verdict::undecided || known->budget_s >= options_.run.budget_s))
      judged[row] = *known;
  if (judged.size() == rows.size()) return judged;
  const double start = seconds_now();
  judged = measure(before, now, rows, precision);
  state_.add(before.commit, now.commit, purpose, judged, seconds_now() - start);
  return judged;
}

std::map<RowId, Judgement> BuildCache::measure(const Revision& before, const Revision& now,
                                               const std::set<RowId>& rows,
                                               const Precision& precision) {
  gate::ProgramOptions options_before = options_.bench, options_now = options_.bench;
  options_before.program = program(before);
  options_now.program = program(now);
  const auto program_before = gate::open_program(options_before);
  const auto program_now = gate::open_program(options_now);
  gate::RunOptions run_options = options_.run;
  run_options.selection.filter = gate::exact_filter(std::vector<RowId>(rows.begin(), rows.end()));
  run_options.selection.backend.clear();
  run_options.seed = random_word();
  say_(fmt::format("comparing {} {} of {:.12} against {:.12}, at most {:.0f} s", rows.size(),
                   rows.size() == 1 ? "row" : "rows", now.commit, before.commit,
                   run_options.budget_s));
  gate::Run run({{fmt::format("{:.12}", before.commit), program_before.get()},
                 {fmt::format("{:.12}", now.commit), program_now.get()}},
                run_options, [this](const std::string& line) { say_("  " + line); });
  run.checker().check();
  gate::PairOptions pairs;
  pairs.tolerance = options_.tolerance;
  if (!precision.tolerances.empty()) pairs.tolerance.reset();
  pairs.tolerances = precision.tolerances;
  pairs.false_alarms = pairs.same_error = precision.error;
  std::map<RowId, Judgement> judged;
  auto found = gate::measure_pairs(run, pairs);
  if (interruption() == 0) gate::measure_in_layouts(run, pairs, found);
  if (interruption() != 0) throw Interrupted();  // half of a comparison is no answer
  for (const gate::RowReport& report : gate::judged(found))
    if (rows.contains(report.name)) {
      judged[report.name] = judgement_of(report);
      judged[report.name].budget_s = options_.run.budget_s;
    }
  return judged;
}

}  // namespace ratchet::bisect
