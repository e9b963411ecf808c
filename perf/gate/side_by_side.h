// Two programs measured side by side: for `--base`, for `compare --exec`, and for rows whose
// baseline's build is available.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "perf/gate/run/judging.h"

namespace ratchet::gate {

struct SideBySide {
  std::vector<Facts> rows;
  Measurements base, now;
  double seconds = 0;            ///< wall time
  double seconds_measuring = 0;  ///< of these, those in the benchmark programs
};

/// Checks and measures the rows of both programs. Rows of identical work are the same, unless
/// `by_time`. Throws `Error` as Session does.
SideBySide measure_side_by_side(const BenchProgram& before, const BenchProgram& now,
                                const SessionOptions& session, PairOptions pairs, bool by_time,
                                const std::function<void(const std::string&)>& progress);

/// Hashes of the device code of a ratchet program, by stage; none where the tools are missing.
std::map<std::string, std::string> device_code(const BenchProgram& program);

/// By row, the tolerance in its baseline.
std::map<std::string, double> stated_tolerances(const BaselineStore& store);

}  // namespace ratchet::gate
