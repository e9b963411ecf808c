// The collector's output for a program that it was loaded into, as `ratchet gate --device-time`
// reads it. It is one line of text, so that both sides need no common library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perf/measure/timers/activity.h"

namespace ratchet::timing {

/// The environment variable with the name of the output file.
inline constexpr char kCollectedFile[] = "RATCHET_COLLECTED";

/// The GPU work that was launched in one timed stretch of a program, between the start and the stop
/// of its timer.
struct Collected {
  std::uint64_t kernels = 0;
  double seconds = 0;            ///< of kernels, copies and sets; of concurrent ones once
  std::string failure;           ///< why the time is unknown; else empty
  std::int64_t peak_bytes = -1;  ///< device memory of the process; -1: not known
};

/// An allocation of device memory, or its release.
struct MemoryOperation {
  std::uint64_t at_ns = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< allocated; of a release not used
  bool allocates = false;
};

/// The most bytes that were allocated at one time, on all devices together; the operations may come
/// in any order. Releases of what is not known count nothing.
std::int64_t peak_bytes(std::vector<MemoryOperation> operations);

/// The kernels and transfers with this id. A failure if there is no kernel or one has no times.
/// Also if a thread without a running timer (external id 0) launched work after `since_ns`.
Collected collected(const std::vector<Activity>& activities, std::uint64_t id,
                    std::uint64_t since_ns);

/// "12 0.000345 4096", kernels, seconds and bytes, or "failed: REASON"; with a newline.
std::string to_line(const Collected& what);
/// Parses such a line. Any other text, and an empty one, gives a failure.
Collected read_line(const std::string& line);

}  // namespace ratchet::timing
