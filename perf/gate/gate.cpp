#include "perf/gate/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "perf/gate/baseline/accept.h"
#include "perf/gate/override.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/gate/side_by_side.h"
#include "perf/identity/build/build_options.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/support/git.h"
#include "perf/support/json_file.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {
namespace {

std::string quoted(const std::string& text) {
  const bool plain = text.find_first_of(" '\"$`\\") == std::string::npos;
  return plain ? text : "\"" + text + "\"";
}

std::string accept_command(const GateOptions& options, const Outcome& outcome) {
  const Measurements& measured = outcome.measured;
  const bool failed =
      std::any_of(outcome.reports.begin(), outcome.reports.end(),
                  [](const RowReport& report) { return report.verdict == Verdict::failed; });
  const auto contended = static_cast<std::size_t>(
      std::count_if(measured.rows.begin(), measured.rows.end(), [](const auto& row) {
        return std::any_of(row.second.launches.begin(), row.second.launches.end(),
                           [](const Launch& launch) { return launch.contended(); });
      }));
  const bool all_contended = contended > 0 && contended == measured.rows.size();
  const bool of_a_commit = is_committed(outcome.revision) ||
                           std::none_of(measured.rows.begin(), measured.rows.end(),
                                        [](const auto& row) { return row.second.basis.empty(); });
  const Fingerprint here = measured.fingerprint();
  std::string rows;
  for (const RowId& row : rows_to_accept(outcome.reports)) rows += " " + shell_quoted(row);
  return fmt::format(
      "{} accept{} --from {} --baseline-dir {}{}{}{}{} --reason \"{} {}\"", quoted(options.program),
      rows, quoted((options.results / "gate.json").string()), quoted(options.baselines.string()),
      unchecked_rows(measured) == 0 ? "" : " --allow-unverified",
      of_a_commit ? "" : " --uncommitted",
      all_contended             ? " --contended"
      : failed || contended > 0 ? " --leave-unfit"
                                : "",
      can_ask() ? "" : " --yes",  // `accept` could not ask here either
      !rows.empty() ? "rows that changed or are gone on"
      : std::any_of(outcome.reports.begin(), outcome.reports.end(),
                    [](const RowReport& report) { return report.verdict == Verdict::added; })
          ? "new rows on"
          : "first baseline of",
      here.machine_slug(here.fields.count("gpu.model") ? Device::gpu : Device::cpu));
}

/// Holds later changes to the figures of the faster rows. Only those that `accept` takes as they
/// are: of a commit, and with launches that nobody disturbed.
std::string accept_faster_command(const GateOptions& options, const Outcome& outcome) {
  std::string rows;
  for (const RowReport& report : outcome.reports) {
    const auto row = outcome.measured.rows.find(report.name);
    if (report.verdict != Verdict::faster || row == outcome.measured.rows.end()) continue;
    const std::vector<Launch>& launches = row->second.launches;
    const bool fit = std::none_of(launches.begin(), launches.end(), [](const Launch& launch) {
      return launch.contended() || launch.counter(counter::slices) ||
             launch.counter(counter::verified_in_situ) == 0.0;
    });
    if (!fit || (row->second.basis.empty() && !is_committed(outcome.revision))) continue;
    rows += " " + shell_quoted(report.name);
  }
  if (rows.empty()) return "";
  return fmt::format(
      "{} accept{} --from {} --baseline-dir {}{}{} --reason \"faster\"", quoted(options.program),
      rows, quoted((options.results / "gate.json").string()), quoted(options.baselines.string()),
      unchecked_rows(outcome.measured) == 0 ? "" : " --allow-unverified",
      can_ask() ? "" : " --yes");
}

/// A wrong folder must not pass for a first run.
void require_folder(const std::filesystem::path& baselines, bool kept) {
  const bool first_run =
      !kept && baselines == GateOptions().baselines;  // --baseline-dir was not given
  if (!first_run && !std::filesystem::is_directory(baselines))
    throw Error(
        fmt::format("there is no folder {} of baselines; change to its parent folder, name another "
                    "with --baseline-dir, or create it (mkdir) for a first baseline",
                    baselines.string()));
}

/// The stored rows that `measured` is compared with, as measurements.
Measurements compared_with(const Measurements& measured, const BaselineStore& store) {
  Measurements base;
  const Fingerprint here = measured.fingerprint();
  for (const auto& [name, row] : measured.rows) {
    const Row* stored = store.find_row(name, here);
    if (!stored) continue;
    base.rows[name] = *stored;
    if (base.context.empty()) base.context = store.find(name, here)->content.context;
  }
  return base;
}

/// Rows of third-party programs keep the launches that their verdicts rest on, which were not
/// interleaved; their few launches against the stored figures may say something else.
void keep_launches_of_pairs(Measurements& measured, const Measurements& pairs) {
  for (const auto& [name, row] : pairs.rows) {
    const auto kept = measured.rows.find(name);
    if (row.basis.empty() || kept == measured.rows.end()) continue;
    if (row.launches.size() >= kept->second.launches.size()) kept->second = row;
  }
}

/// The commit of the build, and the one whose figures or build most rows were compared with.
void add_provenance(Outcome& outcome, const BaselineStore& store,
                    const std::filesystem::path& program) {
  Provenance& made = outcome.circumstances.provenance;
  made = provenance_of(program, outcome.revision);
  const Fingerprint here = outcome.measured.fingerprint();
  std::map<std::string, std::size_t> revisions;
  for (const RowReport& report : outcome.reports) {
    const StoredFile* stored = store.find(report.name, here);
    const std::string revision = !report.against.empty() ? report.against
                                 : stored ? revision_of_row(stored->content, report.name)
                                          : "";
    if (!revision.empty()) ++revisions[revision.substr(0, revision.find('-'))];
  }
  const auto most = std::max_element(
      revisions.begin(), revisions.end(),
      [](const auto& one, const auto& other) { return one.second < other.second; });
  if (most != revisions.end()) add_base(made, repository_of(program), most->first, "");
}

/// Slower, changed and missing rows that commits after the base accept.
void accept_by_commits(Outcome& outcome, const std::filesystem::path& program,
                       const Progress::Line& say) {
  const Provenance& of = outcome.circumstances.provenance;
  if (of.base.commit.empty() || of.now.commit.empty()) return;
  auto& overrides = outcome.circumstances.overrides;
  overrides = overrides_between(repository_of(program), of.base.commit, of.now.commit, say);
  apply_overrides(outcome.reports, overrides);
  for (const std::string& line : overrides_without_effect(outcome.reports, overrides)) say(line);
}

/// Where the worst row is slower than a build of its baseline's commit.
void add_bisect(Outcome& outcome, const GateOptions& options, GateCall call,
                const std::string& metrics) {
  call.given["bisect"] += metrics;
  if (outcome.reports.empty() || outcome.reports.front().verdict != Verdict::slower) return;
  const std::string& good = outcome.reports.front().against;
  if (good.empty()) return;
  const std::filesystem::path repository =
      build_of_program(options.bench.program, options.build).repository;
  const BisectOffer bisect = offer_bisect(call, repository, resolve_revision(repository, good));
  if (!bisect.command.empty()) outcome.circumstances.commands["bisect"] = bisect.command;
  outcome.circumstances.no_bisect = bisect.why_not;
}

/// The one revision that the baselines of these rows name: of the slower and faster ones where
/// there are such, else of all. Empty where there are several, or none is known.
std::string revision_to_explain(const Outcome& outcome, const BaselineStore& store) {
  const Fingerprint here = outcome.measured.fingerprint();
  const auto named = [&](bool all) {
    std::set<std::string> revisions;
    for (const RowReport& report : outcome.reports) {
      const bool moved = is_moved(report.verdict);
      const StoredFile* stored = store.find(report.name, here);
      if ((!all && !moved) || !stored || !stored->content.rows.contains(report.name)) continue;
      const std::string revision =
          report.against.empty() ? revision_of_row(stored->content, report.name) : report.against;
      revisions.insert(revision.substr(0, revision.find("-dirty")));
    }
    return revisions;
  };
  std::set<std::string> revisions = named(false);
  if (revisions.empty()) revisions = named(true);
  return revisions.size() == 1 ? *revisions.begin() : "";
}

/// `explain` names what the rows were compared with: `accept` replaces the baselines, and then they
/// would be compared with this very build.
void fix_explain(Outcome& outcome, const BaselineStore& store, GateCall call) try {
  auto& commands = outcome.circumstances.commands;
  const std::string revision = revision_to_explain(outcome, store);
  if (revision.empty() || !commands.contains("explain")) return;
  call.base = resolve_revision(repository_of(call.bench), revision).substr(0, 12);
  commands["explain"] = gate_commands(call).at("explain");
} catch (const Error&) {  // not a commit of this repository: `explain` says what is wrong
}

/// The first launch states the machine; a run that is interrupted before it does so itself.
void state_machine(Outcome& outcome) {
  if (outcome.interrupted && outcome.measured.context.empty())
    outcome.measured.context = machine_fields();
}

std::vector<StatedLimit> with_stored(std::vector<StatedLimit> limits, const BaselineStore& store,
                                     const Fingerprint& here) {
  for (StatedLimit& limit : stored_limits(store, here)) limits.push_back(std::move(limit));
  return limits;
}

std::set<RowId> rows_of(const Listing& listing) {
  return {listing.rows.begin(), listing.rows.end()};
}

/// The limits of two builds, which are listed only where there are limits.
class LimitsOfPairs {
 public:
  /// Sets PairOptions::limited. Throws `Error` as checked_limits() does.
  LimitsOfPairs(const PairGateOptions& options, PairOptions& pairs, const Progress::Line& progress)
      : store_(options.baselines) {
    const bool stored = std::ranges::any_of(store_.files(), [](const StoredFile& file) {
      return std::ranges::any_of(file.content.rows,
                                 [](const auto& row) { return !row.second.limits.empty(); });
    });
    if (options.limits.empty() && !stored) return;
    selection_.emplace(std::vector{options.before->list(), options.now->list()},
                       options.run.selection);
    const CodeIdentity work = options.now->code_identity();
    std::set<RowId> rows = selection_->rows();
    rows.insert(selection_->only_in(1).begin(), selection_->only_in(1).end());
    const auto asked =
        checked_limits(of_this_run(options.limits, rows, rows_of(options.now->list()), progress),
                       rows, work.units);
    here_ = fingerprint_before_launches(work.context);
    limits_ = with_stored(asked, store_, here_);
    pairs.limited = limited_rows(limits_, rows);
  }

  void judge(std::vector<Facts>& rows, const Measurements& measured) const {
    for (const StatedLimit& limit : limits_) {  // of rows that neither build has any more
      const RowId name = limit.rows;
      const auto is_it = [&](const Facts& facts) { return facts.name == name; };
      if (!limit.stored || std::ranges::any_of(rows, is_it)) continue;
      if (!selection_->selects(name) || !selection_->knows_kin_of(name)) continue;
      rows.push_back(
          absent(name, Verdict::missing, NotHere{store_.find(name, here_)->path.string(), ""}));
    }
    judge_limits(rows, limits_, measured);
  }

 private:
  const BaselineStore& store_;
  std::optional<Selection> selection_;
  Fingerprint here_;
  std::vector<StatedLimit> limits_;
};

}  // namespace

std::size_t unchecked_rows(const Measurements& measured) {
  return static_cast<std::size_t>(
      std::count_if(measured.rows.begin(), measured.rows.end(),
                    [](const auto& row) { return !is_verified(row.second); }));
}

ProgramOptions with_stored_metrics(ProgramOptions bench, const BaselineStore& store) {
  if (!bench.name.empty()) {
    Measurements here;
    here.context = nlohmann::json::object();
    for (const auto& [key, value] : machine_fields()) here.context[key] = value;
    bench.stored_metrics = stored_metrics(store, bench.name, here.fingerprint());
    if (!bench.command.empty())  // what it prints needs no option
      std::erase_if(bench.stored_metrics, [&](const auto& of) {
        const std::string& row = of.first.text();
        return row != metric_row(bench.name, energy_metric).text() &&
               row != metric_row(bench.name, device_energy_metric).text();
      });
  }
  return bench;
}

Outcome run_gate(const GateOptions& options, const Progress::Line& talk) {
  const Circumstances before = circumstances_now();
  const BaselineStore store(options.baselines);
  const ProgramOptions bench = with_stored_metrics(options.bench, store);
  const std::unique_ptr<BenchProgram> opened = open_program(bench);
  const BenchProgram& program = *opened;
  Run run({{"", &program}}, options.run, talk);
  require_folder(options.baselines, program.abilities().has_baselines);
  const std::set<RowId> listed = rows_of(program.list());
  const auto tolerances =
      tolerances_for(of_this_run(options.tolerances, run.rows(), listed, talk), run.rows());
  const CodeIdentity work = program.code_identity();
  const auto limits = with_stored(
      checked_limits(of_this_run(options.limits, run.rows(), listed, talk), run.rows(), work.units),
      store, fingerprint_before_launches(work.context));
  Executed executed{device_code(program), work.digests, {}, work.context};
  if (options.by_time) executed.work.clear();
  talk(announcement(run, store, executed));
  if (!run.rows().empty()) {
    run.checker().check();
    run.checker().verify_in_situ(rows_to_judge(run, store, executed), 0);
  }
  Outcome outcome;
  outcome.policy = options.policy;
  const auto against_baselines = [&](const Differing& differing) {
    AgainstBaselines found = measure_against_baselines(
        differing, store, {bench, options.build, options.run, tolerances, talk});
    outcome.pairs_before = std::move(found.before);
    outcome.pairs_now = std::move(found.now);
    return found.rows;
  };
  std::vector<Facts> rows =
      measure_stored(run, store, executed, options.stored ? MeasureElsewhere() : against_baselines,
                     tolerances, limited_rows(limits, run.rows()));
  outcome.interrupted = interruption() != 0;
  keep_results();
  outcome.measured = run.ledger().measured();
  state_machine(outcome);
  keep_launches_of_pairs(outcome.measured, outcome.pairs_now);
  if (options.by_time) {
    state_work(rows, work.digests);  // which `accept` stores
    const Fingerprint here = outcome.measured.fingerprint();
    const std::set<RowId> identical =
        identical_rows(run.rows(), {{}, work.digests, {}, work.context}, store, &here);
    for (Facts& facts : rows) facts.same_by_time = identical.count(facts.name) > 0;
  }
  state_units(rows, work.units);
  Measurements judged_by = outcome.measured;
  for (const auto& [name, row] : outcome.pairs_now.rows)
    if (Row& judged = judged_by.rows[name]; row.launches.size() >= judged.launches.size())
      judged = row;
  judge_limits(rows, limits, judged_by);
  outcome.reports = judged(rows);
  outcome.base = compared_with(outcome.measured, store);
  outcome.explainable = program.abilities().tells_code;
  outcome.revision = built_revision(program.path(), options.baselines);
  outcome.accept_command = accept_command(options, outcome);
  outcome.accept_faster = accept_faster_command(options, outcome);
  outcome.circumstances = before;
  try {
    if (options.bench.command.empty()) build_of_program(options.bench.program, options.build);
  } catch (const Error& error) {
    outcome.circumstances.no_base = error.what();
  }
  outcome.circumstances.seconds = run.budget().spent();
  outcome.circumstances.budget_s = options.run.budget_s;
  outcome.circumstances.against = fmt::format("baselines in {}", options.baselines.string());
  const GateCall call{options.program,
                      program.path(),
                      outcome.explainable,
                      "",
                      options.baselines,
                      options.results,
                      argument_words(options.bench.arguments),
                      unchecked_rows(outcome.measured) == 0,
                      options.bench.command,
                      program.abilities().recordable,
                      options.profiles,
                      options.given};
  outcome.circumstances.commands = gate_commands(call);
  add_provenance(outcome, store, program.path());
  if (call.recordable && !call.explainable &&
      (outcome.circumstances.provenance.base.commit.empty() ||
       !outcome.circumstances.no_base.empty()))
    outcome.circumstances.commands.erase("explain");  // there is no other build to record
  fix_explain(outcome, store, call);
  accept_by_commits(outcome, program.path(), talk);
  add_bisect(outcome, options, call, metric_words(bench));
  return outcome;
}

Outcome run_pair_gate(const PairGateOptions& options, const Progress::Line& progress) {
  const Circumstances before = circumstances_now();
  PairOptions pairs = options.pairs;
  const LimitsOfPairs limits(options, pairs, progress);
  SideBySide measured = measure_side_by_side(*options.before, *options.now, options.run, pairs,
                                             options.by_time, progress);
  std::error_code ignored;  // one file lies where it lies
  if (!std::filesystem::equivalent(options.before->path(), options.now->path(), ignored))
    find_layouts(measured.rows);
  Outcome outcome;
  outcome.interrupted = interruption() != 0;
  keep_results();
  outcome.policy = options.policy;
  limits.judge(measured.rows, measured.now);
  outcome.reports = judged(measured.rows);
  outcome.side_by_side = true;
  outcome.explainable = options.now->abilities().tells_code;
  outcome.base = measured.base;
  outcome.measured = measured.now;
  state_machine(outcome);
  outcome.revision = built_revision(options.now->path());
  outcome.circumstances = before;
  outcome.circumstances.seconds = measured.seconds;
  outcome.circumstances.budget_s = options.run.budget_s;
  outcome.circumstances.against = options.title;
  outcome.circumstances.commands = options.commands;
  outcome.circumstances.no_bisect = options.no_bisect;
  outcome.circumstances.provenance = options.provenance;
  accept_by_commits(outcome, options.now->path(), progress);
  outcome.title = options.title;
  outcome.build_s = options.build_s;
  outcome.seconds_measuring = measured.seconds_measuring;
  return outcome;
}

}  // namespace ratchet::gate
