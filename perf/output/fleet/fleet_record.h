// A fleet's verdict as an entry of the history.
#pragma once

#include <string>
#include <vector>

#include "perf/gate/fleet/node.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/output/history/record.h"

namespace ratchet::gate {

/// The latest start time of the judged nodes; empty if no node states one.
std::string began(const std::vector<FleetNode>& nodes);

/// A run of mode "fleet": the rows' verdicts, with each judged node's median as a launch. Its time
/// is the latest start of a node. The same verdicts over the same nodes have the same id, so a
/// repeated merge enters a history once. At least one node must be judged.
history::RunRecord fleet_record(const std::vector<FleetNode>& nodes,
                                const std::vector<RowReport>& reports, ExitCode code);

}  // namespace ratchet::gate
