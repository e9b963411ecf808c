// An injected slowdown of real work, to measure what the gate detects.
//
// Each run of a stage ends, inside the timed act, with a chain of dependent integer multiply-adds.
// The chain takes the requested share of the stage's own time. Measured times are not edited. The
// chain's length is calibrated in the same process: the row's timer times stage and slowdown
// alternately.
#pragma once

#include <functional>
#include <memory>

#include "kernels/contract/stage.h"
#include "perf/measure/timers/timer.h"

namespace ratchet::timing {

/// Work whose time is proportional to a number, plus a fixed cost.
class InjectedSlowdown : public Instance {
 public:
  virtual void set_iterations(std::uint64_t iterations) = 0;
  std::uint64_t units() const override { return 1; }
};

/// On the calling thread; its fixed cost is a few nanoseconds.
std::unique_ptr<InjectedSlowdown> make_cpu_slowdown();
/// A kernel on the legacy default stream with a block on every SM; its fixed cost is that of an
/// empty kernel, about 2 us. Throws Error in a build without CUDA.
std::unique_ptr<InjectedSlowdown> make_cuda_slowdown();

/// Length of the calibration: so many rounds, or at least three rounds within so many seconds.
struct Calibration {
  int rounds = 11;
  double seconds = 0.3;
};

/// The slowdown's iterations that take `share` of the stage's time, by medians of undisturbed runs
/// of `timer`. `fixed`: the slowdown has a fixed cost (a kernel launch), which is subtracted.
/// Throws Error with both times if that cost alone exceeds the share.
std::uint64_t calibrate(Timer& timer, Instance& stage, InjectedSlowdown& slowdown, double share,
                        bool fixed, const Calibration& calibration = {});

/// The stage followed by its calibrated slowdown. Calibrates on one instance of `prepare` and
/// returns another. Runs of one instance may compute different things, and its first run must be
/// compared with a first run. Throws what `prepare` and the stage throw.
std::unique_ptr<Instance> slow_down(const std::function<std::unique_ptr<Instance>()>& prepare,
                                    Backend backend, double share, Timer& timer);

}  // namespace ratchet::timing
