// One timed run of a stage.
#pragma once

#include <cstdint>

#include "perf/measure/sampling/device_work.h"

namespace ratchet::timing {

struct Sample {
  /// The time that counts. GPU with CUPTI: the durations of all kernels and transfers of the run,
  /// summed. GPU with events: between two events around the run. CPU: wall time.
  double seconds = 0;
  /// First start to last end of the same work; larger than `seconds` by the gaps between kernels,
  /// smaller where kernels overlap. Equal to `seconds` where the timer cannot tell them apart.
  double span_seconds = 0;
  /// CPU time that all threads of this process spent while the run lasted.
  double cpu_seconds = 0;
  /// Mean SM clock while the run lasted; 0 where unknown.
  double sm_clock_mhz = 0;
  /// Kernels launched by the run; 0 where the timer cannot count them.
  std::uint32_t kernels = 0;
  /// What the run launched; nothing where the timer cannot see it.
  DeviceWork device_work;
  /// Taken while the GPU was clocked down, and kept only because nothing better came.
  bool throttled = false;
  /// Times that the kernel took a CPU away while the run lasted; 0 on a GPU.
  std::uint64_t preemptions = 0;
};

}  // namespace ratchet::timing
