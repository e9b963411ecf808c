// What the collector leaves of a program that it was put into, and how `ratchet gate --device-time`
// reads it: one line of text, so that both agree without a library between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perf/measure/timers/activity.h"

namespace ratchet::timing {

/// The variable that names the file to be written.
inline constexpr char kCollectedFile[] = "RATCHET_COLLECTED";

/// What the GPU did for the launches of one timed stretch of a program, from the start of its timer
/// to the stop.
struct Collected {
  std::uint64_t kernels = 0;
  double seconds = 0;   ///< kernels, copies and sets, summed
  std::string failure;  ///< why nothing is known; else empty
};

/// The kernels and transfers that carry the id. A failure where there is no kernel, where one has
/// no times, or where a thread that no timer runs on (external id 0) launched some after
/// `since_ns`.
Collected collected(const std::vector<Activity>& activities, std::uint64_t id,
                    std::uint64_t since_ns);

/// "12 0.000345", kernels and seconds, or "failed: REASON"; with a newline.
std::string to_line(const Collected& what);
/// The way back. Anything else, and no text at all, is a failure that says so.
Collected read_line(const std::string& line);

}  // namespace ratchet::timing
