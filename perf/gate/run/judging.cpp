#include "perf/gate/run/judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "kernels/contract/counted.h"
#include "perf/gate/rule/limit.h"
#include "perf/gate/run/pair_analyses.h"
#include "perf/measure/sampling/measure.h"
#include "perf/support/clock.h"
#include "perf/support/files.h"
#include "perf/support/interruption.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

/// Judges the rows, and takes the undecided ones from analysis to analysis while the budget lasts.
/// If the budget ends an analysis early, its rows are judged with the launches that they have.
std::vector<Facts> analysis_by_analysis(Run& run, const std::set<RowId>& rows,
                                        const std::vector<stats::Analysis>& analyses,
                                        const FactsAt& facts_at) {
  std::map<RowId, Facts> known;
  std::set<RowId> open = rows;
  for (std::size_t i = 0; i < analyses.size() && !open.empty(); ++i) {
    if (i > 0 && run.budget().left() <= 0) break;
    if (i > 0) {
      run.progress().say(
          fmt::format("{} {} more launches", counted(open.size(), "rows"),
                      open.size() == 1 ? "is undecided and gets" : "are undecided and get"));
      run.scheduler().measure(open, analyses[i].launches - analyses[i - 1].launches);
    }
    const std::set<RowId> alive = run.ledger().alive();
    for (auto row = open.begin(); row != open.end();) {
      const bool failed = !alive.count(*row);
      if (failed) known.erase(*row);
      if (!failed) known[*row] = facts_at(*row, analyses[i]);
      const Judgement judgement = failed ? Judgement() : judge(known[*row]);
      const bool closed = failed || judgement.verdict != Verdict::undecided || judgement.settled;
      row = closed ? open.erase(row) : std::next(row);
    }
  }
  std::vector<Facts> found;
  for (const auto& [name, facts] : known) found.push_back(facts);
  return found;
}

// Rows of identical work get as many short launches as show how fast they run.
constexpr std::size_t launches_for_the_record = 3;
constexpr double share_for_the_record = 0.12, sample_for_the_record_s = 0.05;
constexpr double start_up_s = 0.2;
// Rows of identical work whose single call takes longer are not timed: their verdict is known, and
// a run in which nothing changed should end soon.
constexpr double longest_for_the_record_s = 1;

/// Of rows of identical work with a baseline here, those that a run times.
std::set<RowId> timed_for_the_record(const std::set<RowId>& identical, const BaselineStore& store,
                                     const Fingerprint& here) {
  std::set<RowId> timed;
  for (const RowId& row : identical) {
    const Row* stored = store.find_row(row, here);
    if (!stored || stored->launches.front().real_ms <= 1e3 * longest_for_the_record_s)
      timed.insert(row);
  }
  return timed;
}

/// Of rows whose verdict comes from elsewhere: launches for the table, the history and `accept`.
void measure_for_the_record(Run& run, const std::set<RowId>& rows, std::size_t launches) {
  if (!rows.empty())
    run.scheduler().measure_short(rows, launches, sample_for_the_record_s, share_for_the_record);
}

enum class Samples { short_ones, planned };

/// Of `rows` those that lack launches for their limits, by how many. A launch that had no CPU to
/// itself does not count.
std::map<std::size_t, std::set<RowId>> lacking_for_limits(const Run& run,
                                                          const std::set<RowId>& limited,
                                                          const std::set<RowId>& rows) {
  std::map<std::size_t, std::set<RowId>> lacking;
  const std::set<RowId> alive = run.ledger().alive();
  for (const RowId& row : limited) {
    const std::size_t has = run.ledger().clean_launches(row);
    if (rows.count(row) && alive.count(row) && has < launches_for_limits())
      lacking[launches_for_limits() - has].insert(row);
  }
  return lacking;
}

/// A limit needs more launches than a row whose verdict comes from elsewhere, or that has no
/// baseline. Only these rows get them, and again where others used the CPU meanwhile.
void measure_for_limits(Run& run, const std::set<RowId>& limited, const std::set<RowId>& rows,
                        Samples samples) {
  constexpr int attempts = 4;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (attempt > 0 && (run.budget().left() <= 0 || interruption() != 0)) return;
    const auto lacking = lacking_for_limits(run, limited, rows);
    if (lacking.empty()) return;
    for (const auto& [count, those] : lacking)
      if (samples == Samples::short_ones)
        run.scheduler().measure_short(those, count, sample_for_the_record_s, 1);
      else
        run.scheduler().measure(those, count, count);
  }
}

/// What one round of these for both sides takes, no more than half of the budget.
double seconds_for_the_record(const Run& run, std::size_t rows) {
  constexpr double a_side_s = start_up_s + 2 * sample_for_the_record_s;  // it warms up, too
  return std::min(2 * a_side_s * static_cast<double>(rows), run.budget().seconds() / 2);
}

/// Digests state what a row can launch. Returns the rows with equal digests whose GPU did other
/// work than the baseline's.
std::set<RowId> launched_otherwise(const std::set<RowId>& rows, const Measurements& now,
                                   const std::function<const Row*(const RowId&)>& before) {
  std::set<RowId> otherwise;
  for (const RowId& name : rows) {
    const auto row = now.rows.find(name);
    const Row* was = before(name);
    if (was && row != now.rows.end() && other_device_work(*was, row->second))
      otherwise.insert(name);
  }
  return otherwise;
}

/// Seconds that rows of identical work take, their checks included, as their baselines tell.
double expected_seconds(const std::set<RowId>& rows, const BaselineStore& store,
                        const Fingerprint& here, double budget_s) {
  constexpr double check_s = 0.3;
  double launches = 0;
  for (const RowId& row : timed_for_the_record(rows, store, here)) {
    const double call_s = store.find_row(row, here)->launches.front().real_ms / 1e3;
    const int runs = call_s < timing::kCpuWarmsItselfS ? 2 : 1;
    launches += start_up_s + runs * std::max(call_s, sample_for_the_record_s);
  }
  return check_s * static_cast<double>(rows.size()) +
         std::min(launches * launches_for_the_record, share_for_the_record * budget_s);
}

/// Every name, measured or stored, that the run was asked about. A line tells of the others that
/// are selected.
std::set<RowId> covered_names(Run& run, const BaselineStore& store, const Fingerprint& here) {
  std::set<RowId> names = run.rows();
  std::map<std::string, std::size_t> others;
  for (const StoredFile& file : store.files()) {
    for (const auto& [name, row] : file.content.rows) {
      if (!run.selection().selects(name)) continue;
      if (run.selection().knows_kin_of(name))
        names.insert(name);
      else
        others[name.family()] += file.content.fingerprint().matches(here, name.device());
    }
  }
  for (const auto& [program, count] : others)
    if (count > 0)
      run.progress().say(
          fmt::format("the baselines of this machine have {} of {} too: of another program, "
                      "and no part of this run",
                      counted(count, "rows"), program));
  return names;
}

/// From the measured launches; before these, from the program's report, or else from this machine.
Fingerprint fingerprint_of(const Run& run, const Executed& executed) {
  const nlohmann::json& launched = run.ledger().measured().context;
  return fingerprint_before_launches(launched.empty() ? executed.context : launched);
}

double tolerance_of(const RowId& row, const PairOptions& options,
                    const std::map<RowId, double>& stated) {
  if (const auto found = stated.find(row); found != stated.end()) return found->second;
  if (options.tolerance) return *options.tolerance;
  const auto own = options.tolerances.find(row);
  return own != options.tolerances.end() ? own->second
                                         : default_tolerance(row.device(), Comparison::paired);
}

/// How many of its launches others contended.
void count_contended(const Run& run, Facts& facts) {
  facts.contended = run.ledger().contended(facts.name);
  facts.only_contended = facts.contended > 0 && run.ledger().clean_launches(facts.name) == 0;
}

/// One short launch of a row by one side, which shows whether it runs.
LaunchOutcome launch_once(Run& run, const RowId& row, std::size_t side) {
  const ScratchFolder scratch;
  const LaunchRequest request{.budget_s = sample_for_the_record_s,
                              .verified_file = run.checker().proofs(side),
                              .scratch = scratch.path() / "launch.json",
                              .cpu = {}};
  const double start_s = seconds_now();
  LaunchOutcome outcome = run.program(side).measure(row, request);
  run.budget().add_measuring(seconds_now() - start_s);
  return outcome;
}

/// Why new rows cannot be measured: each is launched once, so that one which crashes does not pass
/// today and fail the next change. Not where a process measures all rows: to list them it did.
std::map<RowId, Failure> failures_of_new_rows(Run& run) {
  std::map<RowId, Failure> failures;
  const std::set<RowId> rows = run.selection().only_in(1);
  const BenchProgram& program = run.program(1);
  if (rows.empty() || program.abilities().one_process) return failures;
  run.progress().say(fmt::format("launching {} once", counted(rows.size(), "new rows")));
  std::size_t left = rows.size();
  for (const RowId& row : rows) {
    if (interruption() != 0) break;
    if (run.budget().left() <= 0) {
      run.progress().say(fmt::format("the budget ended before {} new rows were launched", left));
      break;
    }
    --left;
    run.progress().show("launching " + row.text());
    const LaunchOutcome outcome = launch_once(run, row, 1);
    // What checks ratchet's own rows has not checked these.
    if (!outcome.launch && !outcome.skipped && !outcome.unverified)
      failures[row] = {"new build, launch 1: " + outcome.failure};
  }
  run.progress().clear();
  return failures;
}

/// Rows that one build alone has, and those that nothing can run here.
void add_unpaired(std::vector<Facts>& rows, Run& run) {
  for (const RowId& name : run.selection().only_in(0))
    rows.push_back(absent(name, Verdict::missing, OnlyInBase{}));
  const std::map<RowId, Failure> failures = failures_of_new_rows(run);
  for (const RowId& name : run.selection().only_in(1))
    if (!failures.count(name)) rows.push_back(absent(name, Verdict::added, OnlyInNew{}));
  add_failures(rows, failures);
  for (const auto& [name, reason] : run.selection().unavailable())
    rows.push_back(absent(name, Verdict::unavailable, reason));
}

std::size_t at_least_one(std::size_t rows) { return std::max<std::size_t>(1, rows); }

/// What a run of one side measures for stored figures.
struct ByStoredFigures {
  std::set<RowId> rows;                ///< to be measured
  std::set<RowId> identical;           ///< measured, and the same
  std::size_t compared = 0;            ///< among how many rows the error is shared
  std::map<RowId, double> tolerances;  ///< StoredSide
  std::set<RowId> limited;             ///< measure_stored()
};

/// The launches that make a verdict possible for every row that `launches` can decide, whatever the
/// budget: a row with few stored launches needs more of this build.
std::size_t least_to_decide(const std::set<RowId>& rows, std::size_t launches, double error,
                            const BaselineStore& store, const Fingerprint& here) {
  // The least for a 95 % interval: what a slow machine keeps of its nine.
  std::size_t least = std::min<std::size_t>(launches, 6);
  for (const RowId& row : rows) {
    const Row* stored = store.find_row(row, here);
    const std::size_t needed =
        stored ? stats::least_launches(stored->launches.size(), 2 * error) : 0;
    if (needed <= launches) least = std::max(least, needed);
  }
  return least;
}

void measure_by_stored_figures(Run& run, const BaselineStore& store, const Executed& executed,
                               const ByStoredFigures& which, std::vector<Facts>& rows) {
  const std::size_t launches = run.options().launches;
  // Half of the error for what launches cannot see, occasions.
  const auto analyses = stats::plan_stored(launches, at_least_one(2 * which.compared));
  // No baseline needs one launch, and a first run holds its budget.
  const std::size_t least =
      which.compared == 0
          ? 1
          : least_to_decide(which.rows, launches, analyses.front().simultaneous_error, store,
                            fingerprint_of(run, executed));
  const auto afterwards = which.compared == 0 && which.limited.empty() ? Afterwards::nothing
                                                                       : Afterwards::more_launches;
  if (!which.rows.empty()) run.scheduler().measure(which.rows, launches, least, afterwards);
  measure_for_limits(run, which.limited, which.rows, Samples::planned);
  const Fingerprint here = fingerprint_of(run, executed);
  const auto alone = which.rows.size() - compared_rows(which.rows, store, here).size();
  const StoredSide stored{store,
                          here,
                          analyses.front(),
                          stats::plan_stored(launches, at_least_one(alone)).front(),
                          controls_of(which.identical, run.ledger().measured(), store),
                          which.tolerances};
  const auto facts_at = [&](const RowId& name, const stats::Analysis&) {
    if (!run.ledger().measured().rows.count(name))
      return absent(name, Verdict::undecided, NotMeasured{});
    Facts facts = stored_facts(run.ledger().measured().rows.at(name), stored, executed);
    count_contended(run, facts);
    return facts;
  };
  const auto found = analysis_by_analysis(run, which.rows, analyses, facts_at);
  rows.insert(rows.end(), found.begin(), found.end());
  for (const RowId& row : which.identical) {
    if (!run.ledger().alive().count(row)) continue;
    rows.push_back(run.ledger().measured().rows.count(row) ? facts_at(row, analyses.front())
                                                           : untimed_facts(row, stored, executed));
  }
}

/// In what the most similar stored machine differs, where a family has baselines of others only.
std::string nearest_machine(const std::set<RowId>& rows, const BaselineStore& store,
                            const Fingerprint& here) {
  for (const RowId& row : rows) {
    if (store.find(row, here)) continue;
    const StoredFile* nearest = nullptr;
    std::vector<FieldDifference> apart;
    for (const StoredFile& file : store.files()) {
      const auto& stored = file.content.rows;
      if (file.family != row.family() || stored.empty() ||
          stored.begin()->first.device() != row.device())
        continue;
      auto differences = file.content.fingerprint().differences(here, row.device());
      if (nearest && differences.size() >= apart.size()) continue;
      nearest = &file;
      apart = std::move(differences);
    }
    if (!nearest) continue;
    std::string text = "; " + nearest->path.string() + " is of another machine: ";
    for (const FieldDifference& each : apart)
      text += fmt::format("{}{} is {} there, {} here", &each == &apart.front() ? "" : ", ",
                          each.field, each.stored, each.here);
    return text;
  }
  return "";
}

}  // namespace

Fingerprint fingerprint_before_launches(const nlohmann::json& context) {
  Measurements measured;
  if (context.is_object()) measured.context = context;
  if (measured.context.empty())
    for (const auto& [key, value] : fingerprint_fields()) measured.context[key] = value;
  return measured.fingerprint();
}

std::string announcement(const Run& run, const BaselineStore& store, const Executed& executed) {
  const Fingerprint here = fingerprint_of(run, executed);
  const std::set<RowId> rows = run.rows();
  const auto compared = compared_rows(rows, store, here);
  const auto identical = identical_rows(compared, executed, store, &here);
  std::string parts;
  double seconds = expected_seconds(identical, store, here, run.budget().seconds());
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, what);
  };
  add(identical.size(), "of identical work");
  add(compared.size() - identical.size(), "to compare");
  add(rows.size() - compared.size(), "without a baseline here");
  if (identical.size() < rows.size()) seconds = run.budget().seconds();
  return fmt::format("{}: {}; {} {}{}", counted(rows.size(), "rows"),
                     parts.empty() ? "nothing to run" : parts,
                     identical.size() < rows.size() ? "up to" : "about", duration(seconds),
                     nearest_machine(rows, store, here));
}

std::set<RowId> rows_to_judge(const Run& run, const BaselineStore& store,
                              const Executed& executed) {
  const Fingerprint here = fingerprint_of(run, executed);
  return minus(run.rows(), identical_rows(run.rows(), executed, store, &here));
}

std::vector<Facts> measure_stored(Run& run, const BaselineStore& store, Executed executed,
                                  const MeasureElsewhere& elsewhere,
                                  const std::map<RowId, double>& tolerances,
                                  const std::set<RowId>& limited) {
  const Fingerprint here = fingerprint_of(run, executed);
  auto identical = identical_rows(run.ledger().alive(), executed, store, &here);
  measure_for_the_record(run, timed_for_the_record(identical, store, here),
                         launches_for_the_record);
  measure_for_limits(run, limited, identical, Samples::short_ones);
  const auto stored = [&](const RowId& row) { return store.find_row(row, here); };
  for (const RowId& row : launched_otherwise(identical, run.ledger().measured(), stored)) {
    identical.erase(row);
    executed.launched_otherwise.insert(row);
  }
  std::set<RowId> others = minus(run.ledger().alive(), identical);
  const std::size_t compared = compared_rows(others, store, here).size();
  std::vector<Facts> rows;
  Differing differing{differing_rows(others, executed, store, here), here, compared, 0};
  // The rest is for the other rows, and for launches of these for the record.
  const double share = differing.rows.size() == others.size() ? 0.8 : 0.5;
  differing.budget_s = share * run.budget().left();
  if (elsewhere && !differing.rows.empty()) rows = elsewhere(differing);
  std::set<RowId> known;
  for (const Facts& facts : rows) known.insert(facts.name);
  measure_for_the_record(run, known, run.options().launches);
  std::erase_if(rows,
                [&](const Facts& facts) { return run.ledger().failures().count(facts.name); });
  others = minus(others, known);
  measure_by_stored_figures(run, store, executed,
                            {others, identical, compared, tolerances, limited}, rows);
  find_layouts(rows);
  add_failures(rows, run.ledger().failures());
  for (Facts& facts : rows) {
    const auto failure = run.ledger().failures().find(facts.name);
    if (failure == run.ledger().failures().end() || !failure->second.skipped) continue;
    if (stored(facts.name))
      facts.obstacle = {Verdict::missing, Skipped{failure->second.reason, true}};
  }
  add_absent(rows, store, here, run.selection().unavailable(), covered_names(run, store, here));
  return rows;
}

std::vector<Facts> measure_pairs(Run& run, const PairOptions& options) {
  const auto stated = tolerances_for(options.stated, run.rows());
  std::set<RowId> others, identical;
  for (const RowId& row : run.ledger().alive())
    (!options.by_time && options.same_work.count(row) ? identical : others).insert(row);
  const auto tolerance = [&](const RowId& row) { return tolerance_of(row, options, stated); };
  const auto facts_at = [&](const RowId& name, const stats::Analysis& analysis) {
    if (!run.ledger().measured(1).rows.count(name)) {
      Facts facts = absent(name, Verdict::undecided, NotMeasured{});
      facts.same_work = identical.count(name) > 0;
      if (facts.same_work) facts.obstacle.reset();
      return facts;
    }
    Facts facts = facts_of(
        run.ledger().measured(0).rows.at(name), run.ledger().measured(1).rows.at(name),
        options.other_rows ? Comparison::rows : Comparison::paired, tolerance(name), analysis);
    facts.same_work = identical.count(name) > 0;
    facts.same_by_time = options.by_time && options.same_work.count(name) > 0;
    facts.same_code = options.same_code.count(name.stage()) > 0;
    count_contended(run, facts);
    facts.pair_s = run.ledger().launch_s(name);
    return facts;
  };
  std::vector<Facts> rows;
  const auto plan_of = [&](std::size_t shared_by) {
    return stats::plan_pairs(at_least_one(std::max(shared_by, options.share_of)),
                             options.false_alarms, options.same_error);
  };
  const auto settle = [&](PairAnalyses& analyses) {
    for (const auto& [name, facts] : analyses.settle()) rows.push_back(facts);
  };
  // What differs has the budget, but for one short round over what does not, and then what this
  // round left.
  run.budget().set_aside(others.empty() ? 0 : seconds_for_the_record(run, identical.size()));
  const auto threads = static_cast<std::size_t>(std::count_if(
      others.begin(), others.end(), [&](const RowId& row) { return run.launcher().threads(row); }));
  const std::size_t claims = others.size() + threads;  // 50: by wall time and by CPU time
  auto plan = plan_of(claims);
  PairAnalyses differing(run, others, plan, tolerance, facts_at);
  differing.measure();
  run.budget().set_aside(0);
  measure_for_the_record(run, identical, launches_for_the_record);
  measure_for_limits(run, options.limited, identical, Samples::short_ones);
  const auto before = [&](const RowId& row) -> const Row* {
    const auto found = run.ledger().measured(0).rows.find(row);
    return found == run.ledger().measured(0).rows.end() ? nullptr : &found->second;
  };
  const auto late = launched_otherwise(identical, run.ledger().measured(1), before);
  identical = minus(identical, late);
  if (!late.empty()) {
    plan = plan_of(claims + late.size());
    PairAnalyses otherwise(run, late, plan, tolerance, facts_at);
    otherwise.measure();
    settle(otherwise);
  }
  settle(differing);
  measure_for_limits(run, options.limited, run.rows(), Samples::planned);
  const stats::Analysis analysis = plan.front();
  for (const RowId& row : identical)
    if (run.ledger().alive().count(row)) rows.push_back(facts_at(row, analysis));
  add_failures(rows, run.ledger().failures());
  add_unpaired(rows, run);
  return rows;
}

Facts failing_in_base(const RowId& row, const Failure& failure) {
  const std::string side = "base build, ";
  const std::string why = failure.reason.substr(failure.reason.starts_with(side) ? side.size() : 0);
  return absent(row, Verdict::added,
                fmt::format("the base fails: {}; nothing to compare", printable(why, 300)));
}

void take_repaired_as_new(Run& run, const PairOptions& options, std::vector<Facts>& rows) {
  if (options.other_rows) return;  // the comparison was asked for
  for (Facts& facts : rows) {
    if (!facts.obstacle || facts.obstacle->verdict != Verdict::failed) continue;
    const auto found = run.ledger().failures().find(facts.name);
    if (found == run.ledger().failures().end() || !found->second.of_base) continue;
    const Failure& failure = found->second;
    if (failure.unverified || failure.skipped || options.same_work.contains(facts.name)) continue;
    until_interruption([&] {
      run.progress().show(fmt::format("launching {} again, which failed", facts.name));
      const bool wrong =
          run.program(0).abilities().checks && !run.program(0).check(facts.name.stage()).passed;
      if (!wrong && launch_once(run, facts.name, 0).launch) {
        facts.obstacle->reason = failure.reason + "; launched again, it ran";
        return;
      }
      const LaunchOutcome now = launch_once(run, facts.name, 1);
      if (now.launch)
        facts = failing_in_base(facts.name, failure);
      else
        facts.obstacle->reason = failure.reason + "; the new build fails, too: " + now.failure;
    });
  }
}

}  // namespace ratchet::gate
