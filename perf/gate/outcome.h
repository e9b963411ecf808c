// The outcome of a gate run: every output is made of this one value.
#pragma once

#include <string>
#include <vector>

#include "perf/gate/circumstances.h"
#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {

/// A finished gate run.
struct Outcome {
  std::vector<RowReport> reports;  ///< worst first
  Measurements measured;           ///< this build's launches
  Measurements base;     ///< the other side's launches; no rows where nothing was compared
  std::string revision;  ///< of this build
  std::string title;     ///< which programs were compared
  /// The command that makes these results a baseline, for a run without one.
  std::string accept_command;
  std::string nothing_to_compare;  ///< why there is no base; empty where there is one
  double seconds_measuring = 0;    ///< of `circumstances.seconds`, those in benchmark programs
  std::string note;                ///< text in addition to the table (output/notes.h)
  Policy policy;
  bool side_by_side = false;  ///< `base` was measured in the same run
  bool explainable = true;    ///< the builds have digests of what their rows execute
  /// The pairs of rows that were measured side by side with the build of their baseline.
  Measurements pairs_before, pairs_now;
  Circumstances circumstances;
};

/// The number of rows without a check of their results.
std::size_t unchecked_rows(const Measurements& measured);

}  // namespace ratchet::gate
