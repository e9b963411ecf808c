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
  std::filesystem::path results = "results";  ///< receives the files of write_outputs()
  bool strict = false;                        ///< uncompared rows are exit 3
  std::string program = "ratchet";            ///< how the accept command shown calls this program
};

/// Runs the gate; the table goes to `out`, progress to `progress`. Returns the documented exit code
/// (verdicts.h). Throws `Error` when the harness itself cannot work: no worker, a bad baseline,
/// a results folder that cannot be written or that another gate is using.
ExitCode run_gate(const GateOptions& options, std::ostream& out, std::ostream& progress);

/// `git describe` of the folder, "-dirty" when it has changes; "unknown" where there is no
/// repository.
std::string revision_of(const std::filesystem::path& folder);

}  // namespace ratchet::gate
