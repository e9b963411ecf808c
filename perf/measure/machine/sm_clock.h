// The SM clock during a run on the GPU.
//
// Two tiny kernels on the default stream, one before the run and one after, read (clock64,
// globaltimer) on every SM. Cycles over nanoseconds is the SM's mean clock between the two; the
// median over the SMs is reported. globaltimer advances in ticks of up to about a microsecond, so
// both kernels wait for a tick and read clock64 at that edge. The second one waits until 20 us
// after the first. The remaining error is the length of the reading loop, well under 0.5 % of 20
// us. The mean includes idle moments between launches, in which the clock does not change. Source:
// CUDA PTX ISA, special registers %clock64, %globaltimer, %smid.
#pragma once

#include <cuda_runtime_api.h>

namespace ratchet::timing {

/// One SM's pair of clocks, in device memory. (Not nested in SmClock: kernels take it as an
/// argument.)
struct ClockReading {
  unsigned long long cycles;
  unsigned long long nanoseconds;
  unsigned long long taken;  ///< 1 once the SM wrote the pair
};

/// Reads the clock of the current device. One measurement at a time. Throws Error on a CUDA error.
class SmClock {
 public:
  SmClock();
  SmClock(const SmClock&) = delete;
  SmClock& operator=(const SmClock&) = delete;
  ~SmClock();

  /// Enqueues the first reading.
  void begin();
  /// Enqueues the second reading, waits for it, and returns the mean clock since begin() in MHz; 0
  /// if no SM ran both kernels.
  double end_mhz();

 private:
  ClockReading* first_ = nullptr;        // device memory, one per SM id
  unsigned long long* delta_ = nullptr;  // mapped host memory: cycles and nanoseconds per SM id
  int blocks_ = 0;
};

}  // namespace ratchet::timing
