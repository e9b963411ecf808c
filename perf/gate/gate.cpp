#include "perf/gate/gate.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <ostream>

#include "perf/gate/beside_baseline.h"
#include "perf/gate/output/outlook.h"
#include "perf/gate/output/output.h"
#include "perf/gate/output/output_files.h"
#include "perf/gate/side_by_side.h"
#include "perf/gate/third_party/third_party_program.h"
#include "perf/gate/third_party/unchecked.h"
#include "perf/history/keep.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {
namespace {

std::function<void(const std::string&)> talk_to(std::ostream& progress, const Look& look) {
  if (look.quiet) return [](const std::string&) {};
  return [&progress](const std::string& line) { progress << "ratchet: " << line << std::endl; };
}

/// What was found is shown before anything is written: a full disk must not cost the verdict. A
/// regression stays one though its files could not be written; what passed does not pass then.
ExitCode tell(const Outcome& outcome, const std::filesystem::path& folder,
              const std::string& history, const Look& look, std::ostream& out,
              std::ostream& progress) {
  out << terminal_table(outcome.reports, look) << (look.quiet ? "" : outcome.note) << std::flush;
  ExitCode code = exit_code(outcome.reports, outcome.policy);
  try {
    for (const std::string& line : write_outputs(folder, outcome))
      if (!look.quiet) out << line << std::endl;
  } catch (const Error& error) {
    out << "the results could not be kept: " << error.what() << std::endl;
    if (code != ExitCode::regression) code = ExitCode::failed;
  }
  tell_github(outcome, out, progress);
  out << headline(outcome.reports, code, look.colour) << std::endl;
  return history::keep(history, history_record(outcome, code), folder, out);
}

std::string accept_command(const GateOptions& options, const Measurements& measured) {
  const Fingerprint here = measured.fingerprint();
  const auto quoted = [](const std::string& text) {
    const bool plain = text.find_first_of(" '\"$`\\") == std::string::npos;
    return plain ? text : "\"" + text + "\"";
  };
  return fmt::format("{} accept --from {} --baseline-dir {}{} --reason \"first baseline of {}\"",
                     quoted(options.program), quoted((options.results / "gate.json").string()),
                     quoted(options.baselines.string()),
                     unchecked_note(measured).empty() ? "" : " --allow-unverified",
                     here.machine_slug(here.fields.count("gpu.model") ? Device::gpu : Device::cpu));
}

/// A wrong folder must not pass for a first run.
void require_folder(const std::filesystem::path& baselines, bool ours) {
  const bool first_run = !ours && baselines == GateOptions().baselines;  // nobody named one
  if (!first_run && !std::filesystem::is_directory(baselines))
    throw Error(fmt::format(
        "there is no folder {} with baselines here; run this where it is, name another with "
        "--baseline-dir, or make it (mkdir) for the first ones",
        baselines.string()));
}

std::string line_of(const std::string& text) { return text.empty() ? "" : text + "\n"; }

/// What is to be said besides the table.
std::string notes(const Outcome& outcome, const GateOptions& options, double seconds) {
  const Fingerprint here = outcome.measured.fingerprint();
  return nothing_compared(outcome.reports, here, accept_command(options, outcome.measured)) +
         line_of(machine_note(outcome.reports)) +
         line_of(what_would_settle(outcome.reports, seconds));
}

}  // namespace

ExitCode run_gate(const GateOptions& options, std::ostream& out, std::ostream& progress) {
  // First: a bad baseline, or results that cannot be left, must be known before minutes are spent.
  const FolderLock lock(options.results, "measuring");
  require_writable(options.results);
  const Circumstances before = circumstances_now();
  const BaselineStore store(options.baselines);
  const std::unique_ptr<BenchProgram> opened = open_program(options.bench, options.arguments);
  const BenchProgram& program = *opened;
  const std::string history = history::location_or_default(options.history, options.results);
  history::warn_if_unusable(history, progress);
  const auto talk = talk_to(progress, options.look);
  Session session({{"", &program}}, options.session, talk);
  require_folder(options.baselines, program.is_ours());
  const auto tolerances = tolerances_for(options.tolerances, session.rows());
  const Work work = program.work();
  Executed executed{device_code(program), work.digests, {}, work.context};
  if (options.by_time) executed.work.clear();
  talk(announcement(session, store, executed));
  if (!session.rows().empty()) {
    session.check();
    session.check_points(rows_to_judge(session, store, executed), 0);
  }
  Outcome outcome;
  outcome.policy = options.policy;
  const auto beside = [&](const Differing& differing) {
    BesideBaselines found = judge_beside_baselines(
        differing, store,
        {options.bench, options.arguments, options.build, options.session, tolerances, talk});
    outcome.pairs_before = std::move(found.before);
    outcome.pairs_now = std::move(found.now);
    return found.reports;
  };
  outcome.reports = measure_and_judge_stored(
      session, store, executed, options.stored ? JudgeElsewhere() : beside, tolerances);
  outcome.measured = session.measured();
  // The clock judged them, but who accepts what it measured keeps what was executed, too.
  if (options.by_time) state_work(outcome.reports, work.digests);
  outcome.base = compared_with(outcome.measured, store);
  remark_on_resolution(outcome.reports, outcome.measured);
  outcome.ours = program.is_ours();
  outcome.note =
      unchecked_note(outcome.measured) + notes(outcome, options, session.seconds_spent());
  outcome.revision = built_revision(program.path());
  outcome.circumstances = before;
  outcome.circumstances.seconds = session.seconds_spent();
  outcome.circumstances.budget_s = options.session.budget_s;
  outcome.circumstances.against = fmt::format("baselines in {}", options.baselines.string());
  outcome.circumstances.commands = gate_commands(
      {options.program, program.path(), program.is_ours(), "", options.baselines, options.results});
  return tell(outcome, options.results, history, options.look, out, progress);
}

ExitCode run_pair_gate(const PairGateOptions& options, std::ostream& out, std::ostream& progress) {
  const FolderLock lock(options.results, "measuring");
  require_writable(options.results);
  const Circumstances before = circumstances_now();
  const std::string history = history::location_or_default(options.history, options.results);
  history::warn_if_unusable(history, progress);
  const SideBySide measured =
      measure_side_by_side(*options.before, *options.now, options.session, options.pairs,
                           options.by_time, talk_to(progress, options.look));
  Outcome outcome;
  outcome.policy = options.policy;
  outcome.reports = measured.reports;
  outcome.side_by_side = true;
  outcome.ours = options.now->is_ours();
  outcome.base = measured.base;
  outcome.measured = measured.now;
  outcome.revision = built_revision(options.now->path());
  outcome.circumstances = before;
  outcome.circumstances.seconds = measured.seconds;
  outcome.circumstances.budget_s = options.session.budget_s;
  outcome.circumstances.against = options.title;
  outcome.circumstances.commands = options.commands;
  outcome.note =
      fmt::format("{}\n{:.0f} s, of them {:.1f} % the gate's own.\n", options.title,
                  measured.seconds, 100 * (1 - measured.seconds_measuring / measured.seconds));
  remark_on_resolution(outcome.reports, outcome.measured);
  outcome.note += unchecked_note(outcome.measured);
  outcome.note += line_of(what_would_settle(outcome.reports, measured.seconds));
  return tell(outcome, options.results, history, options.look, out, progress);
}

}  // namespace ratchet::gate
