// CUPTI's range profiler as one object: hardware counters of whatever runs between two calls.
//
// Interface of CUDA 12.6 and newer (cupti_range_profiler.h, cupti_profiler_host.h); the passes that
// several counters need are made by calling the work again (user replay). Needs the right to read
// counters: root, or a driver loaded with NVreg_RestrictProfilingToAdminUsers=0.
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
  /// For the primary context of a CUDA device. Throws timing::CuptiUnavailable with the reason: not
  /// installed, too old, no permission, or held by another tool.
  explicit RangeProfiler(int device);
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;
  ~RangeProfiler();

  const std::string& chip() const { return chip_; }  ///< "GH100"
  bool knows(const std::string& metric) const;

  /// Values of the metrics over `work`, which is called once per pass and must do the same each
  /// time, and must have ended on the device when it returns. Throws as the constructor does;
  /// exceptions of `work` pass through, the profiler stopped.
  std::vector<double> count(const std::vector<std::string>& metrics,
                            const std::function<void()>& work) const;

 private:
  CUcontext context_ = nullptr;
  std::string chip_;
  std::vector<std::uint8_t> availability_;  ///< counters that this device and user may read
};

}  // namespace ratchet::counters
