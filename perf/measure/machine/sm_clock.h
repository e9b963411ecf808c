// The SM clock while something ran on the GPU.
//
// Two tiny kernels on the default stream, one before the run and one after, each read on every SM
// the pair (clock64, globaltimer). Per SM, cycles over nanoseconds is that SM's mean clock between
// the two; the median over the SMs is reported. globaltimer ticks coarsely (up to a microsecond or
// so), so both kernels wait for it to tick and read clock64 right at the edge; and the second waits
// until 20 us have passed since the first. What remains is the length of the reading loop, well
// under 0.5 % of 20 us. The mean includes the idle moments between launches, in which the clock
// holds. Source: CUDA PTX ISA, special registers %clock64, %globaltimer, %smid.
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
  /// when no SM was seen by both kernels.
  double end_mhz();

 private:
  ClockReading* first_ = nullptr;        // device memory, one per SM id
  unsigned long long* delta_ = nullptr;  // mapped host memory: cycles and nanoseconds per SM id
  int blocks_ = 0;
};

}  // namespace ratchet::timing
