// Device time of launches, from the queue's profiling events.
#include <algorithm>

#include "kernels/support/opencl.h"

namespace ratchet::opencl {
namespace {

/// At most this many launches are queued ahead of the device, and at least half of it.
constexpr std::size_t kMostEvents = 2048;

}  // namespace

void LaunchTimes::clear() { *this = {}; }

void LaunchTimes::add(cl::Event event) {
  events_.push_back(std::move(event));
  if (events_.size() >= kMostEvents) take_oldest(kMostEvents / 2);
}

void LaunchTimes::take_oldest(std::size_t count) {
  for (; count > 0; --count, events_.pop_front()) {
    const cl::Event& event = events_.front();
    event.wait();
    const std::uint64_t start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    const std::uint64_t end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
    first_start_ns_ = kernels_ == 0 ? start : std::min(first_start_ns_, start);
    last_end_ns_ = std::max(last_end_ns_, end);
    busy_ns_ += end - start;
    ++kernels_;
  }
}

std::optional<DeviceTime> LaunchTimes::total() {
  return checked("event profiling", [&]() -> std::optional<DeviceTime> {
    take_oldest(events_.size());
    if (kernels_ == 0) return std::nullopt;
    return DeviceTime{1e-9 * static_cast<double>(busy_ns_),
                      1e-9 * static_cast<double>(last_end_ns_ - first_start_ns_), kernels_};
  });
}

}  // namespace ratchet::opencl
