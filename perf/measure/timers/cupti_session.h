// CUPTI activity recording as an object: activity kinds are enabled during its lifetime.
#pragma once

#include <cstdint>
#include <vector>

#include "perf/measure/timers/activity.h"
#include "perf/measure/timers/cupti_library.h"

namespace ratchet::timing {

#ifdef RATCHET_COLLECTOR
/// Gets each record of device memory, on CUPTI's threads.
void take_memory(const CUpti_ActivityMemory3& record);
#endif

/// Records activities of this process. At most one at a time (CUPTI's callbacks carry no user
/// data).
class CuptiSession {
 public:
  enum class Detail {
    device,            ///< kernels, memory copies and sets, with external correlation
    device_and_calls,  ///< also every CUDA runtime and driver call, and all names
  };
  /// Throws CuptiUnavailable, after disabling the kinds that it had enabled.
  explicit CuptiSession(Detail detail);
  CuptiSession(const CuptiSession&) = delete;
  CuptiSession& operator=(const CuptiSession&) = delete;
  ~CuptiSession();

  /// Launches of this thread carry `id` (not 0) during the object's lifetime; the innermost counts.
  class ExternalId {
   public:
    ExternalId(const CuptiSession& session, std::uint64_t id);
    ExternalId(const ExternalId&) = delete;
    ExternalId& operator=(const ExternalId&) = delete;
    ~ExternalId();

   private:
    const CuptiLibrary& cupti_;
  };

  /// The current time on the records' clock, in ns.
  std::uint64_t now_ns() const;
  /// Everything recorded since the last call. GPU work must have finished (synchronize first).
  /// Throws Error when CUPTI dropped records.
  std::vector<Activity> collect();

 private:
  void disable_all() noexcept;

  const CuptiLibrary& cupti_;
  std::vector<CUpti_ActivityKind> enabled_;
};

}  // namespace ratchet::timing
