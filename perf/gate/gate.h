// `ratchet gate` and `ratchet compare --exec`: measure, compare, decide, report.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "kernels/support/error.h"
#include "perf/gate/base/base_build.h"
#include "perf/gate/output/output.h"
#include "perf/gate/run/judging.h"

namespace ratchet::gate {

struct GateOptions {
  ProgramOptions bench;
  std::vector<std::string> arguments;  ///< for a program that is not ratchet's
  BaseBuildOptions build;              ///< how other revisions are built, as far as that was said
  SessionOptions session;
  std::filesystem::path baselines = "baselines";
  std::filesystem::path results = "results";  ///< receives the files of write_outputs()
  Policy policy;
  bool by_time = false;  ///< measure and compare rows of identical work like all others
  bool stored = false;   ///< let stored figures decide, and build no other revision
  std::vector<StatedTolerance> tolerances;  ///< of the command line, before those of baselines
  Look look;
  std::string history;  ///< file, URL or "none" (perf/history/); empty: history.sqlite in `results`
  std::string program = "ratchet";  ///< how the commands shown call this program
};

/// Measures this build, compares it with the stored baselines and appends the run to the history;
/// the table goes to `out`, progress to `progress`. Returns the documented exit code (verdicts.h),
/// and that of a failure where the run could not be added to the history and found no regression.
/// Throws `Error` when the harness itself cannot work: no worker, a bad baseline, a results folder
/// that cannot be written or that another gate is using.
ExitCode run_gate(const GateOptions& options, std::ostream& out, std::ostream& progress);

/// What stands on the two sides of a comparison of programs.
struct PairGateOptions {
  const BenchProgram* before = nullptr;
  const BenchProgram* now = nullptr;
  std::string title;  ///< "HEAD~1 (1234abcd) against this build"
  SessionOptions session;
  PairOptions pairs;
  Policy policy;
  bool by_time = false;
  Look look;
  std::filesystem::path results = "results";
  std::string history;
  std::map<std::string, std::string> commands;  ///< Circumstances
};

/// Measures two programs side by side and compares them; otherwise as run_gate.
ExitCode run_pair_gate(const PairGateOptions& options, std::ostream& out, std::ostream& progress);

}  // namespace ratchet::gate
