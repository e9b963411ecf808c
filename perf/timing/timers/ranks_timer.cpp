// Not in timer.cpp: its machine code is part of the digest of every row (perf/counters).
#include "perf/timing/timers/timer.h"

namespace ratchet::timing {
namespace {

class RanksTimer final : public Timer {
 public:
  explicit RanksTimer(TimerOptions options) {
    options.kind = TimerKind::wall;
    wall_ = make_timer(Backend::mpi, options);
  }

  Sample time_run(Instance& instance) override {
    // For CPU time and preemptions of this rank. reset() was called, and may be again.
    Sample sample = wall_->time(instance);
    if (const std::optional<DeviceTime> slowest = instance.device_time())
      sample.seconds = sample.span_seconds = slowest->span_seconds;
    return sample;
  }
  TimerKind kind() const override { return TimerKind::wall; }

 private:
  std::unique_ptr<Timer> wall_;
};

}  // namespace

std::unique_ptr<Timer> make_ranks_timer(const TimerOptions& options) {
  return std::make_unique<RanksTimer>(options);
}

}  // namespace ratchet::timing
