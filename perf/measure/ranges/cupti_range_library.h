// The range profiler's entry points in libcupti, loaded at run time (timers/cupti_library.h).
#pragma once

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include "perf/measure/timers/cupti_library.h"

namespace ratchet::counters {

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
