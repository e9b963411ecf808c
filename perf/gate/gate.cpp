#include "perf/gate/gate.h"

#include <fmt/format.h>

#include <functional>
#include <memory>

#include "perf/gate/beside_baseline.h"
#include "perf/gate/side_by_side.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/gate/programs/unchecked.h"
#include "perf/support/json_file.h"
#include "perf/identity/build/build_options.h"

namespace ratchet::gate {
namespace {

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

}  // namespace

Outcome run_gate(const GateOptions& options, const Progress& talk) {
  const Circumstances before = circumstances_now();
  const BaselineStore store(options.baselines);
  const std::unique_ptr<BenchProgram> opened = open_program(options.bench, options.arguments);
  const BenchProgram& program = *opened;
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
  outcome.accept_command = accept_command(options, outcome.measured);
  outcome.revision = built_revision(program.path());
  outcome.circumstances = before;
  outcome.circumstances.seconds = session.seconds_spent();
  outcome.circumstances.budget_s = options.session.budget_s;
  outcome.circumstances.against = fmt::format("baselines in {}", options.baselines.string());
  outcome.circumstances.commands = gate_commands(
      {options.program, program.path(), program.is_ours(), "", options.baselines, options.results});
  return outcome;
}

Outcome run_pair_gate(const PairGateOptions& options, const Progress& progress) {
  const Circumstances before = circumstances_now();
  const SideBySide measured =
      measure_side_by_side(*options.before, *options.now, options.session, options.pairs,
                           options.by_time, progress);
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
  outcome.title = options.title;
  outcome.seconds_measuring = measured.seconds_measuring;
  remark_on_resolution(outcome.reports, outcome.measured);
  return outcome;
}

}  // namespace ratchet::gate
