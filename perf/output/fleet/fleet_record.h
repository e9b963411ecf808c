// A fleet's verdict as the history keeps it.
#pragma once

#include <string>
#include <vector>

#include "perf/gate/fleet/node.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/output/history/record.h"

namespace ratchet::gate {

/// When the last of the nodes that are judged began; empty where none says.
std::string began(const std::vector<FleetNode>& nodes);

/// A run of mode "fleet": the rows' verdicts, and in a launch's place each judged node's median.
/// Of the time when the last node began. The same verdicts over the same nodes have the same id, so
/// that a merge that is repeated is in a history once. At least one node must be judged.
history::RunRecord fleet_record(const std::vector<FleetNode>& nodes,
                                const std::vector<RowReport>& reports, ExitCode code);

}  // namespace ratchet::gate
