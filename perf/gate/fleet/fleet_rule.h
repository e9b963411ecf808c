// Judges the results of nodes for their kind of machine: sentences 33 to 41 of perf/gate/README.md.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "perf/gate/fleet/node.h"
#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {

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
};

/// Judges the rows of the nodes that are not lost. `asked`: the number of nodes that were started,
/// with the lost ones. `tolerances`: by row; they override those of the nodes.
FleetVerdict judge_fleet(const std::vector<FleetNode>& nodes, std::size_t asked,
                         const std::map<std::string, double>& tolerances);

}  // namespace ratchet::gate
