#include "perf/gate/gate.h"

#include <fmt/format.h>

#include <functional>
#include <ostream>

#include "perf/counters/disassembler.h"
#include "perf/gate/base/base_build.h"
#include "perf/gate/output/output.h"
#include "perf/gate/output/output_files.h"
#include "perf/gate/reasons.h"
#include "perf/history/keep.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {
namespace {

/// Hashes of the device code of a program of ours, by stage; none where the tools are missing.
std::map<std::string, std::string> device_code(const BenchProgram& program) {
  if (!program.can_check()) return {};
  try {
    return counters::code_hashes(program.path());
  } catch (const Error&) {  // no tool, or no device code: nothing is known, which is no failure
    return {};
  }
}

/// The rows that execute the same in both builds.
std::set<std::string> common_work(const std::map<std::string, std::string>& before,
                                  const std::map<std::string, std::string>& now) {
  std::set<std::string> rows;
  for (const auto& [row, work] : now)
    if (const auto was = before.find(row); was != before.end() && was->second == work)
      rows.insert(row);
  return rows;
}

std::function<void(const std::string&)> talk_to(std::ostream& progress) {
  return [&progress](const std::string& line) { progress << "ratchet: " << line << std::endl; };
}

/// Shown before anything is written: a full disk must not cost the verdict.
ExitCode tell(const Outcome& outcome, const std::filesystem::path& folder,
              const std::string& history, std::ostream& out, std::ostream& progress) {
  out << terminal_table(outcome.reports) << "\n";
  if (!outcome.note.empty()) out << outcome.note << "\n";
  out << headline(outcome.reports, outcome.strict) << std::endl;
  for (const std::string& line : write_outputs(folder, outcome)) out << line << std::endl;
  tell_github(outcome, out, progress);
  ExitCode code = exit_code(outcome.reports, outcome.strict);
  if (code == ExitCode::pass && outcome.strict_machine && !machine_note(outcome.reports).empty())
    code = ExitCode::undecided;
  return history::keep(history, history_record(outcome, code), out);
}

std::string accept_command(const GateOptions& options, const Fingerprint& here) {
  const auto quoted = [](const std::string& text) {
    const bool plain = text.find_first_of(" '\"$`\\") == std::string::npos;
    return plain ? text : "\"" + text + "\"";
  };
  return fmt::format("{} accept --from {} --baseline-dir {} --reason \"first baseline of {}\"",
                     quoted(options.program), quoted((options.results / "gate.json").string()),
                     quoted(options.baselines.string()),
                     here.machine_slug(here.fields.count("gpu.model") ? Device::gpu : Device::cpu));
}

}  // namespace

ExitCode run_gate(const GateOptions& options, std::ostream& out, std::ostream& progress) {
  // First: a bad baseline, or results that cannot be left, must be known before minutes are spent.
  const FolderLock lock(options.results, "measuring");
  require_writable(options.results);
  const BaselineStore store(options.baselines);
  const RatchetProgram program(options.bench);
  const std::string history = history::location_or_default(options.history, options.results);
  history::warn_if_unusable(history, progress);
  Session session({{"", &program}}, options.session, talk_to(progress));
  if (!session.rows().empty()) session.check();
  Outcome outcome;
  outcome.strict = options.strict;
  outcome.strict_machine = options.strict_machine;
  Executed executed{device_code(program), {}};
  if (!options.by_time) executed.work = program.work();
  outcome.reports = measure_and_judge_stored(session, store, executed);
  outcome.measured = session.measured();
  outcome.base = compared_with(outcome.measured, store);
  const Fingerprint here = outcome.measured.fingerprint();
  outcome.note = nothing_compared(outcome.reports, here, accept_command(options, here));
  if (const std::string machine = machine_note(outcome.reports); !machine.empty())
    outcome.note += machine + "\n";
  outcome.revision = described_revision(std::filesystem::current_path());
  return tell(outcome, options.results, history, out, progress);
}

ExitCode run_pair_gate(const PairGateOptions& options, std::ostream& out, std::ostream& progress) {
  const FolderLock lock(options.results, "measuring");
  require_writable(options.results);
  const std::string history = history::location_or_default(options.history, options.results);
  history::warn_if_unusable(history, progress);
  const auto code = device_code(*options.now);
  PairOptions pairs = options.pairs;
  pairs.same_code = counters::identical_code(device_code(*options.before), code);
  if (!options.by_time) pairs.same_work = common_work(options.before->work(), options.now->work());
  Session session({{"base", options.before}, {"new", options.now}}, options.session,
                  talk_to(progress));
  if (!session.rows().empty()) session.check();
  Outcome outcome;
  outcome.reports = measure_and_judge_pairs(session, pairs);
  for (RowReport& report : outcome.reports) {
    if (const auto hash = code.find(stage_of(report.name)); hash != code.end())
      report.code_hash = hash->second;
    if (report.decision && !options.now->can_check())
      report.remarks.push_back("nobody checks what it computes");
  }
  add_reasons(outcome.reports, *options.before, *options.now);
  outcome.side_by_side = true;
  outcome.ours = options.now->can_check();
  outcome.base = session.measured(0);
  outcome.measured = session.measured(1);
  outcome.revision = described_revision(std::filesystem::current_path());
  outcome.note = fmt::format("{}\n{:.0f} s, of them {:.1f} % the gate's own.\n", options.title,
                             session.seconds_spent(),
                             100 * (1 - session.seconds_measuring() / session.seconds_spent()));
  return tell(outcome, options.results, history, out, progress);
}

}  // namespace ratchet::gate
