// The words that a trace keeps. A source of words has one of these as its base: what is timed
// remembers nothing.
#pragma once

#include <cstdint>

#include "kernels/support/host_device.h"
#include "kernels/support/rng/inline.h"

namespace ratchet::tiny_mc {

/// Of a timed source.
struct NoMemory {
  RATCHET_HD static RATCHET_INLINE std::uint32_t keep(std::uint32_t word) { return word; }
};

/// The last three words that a source handed out.
class LastWords {
 public:
  RATCHET_HD RATCHET_INLINE std::uint32_t keep(std::uint32_t word) {
    third_ = second_;
    second_ = last_;
    return last_ = word;
  }
  RATCHET_HD std::uint32_t last() const { return last_; }
  RATCHET_HD std::uint32_t second_last() const { return second_; }
  RATCHET_HD std::uint32_t third_last() const { return third_; }

 private:
  std::uint32_t last_ = 0, second_ = 0, third_ = 0;
};

}  // namespace ratchet::tiny_mc
