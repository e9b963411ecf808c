// How one run of a stage is timed, and which way this machine allows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/contract/stage.h"
#include "perf/measure/sampling/preemption.h"
#include "perf/measure/sampling/sample.h"

namespace ratchet::timing {

enum class TimerKind {
  cupti,   ///< device time of each kernel, from CUPTI activity records
  events,  ///< device time between two CUDA events: includes the gaps and launch latency between
           ///< them
  wall,    ///< steady_clock around run() and wait()
  opencl,  ///< device time of each kernel, from the events of the stage's own OpenCL queue
};
/// "cupti", "events", "wall" or "opencl".
std::string_view to_string(TimerKind kind);

/// Times runs of instances, one at a time. Owns what it needs of CUDA and CUPTI.
class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  virtual ~Timer() = default;

  /// reset(), then one timed run() and wait(). Errors of the stage pass through; Error when the
  /// measurement itself fails.
  Sample time(Instance& instance) {
    instance.reset();
    return time_run(instance);
  }
  /// How the last run was timed; before the first one, how runs will be.
  virtual TimerKind kind() const = 0;

 private:
  virtual Sample time_run(Instance& instance) = 0;
};

struct TimerOptions {
  std::optional<TimerKind> kind;  ///< this one or an Error; otherwise the best there is
  bool sm_clock = true;           ///< record the SM clock (launches tiny kernels around the run)
  Watched watched = Watched::process;  ///< whose preemptions the wall timer counts
};

/// The timer for stages of `backend`. CPU and hybrid stages are timed by the wall clock. CUDA
/// stages by CUPTI; where it is missing or taken by another profiler, by CUDA events, said once on
/// stderr. OpenCL stages by Instance::device_time(); a run of an instance that reports none is
/// timed by the wall clock, said once on stderr, and kind() is then wall. RATCHET_TIMER in the
/// environment overrides, unless `options` names a kind: cupti and events for CUDA stages, opencl
/// for OpenCL stages, wall for both. Throws Error on an unknown value, or when the kind forced
/// cannot be had: for opencl, when a run is timed.
std::unique_ptr<Timer> make_timer(Backend backend, const TimerOptions& options = {});

/// Why another profiler is believed to be attached ("NV_NSIGHT_INJECTION_... is set"), from this
/// process's environment; empty if none is.
std::string attached_profiler();

/// CPU time of all threads of this process so far, in seconds.
double process_cpu_seconds();

/// Timers of a build with CUDA; without it, Error (cuda_timer_none.cpp).
std::unique_ptr<Timer> make_cuda_timer(const TimerOptions& options);

/// For stages of several ranks: the slowest rank's time from a common barrier, each rank's by the
/// CUPTI records of its GPU, or by its own wall clock (Instance::device_time()). By make_timer() their time is rank 0's, and that of
/// the messages that start and end a run.
std::unique_ptr<Timer> make_ranks_timer(const TimerOptions& options = {});

/// After a failed row: takes back the error that the CUDA runtime remembers, which the next row's
/// first launch would report as its own. An error that destroyed the context stays. Nothing in a
/// build without CUDA.
void forget_cuda_error();

}  // namespace ratchet::timing
