// CUPTI's range profiler as one object: hardware counters of the work between two calls.
//
// Uses the interface of CUDA 12.6 and newer (cupti_range_profiler.h, cupti_profiler_host.h). If the
// counters need several passes, it calls the work again (user replay). Reading counters needs root,
// or a driver loaded with NVreg_RestrictProfilingToAdminUsers=0.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "perf/measure/timers/cupti_library.h"

namespace ratchet::counters {

class RangeProfiler {
 public:
  /// Uses the primary context of a CUDA device. Throws timing::CuptiUnavailable with the reason:
  /// not installed, too old, no permission, or held by another tool.
  explicit RangeProfiler(int device);
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;
  ~RangeProfiler();

  const std::string& chip() const { return chip_; }  ///< "GH100"
  bool knows(const std::string& metric) const;

  /// Values of the metrics over `work`, which is called once per pass. It must do the same each
  /// time and finish on the device before it returns. Throws like the constructor. Stops the
  /// profiler and passes exceptions of `work` through.
  std::vector<double> count(const std::vector<std::string>& metrics,
                            const std::function<void()>& work) const;

 private:
  CUcontext context_ = nullptr;
  std::string chip_;
  std::vector<std::uint8_t> availability_;  ///< counters that this device and user may read
};

}  // namespace ratchet::counters
