// What a fleet costs and sees, by the shipped rule: the table of perf/guide/fleet.md.
#pragma once

#include <cstddef>
#include <string>

namespace ratchet::gate {

/// What a pair of launches costs and how it scatters, on one node; how nodes scatter.
struct FleetModel {
  double pair_s = 1.4;        ///< seconds a pair, interleaved on a CPU
  double pair_spread = 0.01;  ///< standard deviation of a pair's ln ratio
  std::size_t pairs = 5;      ///< a node and row
  double tolerance = 0.01;    ///< of a row
  double small = 0.003;       ///< standard deviation between nodes: alike
  double large = 0.01;        ///< and with a will of their own
};

/// The smallest slowdown of one of `rows` rows that `nodes` nodes call slower nine times in ten,
/// for their kind, where nodes scatter by `between`. Relative, tolerance included.
double fleet_detects(const FleetModel& model, std::size_t rows, std::size_t nodes, double between);

/// The table in Markdown: a line a size of fleet.
std::string fleet_table(const FleetModel& model);

}  // namespace ratchet::gate
