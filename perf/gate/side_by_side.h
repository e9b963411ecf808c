// Two builds measured side by side: for `--base`, for `compare --exec`, and for rows whose code
// differs from their baseline's and whose baseline's build is available.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "perf/gate/base/base_build.h"
#include "perf/gate/run/judging.h"

namespace ratchet::gate {

struct SideBySide {
  std::vector<Facts> rows;
  Measurements base, now;
  double seconds = 0;            ///< wall time
  double seconds_measuring = 0;  ///< of these, those in the benchmark programs
};

/// Checks and measures the rows of both programs. Rows of identical work are the same, unless
/// `by_time`. Throws `Error` as Run does.
SideBySide measure_side_by_side(const BenchProgram& before, const BenchProgram& now,
                                const RunOptions& run, PairOptions pairs, bool by_time,
                                const std::function<void(const std::string&)>& progress);

/// Hashes of the device code of a ratchet program, by stage; none where the tools are missing.
std::map<std::string, std::string> device_code(const BenchProgram& program);

/// By row, the tolerance in its baseline.
std::map<RowId, double> stated_tolerances(const BaselineStore& store);

// Rows whose code differs from their baseline's, measured side by side with the baseline's build.
// Two occasions differ by more than the code; two builds measured side by side do not.

struct AgainstBaselineOptions {
  ProgramOptions bench;    ///< this build's program
  BaseBuildOptions build;  ///< how other revisions are built, as far as options say
  RunOptions run;          ///< of the comparison; its selection and budget are set for it
  std::map<RowId, double> tolerances;  ///< by row; they override those of baselines
  std::function<void(const std::string&)> progress;
};

/// The facts of the rows that could be measured, and their pairs: launch i of one side with launch
/// i of the other.
struct AgainstBaselines {
  std::vector<Facts> rows;
  Measurements before, now;
};

/// Measures the rows side by side with the builds of their baselines. Such a build is the revision
/// that the baseline names, if it is an ancestor of this one. Otherwise it is the commit that
/// stored the baseline, if it executes what the baseline states. It is built with the options of
/// this build (build_revision). A row whose build is not available is left out; one line of
/// progress for each cause says why.
AgainstBaselines measure_against_baselines(const Differing& differing, const BaselineStore& store,
                                           const AgainstBaselineOptions& options);

}  // namespace ratchet::gate
