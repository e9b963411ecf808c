// The CPUs that this process may use, and pinning to one of them.
#pragma once

#include <sched.h>

#include <optional>
#include <vector>

namespace ratchet::timing {

/// The CPUs that the calling thread may run on (after cgroups and taskset), in order; never empty.
std::vector<int> allowed_cpus();

/// Pins the calling thread, and threads that it starts, to one CPU; undone on destruction.
class CpuPin {
 public:
  /// The CPU in the variable RATCHET_CPU, if it is allowed: the gate sets it to the least busy CPU.
  /// Otherwise the last CPU, because interrupts and daemons mostly run on the first.
  CpuPin();
  CpuPin(const CpuPin&) = delete;
  CpuPin& operator=(const CpuPin&) = delete;
  ~CpuPin();

  /// The CPU; nothing where pinning failed, so that the thread may migrate.
  std::optional<int> cpu() const { return cpu_; }

 private:
  cpu_set_t before_{};
  std::optional<int> cpu_;
};

}  // namespace ratchet::timing
