// Instructions that a call of a Google Benchmark row executes (--metric instructions): counted by
// the CPU, where it has a counter that this process may read; else by Callgrind.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace ratchet::gate {

/// A counter of perf_event_open(2), of user space alone: of the programs that this thread starts
/// during the object's lifetime, with their threads and children, from their exec() on.
class ChildCounter {
 public:
  /// `type` and `config` of perf_event_attr.
  struct Event {
    std::uint32_t type;
    std::uint64_t config;
  };
  /// The CPU's executed instructions. Tests count what every machine does.
  static Event instructions;

  explicit ChildCounter(Event event = instructions);
  ChildCounter(const ChildCounter&) = delete;
  ChildCounter& operator=(const ChildCounter&) = delete;
  ~ChildCounter();

  /// Why nothing is counted; empty where it is.
  const std::string& refusal() const { return refusal_; }
  /// Of the programs that ended. Throws `Error` where others had the counter for a part of the
  /// time, so that the count would be an estimate.
  double count() const;

 private:
  int descriptor_ = -1;
  std::string refusal_;
};

struct CountedLaunch {
  double calls = 0;  ///< that the row's loop made
  double count = 0;  ///< of the whole process
};

/// What one call adds, as a whole number: the difference of a launch of `calls` and one of twice as
/// many, in which start-up and preparation count nothing. Throws `Error` where the second one made
/// no more calls.
double count_of_a_call(const std::function<CountedLaunch(std::int64_t calls)>& launch,
                       std::int64_t calls);

/// How many calls to count of a row that made `timed` in a few milliseconds. A power of two, so
/// that launches of both sides mostly make the same number.
std::int64_t calls_to_count(double timed);

}  // namespace ratchet::gate
