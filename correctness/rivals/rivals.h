// Our decision rules as the gate ships them, and those of services to compare with. These services
// have no program that reads launches. Never used by the gate. Tools that have one are run
// themselves (ci/lab/rivals.py).
//
// Written from the descriptions of what the services do, with their constants; where one leaves a
// choice, its comment says so.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ratchet::rivals {

/// One block: a launch of A and one of B. Each has the seconds of its samples and the rate of the
/// control workload that ran inside it (0 without one).
struct Block {
  std::vector<double> a;
  std::vector<double> b;
  double reference_a = 0;
  double reference_b = 0;
};

/// Whether B is called slower than A, and how many of the blocks were looked at.
struct Outcome {
  bool slower = false;
  std::size_t blocks = 0;
};

struct Rule {
  std::string name;
  std::size_t most_blocks = 1;  ///< what it must be given
  std::function<Outcome(std::span<const Block>)> judge;
  bool ours = false;
};

/// Every rule, ours first: the gate's own plans and judge (perf/gate/rule), of a CPU row. Each is
/// deterministic.
std::vector<Rule> rules();

/// The rule of that name. Throws std::out_of_range.
Rule rule(const std::string& name);

}  // namespace ratchet::rivals
