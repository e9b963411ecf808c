// The span of one rank's run, from its activity records. Without CUPTI.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/support/ranks/observer.h"
#include "perf/measure/timers/activity.h"

namespace ratchet::timing {

/// The span of all kernels and transfers of all threads, since NCCL has own threads; without the
/// harness's own (kHarnessId). `started_ns`: when the rank left the common barrier, on the records'
/// clock. Communication is the time of NCCL's kernels ("ncclDevKernel_..."). Nothing without
/// kernels and transfers; sm_clock_mhz stays 0.
ranks::DeviceSpan device_span(const std::vector<Activity>& activities, std::uint64_t started_ns);

}  // namespace ratchet::timing
