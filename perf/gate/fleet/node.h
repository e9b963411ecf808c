// What the gate left on one node of a fleet, as its gate.json tells it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perf/identity/machine/fingerprint.h"
#include "perf/gate/rule/rule.h"

namespace ratchet::gate {

/// The result of one row on one node.
struct NodeRow {
  Verdict verdict = Verdict::undecided;
  std::string reason;
  std::optional<double> ratio;            ///< throughput now over before
  std::optional<stats::Bounds> interval;  ///< of it, by the node's own launches, for an alarm
  double tolerance = 0;
  double throughput = 0;  ///< median of the launches now, units per second; 0 where not measured
  double units = 0;       ///< work of one call; 0 where not measured
  std::size_t launches = 0, baseline_launches = 0;
  bool paired = false;          ///< the node measured both sides
  bool identical_work = false;  ///< and executes what the other side executes
  std::string work;             ///< digest of what the row executes; empty where unknown
};

struct FleetNode {
  std::string name;  ///< of its folder
  std::string lost;  ///< why it is not judged; empty for one that is
  std::string revision, mode, against, began;
  Fingerprint fingerprint;
  std::map<std::string, NodeRow> rows;
};

/// The nodes of these folders: a folder that holds gate.json is a node, otherwise each folder in it
/// is one. A node without readable results is lost, with the reason. Throws `Error` if a folder is
/// given twice or two nodes have the same name.
std::vector<FleetNode> read_nodes(const std::vector<std::filesystem::path>& folders);

/// Marks nodes as lost, with the reason, that do not belong to the others: copies of another node's
/// run, and nodes of another build, comparison or kind of machine than most. Of groups of the same
/// size the first one counts.
void settle_on_one_kind(std::vector<FleetNode>& nodes);

}  // namespace ratchet::gate
