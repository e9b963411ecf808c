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

/// The nodes that folders stand for: each that holds gate.json, or else each folder within it. One
/// that left nothing, or what cannot be read, is lost, and says why. Throws `Error` when a folder
/// is given twice or two nodes have one name.
std::vector<FleetNode> read_nodes(const std::vector<std::filesystem::path>& folders);

/// Marks as lost, with the reason, who cannot be judged with the others: a copy of another's run,
/// and who is of another build, comparison or kind of machine than most. Of several parties of the
/// same size the one that comes first counts.
void settle_on_one_kind(std::vector<FleetNode>& nodes);

}  // namespace ratchet::gate
