// The CPU's own count of user instructions of this thread, where the machine hands it out.
#pragma once

#include <cstdint>
#include <optional>

namespace ratchet::counters {

/// perf_event_open(PERF_COUNT_HW_INSTRUCTIONS), user space of the calling thread. Where there is no
/// such counter (virtual machines often have none) or no permission, available() is false.
class InstructionCounter {
 public:
  InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;
  ~InstructionCounter();

  bool available() const { return descriptor_ >= 0; }
  void start();
  /// Instructions since start(); nothing when they cannot be read.
  std::optional<std::uint64_t> stop();

 private:
  int descriptor_ = -1;
};

}  // namespace ratchet::counters
