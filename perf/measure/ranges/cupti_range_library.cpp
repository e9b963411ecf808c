#include <dlfcn.h>

#include <string>

#include "perf/measure/ranges/cupti_range_profiler.h"

namespace ratchet::counters {
namespace {

using timing::CuptiLibrary;
using timing::CuptiUnavailable;

template <class Function>
void find(const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(CuptiLibrary::get().handle, name));
  if (!function)
    throw CuptiUnavailable(std::string("libcupti is older than CUDA 12.6: it lacks ") + name);
}

RangeLibrary load() {
  RangeLibrary cupti{};
  find("cuptiProfilerInitialize", cupti.initialize);
  find("cuptiProfilerDeInitialize", cupti.deinitialize);
  find("cuptiDeviceGetChipName", cupti.chip_name);
  find("cuptiProfilerGetCounterAvailability", cupti.availability);
  find("cuptiProfilerHostInitialize", cupti.host_initialize);
  find("cuptiProfilerHostDeinitialize", cupti.host_deinitialize);
  find("cuptiProfilerHostConfigAddMetrics", cupti.add_metrics);
  find("cuptiProfilerHostGetConfigImageSize", cupti.config_size);
  find("cuptiProfilerHostGetConfigImage", cupti.config_image);
  find("cuptiProfilerHostGetNumOfPasses", cupti.passes);
  find("cuptiProfilerHostEvaluateToGpuValues", cupti.evaluate);
  find("cuptiRangeProfilerEnable", cupti.enable);
  find("cuptiRangeProfilerDisable", cupti.disable);
  find("cuptiRangeProfilerSetConfig", cupti.set_config);
  find("cuptiRangeProfilerStart", cupti.start);
  find("cuptiRangeProfilerStop", cupti.stop);
  find("cuptiRangeProfilerPushRange", cupti.push_range);
  find("cuptiRangeProfilerPopRange", cupti.pop_range);
  find("cuptiRangeProfilerDecodeData", cupti.decode);
  find("cuptiRangeProfilerGetCounterDataSize", cupti.data_size);
  find("cuptiRangeProfilerCounterDataImageInitialize", cupti.data_initialize);
  find("cuptiRangeProfilerGetCounterDataInfo", cupti.data_info);
  return cupti;
}

}  // namespace

const RangeLibrary& RangeLibrary::get() {
  static const RangeLibrary cupti = load();
  return cupti;
}

void check_range(CUptiResult status, const char* call) {
  if (status == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
      status == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
    throw CuptiUnavailable(
        "the driver does not let this user read hardware counters; run as root, or load the driver "
        "with NVreg_RestrictProfilingToAdminUsers=0");
  CuptiLibrary::get().check(status, call);
}

}  // namespace ratchet::counters
