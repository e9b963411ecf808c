// Not in timer.cpp, whose machine code is part of every row's digest (perf/identity/digests).
#include <algorithm>

#include "kernels/support/ranks/ranked_run.h"
#include "perf/measure/timers/timer.h"

namespace ratchet::timing {
namespace {

class RanksTimer final : public Timer {
 public:
  explicit RanksTimer(TimerOptions options) {
    options.kind = TimerKind::wall;
    wall_ = make_timer(Backend::mpi, options);
  }

  Sample time_run(Instance& instance) override {
    // For CPU time and preemptions of this rank. Calling reset() twice is harmless.
    Sample sample = wall_->time(instance);
    if (const std::optional<DeviceTime> slowest = instance.device_time())
      sample.seconds = sample.span_seconds = slowest->span_seconds;
    const std::vector<ranks::RankTime>* times = ranks::rank_times_of(instance);
    by_cupti_ = times && std::all_of(times->begin(), times->end(),
                                     [](const ranks::RankTime& time) { return time.of_device(); });
    if (by_cupti_) sample.sm_clock_mhz = times->front().sm_clock_mhz;
    return sample;
  }
  TimerKind kind() const override { return by_cupti_ ? TimerKind::cupti : TimerKind::wall; }

 private:
  bool by_cupti_ = false;  ///< the last run, on every rank
  std::unique_ptr<Timer> wall_;
};

}  // namespace

std::unique_ptr<Timer> make_ranks_timer(const TimerOptions& options) {
  return std::make_unique<RanksTimer>(options);
}

}  // namespace ratchet::timing
