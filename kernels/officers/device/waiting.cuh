// Waits that end: each looks at the clock, and at whether another has given up.
#pragma once

#include "kernels/officers/device/control.h"

namespace ratchet::officers::device {

class Watch {
 public:
  /// A wait that lasts longer than `patience_ns` ends the launch.
  __device__ Watch(Control& control, std::uint64_t patience_ns, Role role)
      : control_(control), patience_ns_(patience_ns), role_(role) {}

  /// Calls `there` until it is true; false when the launch is to end.
  template <class There>
  __device__ bool until(There there, std::uint32_t at) const {
    std::uint64_t since = 0;
    for (std::uint32_t tries = 0; !there(); ++tries) {
      others_turn();
      if (tries % 256 == 255 && !goes_on(since, at)) return false;
    }
    return true;
  }
  /// To be asked now and then in a wait; `since` is 0 when it begins. False when the launch is to
  /// end.
  __device__ bool goes_on(std::uint64_t& since, std::uint32_t at) const {
    if (load_acquire(&control_.stop) != 0) return false;
    if (since == 0) since = nanoseconds();
    if (nanoseconds() - since <= patience_ns_) return true;
    give_up(Reason::waited_too_long, at);
    return false;
  }
  /// Ends the launch; the first who does says why.
  __device__ void give_up(Reason reason, std::uint32_t at) const {
    if (atomicCAS(&control_.stop, 0u, static_cast<std::uint32_t>(reason)) != 0) return;
    control_.role = static_cast<std::uint32_t>(role_);
    control_.at = at;
  }

 private:
  Control& control_;
  std::uint64_t patience_ns_;
  Role role_;
};

}  // namespace ratchet::officers::device
