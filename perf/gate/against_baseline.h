// Rows that execute something else than what their stored figures are of, held beside the very
// build that these are of: two occasions differ by more than the code, two builds in one do not.
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
  BaseBuildOptions build;  ///< how its revisions are built, as far as that was said
  SessionOptions session;  ///< of the comparison; its selection and budget are set for it
  std::map<std::string, double> tolerances;  ///< of rows, before those of baselines
  std::function<void(const std::string&)> progress;
};

/// What is known of the rows that could be measured, and their pairs: launch i of one side with
/// launch i of the other.
struct AgainstBaselines {
  std::vector<Facts> rows;
  Measurements before, now;
};

/// Measures the rows beside the builds of their baselines, of which each is the revision that the
/// baseline names, if that is an ancestor of this one; or else the commit that stored it, provided
/// that it executes what the baseline says. It is built like this build (build_revision). A row
/// whose build cannot be had is left out; why is said as progress, in one line for all rows of
/// one cause.
AgainstBaselines measure_against_baselines(const Differing& differing, const BaselineStore& store,
                                           const AgainstBaselineOptions& options);

}  // namespace ratchet::gate
