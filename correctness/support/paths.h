// The paths that a stage takes by the machine it is on: instruction sets and numbers of threads.
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

namespace ratchet::correctness {

/// Every dispatch in this process goes to this instruction set while it lives. For tests in one
/// thread: the choice is the process's.
class OneTarget {
 public:
  explicit OneTarget(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  ~OneTarget() { hwy::SetSupportedTargetsForTest(0); }
  OneTarget(const OneTarget&) = delete;
  OneTarget& operator=(const OneTarget&) = delete;
};

/// Numbers of threads that a mistake in sharing out shows at: all small ones, primes, and one
/// below, at and above the sizes that masks, slots and groups come in.
inline std::vector<std::uint64_t> thread_counts() {
  return {1,  2,  3,  4,  5,  6,  7,  8,  9,   11,  13,  16, 17,
          31, 32, 33, 61, 63, 64, 65, 97, 127, 128, 129, 131};
}

}  // namespace ratchet::correctness
