// What a gate run found, before anybody is told: the one value that every output is made of.
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
  Measurements base;     ///< the launches compared with; no rows where nothing was compared
  std::string revision;  ///< of this build
  std::string title;     ///< of a comparison of programs: what is held against what
  /// The command that makes these results a baseline, for a run without one.
  std::string accept_command;
  std::string nothing_to_compare;  ///< why there is no base; empty where there is, or may be
  double seconds_measuring = 0;  ///< of `circumstances.seconds`, in the programs
  std::string note;              ///< what is said besides the table (output/notes.h)
  Policy policy;
  bool side_by_side = false;  ///< `base` was measured in the same session
  bool explainable = true;    ///< the builds tell what their rows execute
  /// Of rows that were measured beside the build of their baseline: their pairs.
  Measurements pairs_before, pairs_now;
  Circumstances circumstances;
};

/// How many of them nobody checked.
std::size_t unchecked_rows(const Measurements& measured);

}  // namespace ratchet::gate
