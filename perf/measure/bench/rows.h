// The benchmarked configurations: a stage with values of its parameters.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/contract/stage.h"
#include "perf/identity/explain/build_code.h"
#include "perf/identity/row_id.h"
#include "perf/measure/bench/options.h"

namespace ratchet::bench {

struct StageRow {
  const Stage* stage = nullptr;
  Parameters parameters;
  /// The stage's name, then "/parameter:value" for each parameter that the command line or the
  /// sweep changes from its default. Baselines are keyed by the name, so different work has another
  /// name.
  RowId name;
};

struct Selection {
  /// Matching rows that can run here, in the order of the registry. A listing also has the rows
  /// that need more ranks than this process has.
  std::vector<StageRow> rows;
  /// Matching stages that cannot run here, and rows that need more ranks, as "name: reason".
  std::vector<std::string> unavailable;
};

/// The rows that the filter selects (kernels/contract/row_filter.h). Throws Error for a malformed
/// filter and for one that selects nothing. Throws it for a parameter that no selected stage has or
/// that is out of range for a selected row.
Selection select_rows(const Options& options);

/// By row, for rows with a known digest. Empty for a program without a manifest, and with
/// --ratchet_slowdown, which adds work. Throws `Error` for a malformed manifest and for an
/// unreadable input.
std::map<RowId, explain::RowWork> work_of(const Selection& selection, const Options& options);

}  // namespace ratchet::bench
