// `ratchet gate`: measure, compare, decide, report.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "kernels/support/error.h"
#include "perf/gate/session.h"

namespace ratchet::gate {

struct GateOptions {
  WorkerOptions worker;
  SessionOptions session;
  std::filesystem::path baselines = "baselines";
  std::filesystem::path results = "results";  ///< receives gate.json and summary.md
  bool strict = false;                        ///< uncompared rows are exit 3
  std::string history;  ///< file, URL or "none" (perf/history/); empty: history.sqlite in `results`
  std::string program = "ratchet";  ///< how the accept command shown calls this program
};

/// Runs the gate and appends it to the history; the table goes to `out`, progress to `progress`.
/// Returns the documented exit code (verdicts.h), and that of a failure where the run could not be
/// added to the history and found no regression. Throws `Error` when the harness itself cannot
/// work: no worker, a bad baseline, results that cannot be written.
ExitCode run_gate(const GateOptions& options, std::ostream& out, std::ostream& progress);

/// `git describe` of the folder, "-dirty" when it has changes; "unknown" where there is no
/// repository.
std::string revision_of(const std::filesystem::path& folder);

}  // namespace ratchet::gate
