#include "perf/measure/instructions/instruction_counter.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ratchet::counters {

InstructionCounter::InstructionCounter() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  descriptor_ =
      static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

InstructionCounter::~InstructionCounter() {
  if (descriptor_ >= 0) close(descriptor_);
}

void InstructionCounter::start() {
  if (!available()) return;
  ioctl(descriptor_, PERF_EVENT_IOC_RESET, 0);
  ioctl(descriptor_, PERF_EVENT_IOC_ENABLE, 0);
}

std::optional<std::uint64_t> InstructionCounter::stop() {
  if (!available()) return std::nullopt;
  ioctl(descriptor_, PERF_EVENT_IOC_DISABLE, 0);
  std::uint64_t count = 0;
  if (read(descriptor_, &count, sizeof count) != sizeof count) return std::nullopt;
  return count;
}

}  // namespace ratchet::counters
