// What one rank's activity records say of its run. No CUPTI here.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/support/ranks/observer.h"
#include "perf/measure/timers/activity.h"

namespace ratchet::timing {

/// Of all kernels and transfers but the harness's own (kHarnessId), whoever launched them: NCCL has
/// threads of its own. `started_ns`: when the common barrier was left, on the records' clock.
/// Communication is the kernels that NCCL names ("ncclDevKernel_..."). Nothing where there are
/// none; sm_clock_mhz is left at 0.
ranks::DeviceSpan device_span(const std::vector<Activity>& activities, std::uint64_t started_ns);

}  // namespace ratchet::timing
