// libcupti, loaded at run time, so that the program also runs on machines without it.
//
// Prototypes come from the official headers. The library of the build's toolkit is tried first,
// then the default names.
#pragma once

#include <cupti.h>

#include <memory>
#include <stdexcept>

#include "perf/measure/timers/timer.h"

namespace ratchet::timing {

/// CUPTI is unavailable: not installed, too old, or held by another profiler. One line.
class CuptiUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The used entry points. Loaded once per process and never closed, since CUPTI has own threads.
struct CuptiLibrary {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks;
  decltype(&cuptiActivityEnable) enable;
  decltype(&cuptiActivityDisable) disable;
  decltype(&cuptiActivityFlushAll) flush_all;
  decltype(&cuptiActivityGetNextRecord) next_record;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records;
  decltype(&cuptiActivityPushExternalCorrelationId) push_external;
  decltype(&cuptiActivityPopExternalCorrelationId) pop_external;
  decltype(&cuptiGetTimestamp) timestamp;
  decltype(&cuptiGetResultString) result_string;
  decltype(&cuptiGetCallbackName) callback_name;
  void* handle;  ///< of dlopen, for the entry points of perf/measure/ranges

  /// Throws CuptiUnavailable, also if the environment shows an attached profiler, which a call into
  /// CUPTI may disturb.
  static const CuptiLibrary& get();
  /// Throws CuptiUnavailable naming `call` and the reason, unless `status` is success.
  void check(CUptiResult status, const char* call) const;
};

/// Device time of each run's own kernels. Throws CuptiUnavailable.
std::unique_ptr<Timer> make_cupti_timer(bool sm_clock);

}  // namespace ratchet::timing
