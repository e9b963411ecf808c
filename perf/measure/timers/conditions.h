// The conditions during a row: clocks, load and other users of the machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kernels/contract/stage.h"
#include "perf/support/proc_stat.h"

namespace ratchet::timing {

/// Unknown values are empty.
struct Conditions {
  std::optional<double> cpu_mhz;        ///< of the CPU on which the row ended
  std::optional<double> load;           ///< CPUs that other processes kept busy, on average
  std::optional<double> steal_percent;  ///< of all CPUs' time
  std::optional<double> gpu_others;     ///< other processes with a context on the GPU
  std::optional<std::uint64_t> gpu_throttle_reasons;  ///< all bits seen, as NVML numbers them
};

/// `load` and `steal_percent` between two readings, during which this process used `own_s` seconds
/// of CPU time.
Conditions between(const CpuTimes& before, const CpuTimes& after, double own_s);

/// The clock of this thread's CPU, in MHz: the fastest of a few chains of dependent additions, one
/// cycle each on all current processors. Takes about 0.3 ms.
double estimate_cpu_mhz();

/// Watches from construction to end().
class ConditionsWatch {
 public:
  explicit ConditionsWatch(Backend backend);
  ~ConditionsWatch();
  /// Call regularly while the GPU works; samples it every 50 ms.
  void look();
  Conditions end();

 private:
  struct Gpu;
  std::unique_ptr<Gpu> gpu_;
  std::optional<CpuTimes> before_;
  double own_before_s_ = 0;
  bool on_cpu_;
};

/// PCI bus id of the current CUDA device; nothing without one.
std::optional<std::string> cuda_bus_id();

}  // namespace ratchet::timing
