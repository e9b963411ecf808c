// Runs a program (kernels/contract/program.h) until it is stopped or done, and keeps what it finds.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "kernels/contract/program.h"
#include "perf/support/error.h"
#include "perf/study/run/record_file.h"

namespace ratchet::run {

struct RunOptions {
  const Program* program = nullptr;
  Parameters parameters;
  std::filesystem::path records;
  double seconds = 0;  ///< stop after as many; 0: when told to
};

/// Until SIGINT or SIGTERM, which let the slice at hand end and be kept; a second one ends the
/// process at once, which costs no more than kill -9. Records go to `out` in the form of log();
/// progress to stderr, in place where that is a terminal and every ten seconds where not. Returns
/// pass; throws `Error`, for a program that cannot run here with ExitCode::nothing_ran.
ExitCode run_program(const RunOptions& options, std::ostream& out);

/// What a record file says: "S seconds, N deals (R per second since start)" before the records
/// found by then.
void log(const Kept& kept, const std::string& unit, std::ostream& out);

}  // namespace ratchet::run
