// `ratchet gate --merge`: one verdict from what the gate left on several nodes.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "perf/support/error.h"
#include "perf/output/files/output.h"
#include "perf/gate/rule/tolerances.h"
#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {

struct MergeOptions {
  std::vector<std::filesystem::path> folders;  ///< of nodes, or of folders of nodes
  std::size_t nodes = 0;  ///< how many were asked for, if more than there are folders
  std::string filter;     ///< of rows (kernels/contract/row_filter.h)
  std::vector<StatedTolerance> tolerances;
  std::filesystem::path results = "results";  ///< receives fleet.json, summary.md and junit.xml
  std::string history;  ///< file, URL or "none" (perf/output/history/); empty: history.sqlite in `results`
  Policy policy;
  DisplayOptions display;
};

/// Reads, judges, prints the table to `out`, leaves the results and the report, and adds the verdict
/// to the history (fleet_record.h). Returns the exit code of verdicts.h; under policy.strict nodes that are lost
/// are exit 3 where the rows pass, and what could not be kept is exit 2 where nothing is slower.
/// Throws `Error` when no node left anything that can be judged, the filter matches no row, or the
/// folders are no nodes'.
ExitCode run_merge(const MergeOptions& options, std::ostream& out, std::ostream& progress);

}  // namespace ratchet::gate
