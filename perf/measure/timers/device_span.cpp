#include "perf/measure/timers/device_span.h"

#include <algorithm>

namespace ratchet::timing {

ranks::DeviceSpan device_span(const std::vector<Activity>& activities, std::uint64_t started_ns) {
  ranks::DeviceSpan span;
  std::uint64_t last_ns = started_ns;
  for (const Activity& each : activities) {
    const bool on_device =
        each.kind == Activity::Kind::kernel || each.kind == Activity::Kind::transfer;
    if (!on_device || each.external == kHarnessId) continue;
    last_ns = std::max(last_ns, each.end_ns);
    const double taken_s = 1e-9 * static_cast<double>(each.end_ns - each.begin_ns);
    span.work_s += taken_s;
    if (each.name.find("nccl") != std::string::npos) span.communication_s += taken_s;
  }
  span.end_s = 1e-9 * static_cast<double>(last_ns - started_ns);
  return span;
}

}  // namespace ratchet::timing
