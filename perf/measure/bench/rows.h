// What can be benchmarked: a stage at a point of its parameters.
#pragma once

#include <string>
#include <vector>

#include "kernels/contract/stage.h"
#include "perf/identity/row_id.h"
#include "perf/measure/bench/options.h"

namespace ratchet::bench {

struct StageRow {
  const Stage* stage = nullptr;
  Parameters parameters;
  /// The stage's name; then "/parameter:value" for each parameter that differs from its default, by
  /// the command line or by the sweep. The name keys baselines, so it tells the work apart.
  RowId name;
};

struct Selection {
  /// Matching rows that can run here, in the order of the registry. Where rows are only listed,
  /// those that take more ranks than this process has are among them.
  std::vector<StageRow> rows;
  /// Matching stages that cannot, and rows that take more ranks, as "name: reason".
  std::vector<std::string> unavailable;
};

/// Rows that the filter selects (kernels/contract/row_filter.h). Throws Error on a malformed filter,
/// on one that selects nothing, and on a parameter that no selected stage has or that is out of
/// range for a selected row; the range of others does not matter.
Selection select_rows(const Options& options);

}  // namespace ratchet::bench
