// Picks the least busy CPU for the next pair of launches.
#pragma once

#include <map>
#include <vector>

namespace ratchet::gate {

/// Follows the load of the CPUs from launch to launch. Between two calls of pick() the benchmark
/// program used the picked CPU, so the CPU time of this process's children is subtracted there.
class QuietCpu {
 public:
  /// `cpus`: those to choose from; not empty.
  explicit QuietCpu(std::vector<int> cpus);

  /// The CPU to use next. It changes only if another one was clearly idler (by a tenth of the time)
  /// since the last call, and the interval was long enough.
  int pick();
  /// The same from given figures, in seconds: busy time of each CPU (with steal time), and own time
  /// on the picked one.
  int pick(const std::map<int, double>& busy, double own_s, double now_s);

 private:
  std::vector<int> cpus_;
  int picked_;
  std::map<int, double> busy_;
  double own_s_ = 0;
  double then_s_ = -1;
};

}  // namespace ratchet::gate
