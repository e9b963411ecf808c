// Rows whose code differs from their baseline's, measured side by side with the baseline's build.
// Two occasions differ by more than the code; two builds measured side by side do not.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/base/base_build.h"
#include "perf/gate/run/judging.h"

namespace ratchet::gate {

struct AgainstBaselineOptions {
  ProgramOptions bench;    ///< this build's program
  BaseBuildOptions build;  ///< how other revisions are built, as far as options say
  SessionOptions session;  ///< of the comparison; its selection and budget are set for it
  std::map<std::string, double> tolerances;  ///< by row; they override those of baselines
  std::function<void(const std::string&)> progress;
};

/// The facts of the rows that could be measured, and their pairs: launch i of one side with launch
/// i of the other.
struct AgainstBaselines {
  std::vector<Facts> rows;
  Measurements before, now;
};

/// Measures the rows side by side with the builds of their baselines. Such a build is the revision
/// that the baseline names, if it is an ancestor of this one; otherwise the commit that stored the
/// baseline, if it executes what the baseline states. It is built with the options of this build
/// (build_revision). A row whose build is not available is left out; one line of progress for each
/// cause says why.
AgainstBaselines measure_against_baselines(const Differing& differing, const BaselineStore& store,
                                           const AgainstBaselineOptions& options);

}  // namespace ratchet::gate
