// CUPTI activity recording as an object: kinds are enabled while it lives.
#pragma once

#include <cstdint>
#include <vector>

#include "perf/measure/timers/activity.h"
#include "perf/measure/timers/cupti_library.h"

namespace ratchet::timing {

/// Records activities of this process. At most one at a time (CUPTI's callbacks carry no user
/// data).
class CuptiSession {
 public:
  enum class Detail {
    device,            ///< kernels, memory copies and sets, with external correlation
    device_and_calls,  ///< also every CUDA runtime and driver call, and all names
  };
  /// Throws CuptiUnavailable; kinds enabled on the way are disabled again.
  explicit CuptiSession(Detail detail);
  CuptiSession(const CuptiSession&) = delete;
  CuptiSession& operator=(const CuptiSession&) = delete;
  ~CuptiSession();

  /// Launches of this thread carry `id` (not 0) while the object lives; the innermost id counts.
  class ExternalId {
   public:
    ExternalId(const CuptiSession& session, std::uint64_t id);
    ExternalId(const ExternalId&) = delete;
    ExternalId& operator=(const ExternalId&) = delete;
    ~ExternalId();

   private:
    const CuptiLibrary& cupti_;
  };

  /// Now, on the clock of the records, in ns.
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
