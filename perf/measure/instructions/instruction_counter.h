// The CPU's count of user instructions of this thread, if the machine provides it.
#pragma once

#include <cstdint>
#include <optional>

namespace ratchet::counters {

/// perf_event_open(PERF_COUNT_HW_INSTRUCTIONS), user space of the calling thread. Without a
/// counter, as in many virtual machines, or without permission, available() is false.
class InstructionCounter {
 public:
  InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;
  ~InstructionCounter();

  bool available() const { return descriptor_ >= 0; }
  void start();
  /// Instructions since start(); nothing if they cannot be read.
  std::optional<std::uint64_t> stop();

 private:
  int descriptor_ = -1;
};

}  // namespace ratchet::counters
