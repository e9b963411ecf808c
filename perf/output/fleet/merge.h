// `ratchet gate --merge`: one verdict from the gate's results of several nodes.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "perf/gate/fleet/fleet_rule.h"
#include "perf/gate/rule/rule.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/output/files/output.h"
#include "perf/output/history/record.h"
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
/// verdict to the history. Returns the exit code of verdicts.h. Under
/// policy.strict, lost nodes give exit 3 if the rows pass. If writing fails, the exit code is 2
/// unless a row is slower. Throws `Error` if no node has results that can be judged, if the filter
/// matches no row, or if the folders hold no node.
ExitCode run_merge(const MergeOptions& options, std::ostream& out, std::ostream& progress);

// A fleet's verdict as an entry of the history.

/// The latest start time of the judged nodes; empty if no node states one.
std::string began(const std::vector<FleetNode>& nodes);

/// A run of mode "fleet": the rows' verdicts, with each judged node's median as a launch. Its time
/// is the latest start of a node. The same verdicts over the same nodes have the same id, so a
/// repeated merge enters a history once. At least one node must be judged.
history::RunRecord fleet_record(const std::vector<FleetNode>& nodes,
                                const std::vector<RowReport>& reports, ExitCode code);

}  // namespace ratchet::gate
