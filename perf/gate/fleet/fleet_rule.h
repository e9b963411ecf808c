// Judges the results of nodes for their kind of machine: sentences 33 to 41 of perf/gate/README.md.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/override.h"
#include "perf/gate/rule/rule.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/identity/machine/fingerprint.h"

namespace ratchet::gate {

// What the gate left on one node of a fleet, as its gate.json tells it.

/// The result of one row on one node.
struct NodeRow {
  Verdict verdict = Verdict::undecided;
  std::string reason;
  std::optional<double> ratio;            ///< throughput now over before
  std::optional<stats::Bounds> interval;  ///< of it, by the node's own launches, for an alarm
  double tolerance = 0;
  double throughput = 0;  ///< median of the launches now, units per second; 0 where not measured
  double before = 0;      ///< the same of the other side; 0 where not compared
  double call_s = 0, call_before_s = 0;  ///< time of a call by `clock`, likewise
  std::optional<Clock> clock = {};       ///< by which the node judged it; nothing where unknown
  double units = 0;                      ///< work of one call; 0 where not measured
  std::string basis;                     ///< Row::basis
  std::string unit;                      ///< of throughput
  std::size_t launches = 0, baseline_launches = 0;
  bool paired = false;          ///< the node measured both sides
  bool identical_work = false;  ///< and executes what the other side executes
  std::string work;             ///< digest of what the row executes; empty where unknown
};

struct FleetNode {
  std::string name;  ///< of its folder
  std::string lost;  ///< why it is not judged; empty for one that is
  std::string revision, mode, against, began;
  nlohmann::json provenance = nlohmann::json::object();  ///< to_json(Provenance) of its run
  std::vector<Override> overrides;                       ///< of its run
  Fingerprint fingerprint;
  std::map<RowId, NodeRow> rows;
};

/// The nodes of these folders: a folder that holds gate.json is a node, otherwise each folder in it
/// is one, except `results`, which this merge writes, and merged runs, of which `note` gets a line
/// each. A node without readable results is lost, with the reason. Throws `Error` if a folder is
/// given twice or is a merged run, or if two nodes have the same name.
std::vector<FleetNode> read_nodes(const std::vector<std::filesystem::path>& folders,
                                  const std::filesystem::path& results, std::string& note);

/// Marks nodes as lost, with the reason: copies of another node's run, and nodes of another build,
/// comparison or kind of machine than most. Of groups of the same size the first one counts.
void settle_on_one_kind(std::vector<FleetNode>& nodes);

/// How a node differs from the others.
struct OddNode {
  std::string row;     ///< empty: all of its rows of identical work
  double ratio = 1;    ///< on this node
  double typical = 1;  ///< the median of all nodes
  bool slower = true;  ///< than the median
};

struct FleetVerdict {
  std::vector<RowReport> reports;                   ///< worst first
  std::map<std::string, std::vector<OddNode>> odd;  ///< by node
  std::vector<std::string> notes;  ///< on nodes that judged rows by another clock or tolerance
};

/// Judges the rows of the nodes that are not lost, by the clock and the tolerance of most nodes.
/// Commits accept slowdowns of the fleet as they do those of a node, by the fleet's own interval.
/// `asked`: the number of nodes that were started, with the lost ones. `tolerances`: by row; they
/// override those of the nodes.
FleetVerdict judge_fleet(const std::vector<FleetNode>& nodes, std::size_t asked,
                         const std::map<RowId, double>& tolerances);

}  // namespace ratchet::gate
