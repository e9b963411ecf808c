// Which CPUs this process may use, and keeping a measurement on one of them.
#pragma once

#include <sched.h>

#include <optional>
#include <vector>

namespace ratchet::timing {

/// The CPUs that the calling thread may run on (cgroups and taskset respected), in order; never
/// empty.
std::vector<int> allowed_cpus();

/// Keeps the calling thread, and threads it starts meanwhile, on one CPU; restores on destruction.
class CpuPin {
 public:
  /// The CPU that RATCHET_CPU in the environment names, if it is allowed (the gate names the one
  /// that others use least); otherwise the last: interrupts and daemons tend to sit on the first.
  CpuPin();
  CpuPin(const CpuPin&) = delete;
  CpuPin& operator=(const CpuPin&) = delete;
  ~CpuPin();

  /// The CPU; nothing if the system refused, and the thread may then move.
  std::optional<int> cpu() const { return cpu_; }

 private:
  cpu_set_t before_{};
  std::optional<int> cpu_;
};

}  // namespace ratchet::timing
