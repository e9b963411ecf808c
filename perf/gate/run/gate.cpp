#include "perf/gate/run/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <ostream>

#include "perf/support/json_file.h"
#include "perf/counters/disassembler.h"
#include "perf/gate/output/output.h"
#include "perf/gate/output/output_files.h"
#include "perf/support/process.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/history/keep.h"

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

Findings findings_of(const Session& session, const std::map<std::string, std::string>& code) {
  Findings findings;
  findings.code = code;
  findings.measured = session.measured();
  if (findings.measured.context
          .empty()) {  // nothing could be measured: the machine is still this one
    for (const auto& [key, value] : fingerprint_fields()) findings.measured.context[key] = value;
  }
  for (const auto& [name, failure] : session.failures())
    findings.failures[name] = {failure.reason, failure.unverified};
  findings.unavailable = session.unavailable();
  return findings;
}

/// Every name, measured or stored, that the run was asked about.
std::set<std::string> covered_names(const Session& session, const Store& store) {
  std::set<std::string> names = session.rows();
  for (const StoredFile& file : store.files()) {
    for (const auto& [name, row] : file.content.rows) {
      if (session.selection().selects(name)) names.insert(name);
    }
  }
  return names;
}

std::set<std::string> undecided_rows(const std::vector<RowReport>& reports) {
  std::set<std::string> names;
  for (const RowReport& report : reports) {
    if (report.verdict == Verdict::undecided) names.insert(report.name);
  }
  return names;
}

/// First look at all rows, further looks with more launches at the undecided ones alone. The number
/// of looks is fixed beforehand and the error of each divided by it, so looking again costs no
/// honesty.
std::vector<RowReport> measure_and_judge(Session& session, const Store& store,
                                         const std::map<std::string, std::string>& code) {
  // Six launches a side are the least for a 95 % interval: what a slow machine keeps of its nine.
  constexpr std::size_t least = 6;
  const std::size_t launches = session.launches();
  session.measure(session.alive(), launches, std::min(launches, least));
  const std::set<std::string> covered = covered_names(session, store);
  const std::size_t claims = compared_rows(session.measured(), store).size();
  auto reports = judge(findings_of(session, code), store, claims, covered);
  for (std::size_t look = 1; look < Rule().looks; ++look) {
    const std::set<std::string> suspects = undecided_rows(reports);
    if (suspects.empty() || session.seconds_left() <= 0) break;
    session.say(fmt::format("{} rows are undecided and get more launches", suspects.size()));
    session.measure(suspects, (launches + 1) / 2);
    reports = judge(findings_of(session, code), store, claims, covered);
  }
  return reports;
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
  history::RunFacts facts;
  if (outcome.side_by_side) {
    facts.mode = outcome.ours ? "base" : "compare";
    facts.base = &outcome.base;
  }
  return history::keep(history, results(outcome.measured, outcome.reports, outcome.revision), facts,
                       exit_code(outcome.reports, outcome.strict), out);
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

std::string revision_of(const std::filesystem::path& folder) {
  try {
    const ProcessResult result =
        run_process({"git", "-C", std::filesystem::absolute(folder).string(), "describe",
                     "--always", "--dirty", "--abbrev=12", "--exclude=*"},
                    10);
    const std::size_t end = result.output.find_last_not_of(" \n");
    if (result.ok() && end != std::string::npos) return result.output.substr(0, end + 1);
  } catch (const Error&) {  // no git here
  }
  return "unknown";
}

ExitCode run_gate(const GateOptions& options, std::ostream& out, std::ostream& progress) {
  // First: a bad baseline, or results that cannot be left, must be known before minutes are spent.
  const FolderLock lock(options.results, "measuring");
  require_writable(options.results);
  const Store store(options.baselines);
  const Worker worker(options.worker);
  const std::string history = history::location_or_default(options.history, options.results);
  history::warn_if_unusable(history, progress);
  Session session({{"", &worker}}, options.session, talk_to(progress));
  if (!session.rows().empty()) session.check();
  Outcome outcome;
  outcome.strict = options.strict;
  outcome.reports = measure_and_judge(session, store, device_code(worker));
  outcome.measured = session.measured();
  outcome.base = compared_with(outcome.measured, store);
  const Fingerprint here = outcome.measured.fingerprint();
  outcome.note = nothing_compared(outcome.reports, here, accept_command(options, here));
  outcome.revision = revision_of(std::filesystem::current_path());
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
  outcome.side_by_side = true;
  outcome.ours = options.now->can_check();
  outcome.base = session.measured(0);
  outcome.measured = session.measured(1);
  outcome.revision = revision_of(std::filesystem::current_path());
  outcome.note = fmt::format("{}\n{:.0f} s, of them {:.1f} % the gate's own.\n", options.title,
                             session.seconds_spent(),
                             100 * (1 - session.seconds_measuring() / session.seconds_spent()));
  return tell(outcome, options.results, history, out, progress);
}

}  // namespace ratchet::gate
