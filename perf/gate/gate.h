// `ratchet gate` and `ratchet compare --exec`: measure, compare, decide, report.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "perf/gate/base/base_build.h"
#include "perf/gate/outcome.h"
#include "perf/gate/rule/limit.h"
#include "perf/gate/run/judging.h"
#include "perf/support/error.h"

namespace ratchet::gate {

struct GateOptions {
  ProgramOptions bench;
  BaseBuildOptions build;  ///< how other revisions are built, as far as options say
  RunOptions run;
  std::filesystem::path baselines = "baselines";
  std::filesystem::path results = "results";  ///< folder of the files of write_outputs()
  Policy policy;
  bool by_time = false;  ///< measure and compare rows of identical work like all others
  bool stored = false;   ///< compare with stored figures, and build no other revision
  std::vector<StatedTolerance> tolerances;  ///< they override those of baselines
  std::vector<StatedLimit> limits;
  std::string program = "ratchet";                ///< this program, in the commands shown
  bool profiles = true;                           ///< it has the command `profile`
  std::map<std::string, std::string> given = {};  ///< GateCall
};

/// With the metrics that the baselines of this machine hold of the program; ratchet's own programs
/// and commands have no such.
ProgramOptions with_stored_metrics(ProgramOptions bench, const BaselineStore& store);

/// Measures this build and compares it with the stored baselines; `progress` receives lines of
/// progress. Throws `Error` where the gate cannot run: no benchmark program, or a bad baseline.
Outcome run_gate(const GateOptions& options, const Progress::Line& progress);

/// A comparison of two programs.
struct PairGateOptions {
  const BenchProgram* before = nullptr;
  const BenchProgram* now = nullptr;
  std::string title;   ///< "HEAD~1 (1234abcd) against this build"
  double build_s = 0;  ///< that building `before` took, before this run
  RunOptions run;
  PairOptions pairs;
  Policy policy;
  bool by_time = false;
  std::vector<StatedLimit> limits;
  BaselineStore baselines{""};                  ///< whose limits hold, too
  std::map<std::string, std::string> commands;  ///< Circumstances
  std::string no_bisect;                        ///< Circumstances
  Provenance provenance;                        ///< Circumstances
};

/// Measures two programs side by side and compares them; otherwise like run_gate().
Outcome run_pair_gate(const PairGateOptions& options, const Progress::Line& progress);

}  // namespace ratchet::gate
