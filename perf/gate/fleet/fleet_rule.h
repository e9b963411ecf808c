// What nodes of one kind say, judged for the kind: sentences 33 to 41 of perf/gate/README.md.
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
  double ratio = 1;    ///< there
  double typical = 1;  ///< the median of all nodes
  bool slower = true;  ///< than that
};

struct FleetVerdict {
  std::vector<RowReport> reports;                   ///< worst first
  std::map<std::string, std::vector<OddNode>> odd;  ///< by node
};

/// Judges the rows of the nodes that are not lost; `asked`: how many nodes there should be, lost
/// ones among them. `tolerances`: of rows, before what the nodes state.
FleetVerdict judge_fleet(const std::vector<FleetNode>& nodes, std::size_t asked,
                         const std::map<std::string, double>& tolerances);

}  // namespace ratchet::gate
