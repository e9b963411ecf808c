// Timers of one run of a stage, and the choice among them on this machine.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/contract/stage.h"
#include "kernels/support/ranks/observer.h"
#include "perf/measure/sampling/disturbed.h"
#include "perf/measure/sampling/sample.h"

namespace ratchet::timing {

enum class TimerKind {
  cupti,   ///< device time of each kernel, from CUPTI activity records
  events,  ///< device time between two CUDA events, including gaps and launch latency
  wall,    ///< steady_clock around run() and wait()
  opencl,  ///< device time of each kernel, from the events of the stage's own OpenCL queue
};
/// "cupti", "events", "wall" or "opencl".
std::string_view to_string(TimerKind kind);

/// Times runs of instances, one at a time. Owns its CUDA and CUPTI resources.
class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  virtual ~Timer() = default;

  /// reset(), then one timed run() and wait(). Errors of the stage pass through; throws Error if
  /// the measurement fails.
  Sample time(Instance& instance) {
    instance.reset();
    return time_run(instance);
  }
  /// The kind of the last run's time; before the first run, the expected kind.
  virtual TimerKind kind() const = 0;
  /// Of the last run: DeviceSample::overlap_seconds (activity.h); 0 if unknown.
  virtual double overlap_seconds() const { return 0; }

 private:
  virtual Sample time_run(Instance& instance) = 0;
};

struct TimerOptions {
  std::optional<TimerKind> kind;  ///< this kind or an Error; empty: the best available
  bool sm_clock = true;           ///< record the SM clock (launches tiny kernels around the run)
  Watched watched = Watched::process;  ///< whose preemptions the wall timer counts
};

/// The timer for stages of `backend`. CPU and hybrid stages: the wall clock. CUDA stages: CUPTI; if
/// it is missing or held by another profiler, CUDA events, with one message on stderr. OpenCL
/// stages: Instance::device_time(); a run without it is timed by the wall clock, with one message
/// on stderr, and kind() is then wall. Unless `options` names a kind, RATCHET_TIMER in the
/// environment overrides this: cupti and events for CUDA stages, opencl for OpenCL stages, wall for
/// both. Throws Error for an unknown value, or if the forced kind is unavailable (for opencl, when
/// a run is timed).
std::unique_ptr<Timer> make_timer(Backend backend, const TimerOptions& options = {});

/// The sign of an attached profiler in this process's environment ("NV_NSIGHT_INJECTION_... is
/// set"); empty without one.
std::string attached_profiler();

/// CPU time of all threads of this process so far, in seconds.
double process_cpu_seconds();

/// Timers of a build with CUDA; without it, Error (cuda_timer_none.cpp).
std::unique_ptr<Timer> make_cuda_timer(const TimerOptions& options);

/// For stages of several ranks: the slowest rank's time from a common barrier. A rank's time is by
/// the CUPTI records of its GPU or by its wall clock (Instance::device_time()). With make_timer()
/// the time would be rank 0's, including the messages that start and end a run.
std::unique_ptr<Timer> make_ranks_timer(const TimerOptions& options = {});
/// Observes the GPU of one rank: the span of kernels and transfers, including NCCL's, by CUPTI from
/// the common barrier on, and the SM clock. Objects to a GPU that other processes use. Without
/// CUPTI, prints a message once and observes nothing. Costs nothing before the first run on a GPU.
/// Without CUDA: nullptr.
std::unique_ptr<ranks::RunObserver> make_ranks_observer();

/// Throws Error if no CUDA work can run here, or the build is without CUDA.
void require_cuda_device();
/// Waits for the current device, work on non-blocking streams included. Throws Error if a CUDA
/// launch since the last call of the runtime failed, or a kernel did. Does nothing without CUDA.
void finish_cuda_work();

/// A function that evicts the current device's L2 cache: it writes a buffer of twice that size, and
/// waits. Lines that a program set aside for persisting accesses stay. Throws Error without a CUDA
/// device, without an L2 cache, or without memory for the buffer.
std::function<void()> make_l2_eviction();

/// After a failed row: clears the CUDA runtime's last error, which the next row's first launch
/// would report as its own. An error that destroyed the context stays. Does nothing without CUDA.
void forget_cuda_error();

}  // namespace ratchet::timing
