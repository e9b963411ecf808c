// A known slowdown, made of real work: for measuring what the gate detects.
//
// After each run of a stage, inside the timed act, a slowdown is run: a chain of dependent integer
// multiply-adds, as long as takes the share asked for of the stage's own time. Nothing that was
// measured is edited. The length is found in the same process, from stage and slowdown timed by
// slices with the timer that times the row.
#pragma once

#include <functional>
#include <memory>

#include "kernels/contract/stage.h"
#include "perf/measure/timers/timer.h"

namespace ratchet::timing {

/// Work whose time is proportional to a number, but for a fixed cost.
class InjectedSlowdown : public Instance {
 public:
  virtual void set_iterations(std::uint64_t iterations) = 0;
  std::uint64_t units() const override { return 1; }
};

/// On the calling thread; its fixed cost is a few nanoseconds.
std::unique_ptr<InjectedSlowdown> make_cpu_slowdown();
/// A kernel on the legacy default stream with a block on every SM; its fixed cost is that of an
/// empty kernel, some 2 us. Throws Error in a build without CUDA.
std::unique_ptr<InjectedSlowdown> make_cuda_slowdown();

/// How long to look: until so many rounds are timed, or so much time is spent and three rounds are.
struct Calibration {
  int rounds = 11;
  double seconds = 0.3;
};

/// The slowdown's iterations that take `share` of the stage's time, by medians of undisturbed runs
/// of `timer`. `fixed`:
/// the slowdown's fixed cost adds to the stage's time (a kernel of its own), and is taken off.
/// Throws Error when that cost alone is more than the share, with both times.
std::uint64_t calibrate(Timer& timer, Instance& stage, InjectedSlowdown& slowdown, double share,
                        bool fixed, const Calibration& calibration = {});

/// The stage followed by its slowdown, calibrated. Runs one that `prepare` made some times and ends
/// it, and returns another: runs of one instance may differ in what they compute, and its first is
/// to be the first of what it is compared with, too. Throws what `prepare` and the stage throw.
std::unique_ptr<Instance> slow_down(const std::function<std::unique_ptr<Instance>()>& prepare,
                                    Backend backend, double share, Timer& timer);

}  // namespace ratchet::timing
