#include "kernels/officers/device/control.h"

#include <algorithm>
#include <string>

#include "perf/support/error.h"

namespace ratchet::officers::device {

void check_control(const Control& control, std::uint64_t start) {
  const char* const roles[] = {"no block", "the front", "a preparing block", "a verifying block",
                               "a block of threads"};
  const std::uint32_t role = std::min<std::uint32_t>(control.role, 4);
  switch (static_cast<Reason>(control.stop)) {
    case Reason::none:
      break;
    case Reason::waited_too_long:
      throw Error(std::string("officers: ") + roles[role] +
                  " waited too long for block of values " + std::to_string(control.at) +
                  " after position " + std::to_string(start) +
                  "; the launch was ended and nothing of it is kept: run it again, and report it");
    case Reason::value_too_large:
      throw Error("officers: the value of position " + std::to_string(start + control.at) +
                  " is 512 or more and does not fit a byte: a discovery; all before it are right");
  }
  if (control.undecided > kMostUndecided)
    throw Error("officers: " + std::to_string(control.undecided) + " positions after " +
                std::to_string(start) + " could not be verified on the device, more than the " +
                std::to_string(kMostUndecided) + " that are kept: run fewer values at a time");
}

}  // namespace ratchet::officers::device
