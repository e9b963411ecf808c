// One timed run of a stage.
#pragma once

#include <cstdint>

#include "perf/measure/sampling/device_work.h"

namespace ratchet::timing {

struct Sample {
  /// The reported time. GPU with CUPTI: the summed durations of all kernels and transfers of the
  /// run. GPU with events: between two events around the run. CPU: wall time.
  double seconds = 0;
  /// First start to last end of the same work: larger than `seconds` by the gaps between kernels,
  /// smaller if kernels overlap. Equal to `seconds` if the timer cannot measure it.
  double span_seconds = 0;
  /// CPU time of all threads of this process during the run.
  double cpu_seconds = 0;
  /// Mean SM clock during the run; 0 if unknown.
  double sm_clock_mhz = 0;
  /// Kernels launched by the run; 0 if the timer cannot count them.
  std::uint32_t kernels = 0;
  /// The GPU work of the run; nothing if the timer cannot see it.
  DeviceWork device_work;
  /// Taken while the GPU was throttled, and kept for lack of a better sample.
  bool throttled = false;
  /// Involuntary context switches during the run; 0 on a GPU.
  std::uint64_t preemptions = 0;
};

}  // namespace ratchet::timing
