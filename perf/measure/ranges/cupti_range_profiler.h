// CUPTI's range profiler as one object: hardware counters of the work between two calls.
//
// Uses the interface of CUDA 12.6 and newer (cupti_range_profiler.h, cupti_profiler_host.h). If the
// counters need several passes, it calls the work again (user replay). Reading counters needs root,
// or a driver loaded with NVreg_RestrictProfilingToAdminUsers=0.
#pragma once

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

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

// The range profiler's entry points in libcupti, loaded at run time (timers/cupti_library.h).

struct RangeLibrary {
  decltype(&cuptiProfilerInitialize) initialize;
  decltype(&cuptiProfilerDeInitialize) deinitialize;
  decltype(&cuptiDeviceGetChipName) chip_name;
  decltype(&cuptiProfilerGetCounterAvailability) availability;
  decltype(&cuptiProfilerHostInitialize) host_initialize;
  decltype(&cuptiProfilerHostDeinitialize) host_deinitialize;
  decltype(&cuptiProfilerHostConfigAddMetrics) add_metrics;
  decltype(&cuptiProfilerHostGetConfigImageSize) config_size;
  decltype(&cuptiProfilerHostGetConfigImage) config_image;
  decltype(&cuptiProfilerHostGetNumOfPasses) passes;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) evaluate;
  decltype(&cuptiRangeProfilerEnable) enable;
  decltype(&cuptiRangeProfilerDisable) disable;
  decltype(&cuptiRangeProfilerSetConfig) set_config;
  decltype(&cuptiRangeProfilerStart) start;
  decltype(&cuptiRangeProfilerStop) stop;
  decltype(&cuptiRangeProfilerPushRange) push_range;
  decltype(&cuptiRangeProfilerPopRange) pop_range;
  decltype(&cuptiRangeProfilerDecodeData) decode;
  decltype(&cuptiRangeProfilerGetCounterDataSize) data_size;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) data_initialize;
  decltype(&cuptiRangeProfilerGetCounterDataInfo) data_info;

  /// Throws timing::CuptiUnavailable: no libcupti, one before 12.6, or another profiler attached.
  static const RangeLibrary& get();
};

/// A zeroed parameter block of CUPTI, with its size set as the headers require.
template <class Params>
Params sized(std::size_t struct_size) {
  Params params{};
  params.structSize = struct_size;
  return params;
}

/// Throws timing::CuptiUnavailable naming `call` and what to do, unless `status` is success.
void check_range(CUptiResult status, const char* call);

}  // namespace ratchet::counters
