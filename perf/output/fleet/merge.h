// `ratchet gate --merge`: one verdict from the gate's results of several nodes.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "perf/gate/rule/tolerances.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/output/files/output.h"
#include "perf/support/error.h"

namespace ratchet::gate {

struct MergeOptions {
  std::vector<std::filesystem::path> folders;  ///< of nodes, or of folders of nodes
  std::size_t nodes = 0;  ///< requested number, if larger than the number of folders
  std::string filter;     ///< of rows (kernels/contract/row_filter.h)
  std::vector<StatedTolerance> tolerances;
  std::filesystem::path results = "results";  ///< receives fleet.json, summary.md and junit.xml
  std::string
      history;  ///< file, URL or "none" (perf/output/history/); empty: history.sqlite in `results`
  Policy policy;
  DisplayOptions display;
};

/// Reads, judges, prints the table to `out`, writes the results and the report, and adds the
/// verdict to the history (fleet_record.h). Returns the exit code of verdicts.h. Under
/// policy.strict, lost nodes give exit 3 if the rows pass. If writing fails, the exit code is 2
/// unless a row is slower. Throws `Error` if no node has results that can be judged, if the filter
/// matches no row, or if the folders hold no node.
ExitCode run_merge(const MergeOptions& options, std::ostream& out, std::ostream& progress);

}  // namespace ratchet::gate
