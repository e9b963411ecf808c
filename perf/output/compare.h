// `ratchet compare A B`: compares stored files, prints the table and writes the results.
#pragma once

#include <iosfwd>

#include "perf/gate/programs/compare_files.h"

namespace ratchet::gate {

/// Reads, compares, prints the table to `out`. Returns the exit code of perf/gate/rule/verdicts.h.
/// Throws `Error` as read_side does, for different machines, and when no row is left to compare.
ExitCode run_compare(const CompareOptions& options, std::ostream& out);

}  // namespace ratchet::gate
