// libcupti, opened at run time, so that a machine without it still runs everything else.
//
// The functions are called through the prototypes of the official headers. The library of the
// toolkit that the program was built with is tried first, then the default search names.
#pragma once

#include <cupti.h>

#include <stdexcept>
#include <string>

namespace ratchet::timing {

/// CUPTI cannot be used here: not installed, too old, or taken by another profiler. One line.
class CuptiUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The entry points used. Opened once per process and never closed: CUPTI keeps threads of its own.
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
  void* handle;  ///< of dlopen, for entry points that only some users need (perf/counters)

  /// Throws CuptiUnavailable, also when the environment shows another profiler attached: calling
  /// into CUPTI then may disturb it.
  static const CuptiLibrary& get();
  /// Throws CuptiUnavailable naming `call` and the reason, unless `status` is success.
  void check(CUptiResult status, const char* call) const;
};

}  // namespace ratchet::timing
