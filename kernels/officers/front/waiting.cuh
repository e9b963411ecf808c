// Waits that end: each looks at the clock, and at whether another has given up.
#pragma once

#include "kernels/officers/front/job.h"

namespace ratchet::officers::front {

class Watch {
 public:
  __device__ Watch(const Job& job, Role role) : job_(job), role_(role) {}

  /// Calls `there` until it is true; false when the launch is to end.
  template <class There>
  __device__ bool until(There there, std::uint32_t at) const {
    std::uint64_t since = 0;
    for (std::uint32_t tries = 0; !there(); ++tries) {
      others_turn();
      if (tries % 256 != 255) continue;
      if (load_acquire(&job_.control->stop) != 0) return false;
      if (since == 0) since = nanoseconds();
      if (nanoseconds() - since > job_.patience_ns) {
        give_up(Reason::waited_too_long, at);
        return false;
      }
    }
    return true;
  }
  /// Ends the launch; the first who does says why.
  __device__ void give_up(Reason reason, std::uint32_t at) const {
    if (atomicCAS(&job_.control->stop, 0u, static_cast<std::uint32_t>(reason)) != 0) return;
    job_.control->role = static_cast<std::uint32_t>(role_);
    job_.control->at = at;
  }

 private:
  const Job& job_;
  Role role_;
};

}  // namespace ratchet::officers::front
