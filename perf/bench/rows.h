// What can be benchmarked: a stage at a point of its parameters.
#pragma once

#include <string>
#include <vector>

#include "kernels/stage.h"
#include "perf/bench/options.h"

namespace ratchet::bench {

struct StageRow {
  const Stage* stage = nullptr;
  Parameters parameters;
  /// The stage's name; then "/parameter:value" for each parameter that differs from its default, by
  /// the command line or by the sweep. The name keys baselines, so it tells the work apart.
  std::string name;
};

struct Selection {
  std::vector<StageRow> rows;  ///< matching rows that can run here, in the order of the registry
  /// Matching stages that cannot, as "name: reason".
  std::vector<std::string> unavailable;
};

/// Rows that the filter selects (kernels/support/row_filter.h). Throws Error on a malformed filter,
/// on one that selects nothing, and on a parameter that no selected stage has or that is out of
/// range.
Selection select_rows(const Options& options);

}  // namespace ratchet::bench
