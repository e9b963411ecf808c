#include "perf/measure/timers/activity.h"

#include <algorithm>
#include <map>
#include <utility>

#include "perf/support/error.h"

namespace ratchet::timing {
namespace {

/// Sums records by call, in the order of the calls; records arrive in the order of their ends.
DeviceWork in_order(const std::map<std::uint32_t, DeviceWork>& calls) {
  DeviceWork work;
  for (const auto& [call, launched] : calls) work.then(launched);
  return work;
}

}  // namespace

DeviceSample attribute(const std::vector<Activity>& activities, const TimedRun& run) {
  DeviceSample sample;
  std::uint64_t first_ns = UINT64_MAX, last_ns = 0, sum_ns = 0;
  std::size_t strangers = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> intervals;
  std::map<std::uint32_t, DeviceWork> calls;
  for (const Activity& activity : activities) {
    const bool kernel = activity.kind == Activity::Kind::kernel;
    if (!kernel && activity.kind != Activity::Kind::transfer) continue;
    if (activity.external == 0 && activity.begin_ns >= run.since_ns) ++strangers;
    if (activity.external != run.id) continue;
    if (activity.end_ns < activity.begin_ns || activity.begin_ns == 0)
      throw Error("CUPTI returned a kernel record without valid times; use RATCHET_TIMER=events");
    sample.kernels += kernel;
    calls[activity.call].add_unordered(activity.work);
    sum_ns += activity.end_ns - activity.begin_ns;
    intervals.emplace_back(activity.begin_ns, activity.end_ns);
    first_ns = std::min(first_ns, activity.begin_ns);
    last_ns = std::max(last_ns, activity.end_ns);
  }
  if (strangers > 0)
    throw Error("CUPTI saw " + std::to_string(strangers) +
                " kernels or transfers launched by another thread during the run; use "
                "RATCHET_TIMER=events");
  if (sample.kernels == 0)
    throw Error("CUPTI recorded no kernel for the run; use RATCHET_TIMER=events");
  const std::uint64_t busy_ns = covered_ns(std::move(intervals));
  sample.seconds = 1e-9 * static_cast<double>(busy_ns);
  sample.device_work = in_order(calls);
  sample.span_seconds = 1e-9 * static_cast<double>(last_ns - first_ns);
  sample.overlap_seconds = 1e-9 * static_cast<double>(sum_ns - busy_ns);
  sample.cpu_seconds = run.cpu_seconds;
  sample.sm_clock_mhz = run.sm_clock_mhz;
  return sample;
}

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
