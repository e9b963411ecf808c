#include "perf/measure/timers/cupti_library.h"

#include <dlfcn.h>

#include "perf/measure/timers/timer.h"

// Path of libcupti in the build's toolkit; set by the build, empty if not found.
#ifndef RATCHET_CUPTI_PATH
#define RATCHET_CUPTI_PATH ""
#endif

namespace ratchet::timing {
namespace {

void* open_library() {
  for (const char* name : {RATCHET_CUPTI_PATH, "libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
    if (!*name) continue;
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  throw CuptiUnavailable(
      "libcupti cannot be opened (install cuda-cupti of the CUDA Toolkit, or set LD_LIBRARY_PATH)");
}

template <class Function>
void find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (!function) throw CuptiUnavailable(std::string("libcupti is too old: it lacks ") + name);
}

CuptiLibrary load() {
  void* handle = open_library();
  CuptiLibrary cupti{};
  cupti.handle = handle;
  find(handle, "cuptiActivityRegisterCallbacks", cupti.register_callbacks);
  find(handle, "cuptiActivityEnable", cupti.enable);
  find(handle, "cuptiActivityDisable", cupti.disable);
  find(handle, "cuptiActivityFlushAll", cupti.flush_all);
  find(handle, "cuptiActivityGetNextRecord", cupti.next_record);
  find(handle, "cuptiActivityGetNumDroppedRecords", cupti.dropped_records);
  find(handle, "cuptiActivityPushExternalCorrelationId", cupti.push_external);
  find(handle, "cuptiActivityPopExternalCorrelationId", cupti.pop_external);
  find(handle, "cuptiGetTimestamp", cupti.timestamp);
  find(handle, "cuptiGetResultString", cupti.result_string);
  find(handle, "cuptiGetCallbackName", cupti.callback_name);
  return cupti;
}

}  // namespace

const CuptiLibrary& CuptiLibrary::get() {
  if (const std::string sign = attached_profiler(); !sign.empty())
    throw CuptiUnavailable("CUPTI is taken by another profiler (" + sign + ")");
  static const CuptiLibrary cupti = load();
  return cupti;
}

void CuptiLibrary::check(CUptiResult status, const char* call) const {
  if (status == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  result_string(status, &text);
  std::string reason = std::string(call) + " failed with " + (text ? text : "an unknown error");
  if (status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ||
      status == CUPTI_ERROR_NOT_COMPATIBLE || status == CUPTI_ERROR_HARDWARE_BUSY)
    reason = "CUPTI is taken by another profiler (" + reason + ")";
  throw CuptiUnavailable(reason);
}

}  // namespace ratchet::timing
