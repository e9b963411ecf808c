// Which CPU others use least: where a pair of launches is best made.
#pragma once

#include <map>
#include <vector>

namespace ratchet::gate {

/// Follows the load of the CPUs from launch to launch. Between two calls of pick() the CPU picked
/// last was used by our own worker, so the CPU time of this process's children is taken off it.
class QuietCpu {
 public:
  /// `cpus`: those to choose from; not empty.
  explicit QuietCpu(std::vector<int> cpus);

  /// The CPU to use next. Stays where it is unless another was clearly idler (by a tenth of the
  /// time) since the last call, or the interval was too short to tell.
  int pick();
  /// The same from given figures: time of each CPU that was not idle (stolen by the hypervisor,
  /// too), own time spent on the one picked, seconds.
  int pick(const std::map<int, double>& busy, double own_s, double now_s);

 private:
  std::vector<int> cpus_;
  int picked_;
  std::map<int, double> busy_;
  double own_s_ = 0;
  double then_s_ = -1;
};

}  // namespace ratchet::gate
