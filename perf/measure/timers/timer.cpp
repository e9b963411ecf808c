#include "perf/measure/timers/timer.h"

#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "perf/support/error.h"

namespace ratchet::timing {
namespace {

class WallTimer final : public Timer {
 public:
  explicit WallTimer(Watched watched) : watched_(watched) {}
  Sample time_run(Instance& instance) override {
    const std::uint64_t switches_before = involuntary_switches(watched_);
    const double cpu_before = process_cpu_seconds();
    const auto begin = std::chrono::steady_clock::now();
    instance.run();
    instance.wait();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    Sample sample;
    sample.seconds = sample.span_seconds = elapsed.count();
    sample.cpu_seconds = process_cpu_seconds() - cpu_before;
    sample.preemptions = involuntary_switches(watched_) - switches_before;
    return sample;
  }
  TimerKind kind() const override { return TimerKind::wall; }

 private:
  Watched watched_;
};

/// Uses the profiled times of the stage's queue, summed by the stage.
class OpenclTimer final : public Timer {
 public:
  explicit OpenclTimer(const TimerOptions& options)
      : wall_(options.watched), forced_(options.kind == TimerKind::opencl) {}

  Sample time_run(Instance& instance) override {
    Sample sample = wall_.time_run(instance);  // for CPU time, preemptions and as a fallback
    const std::optional<DeviceTime> device = instance.device_time();
    kind_ = device ? TimerKind::opencl : TimerKind::wall;
    if (!device) {
      refuse_or_say();
      return sample;
    }
    sample.seconds = device->seconds;
    sample.span_seconds = device->span_seconds;
    sample.kernels = device->kernels;
    return sample;
  }
  TimerKind kind() const override { return kind_; }

 private:
  void refuse_or_say() const {
    if (forced_) throw Error("RATCHET_TIMER=opencl: the stage reports no times of an OpenCL queue");
    static bool said = false;
    if (!said)
      std::fprintf(stderr, "ratchet: %s\n",
                   "a stage reports no times of its OpenCL queue; it is timed by the wall clock");
    said = true;
  }

  WallTimer wall_;
  bool forced_;
  TimerKind kind_ = TimerKind::opencl;
};

std::optional<TimerKind> kind_from_environment() {
  const char* value = std::getenv("RATCHET_TIMER");
  if (!value || !*value) return std::nullopt;
  for (const TimerKind kind :
       {TimerKind::cupti, TimerKind::events, TimerKind::wall, TimerKind::opencl})
    if (to_string(kind) == value) return kind;
  throw Error(std::string("RATCHET_TIMER is '") + value + "'; give cupti, events, wall or opencl");
}

}  // namespace

std::string_view to_string(TimerKind kind) {
  switch (kind) {
    case TimerKind::cupti:
      return "cupti";
    case TimerKind::events:
      return "events";
    case TimerKind::wall:
      return "wall";
    case TimerKind::opencl:
      return "opencl";
  }
  return "unknown";
}

double process_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string attached_profiler() {
  // Variables set by Nsight Compute, Nsight Systems, compute-sanitizer and other injected tools.
  for (char** entry = environ; entry && *entry; ++entry) {
    const char* const end = std::strchr(*entry, '=');
    if (!end || !end[1]) continue;
    const std::string name(*entry, static_cast<std::size_t>(end - *entry));
    for (const char* sign :
         {"NV_NSIGHT_INJECTION", "NV_TPS_LAUNCH", "NV_SANITIZER_INJECTION",
          "NSYS_PROFILING_SESSION", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})
      if (name.rfind(sign, 0) == 0) return name + " is set";
    if (name == "LD_PRELOAD")
      for (const char* sign : {"TreeLauncher", "ToolsInjection", "nsight", "nsys"})
        if (std::strstr(end, sign)) return "LD_PRELOAD holds a profiler's library";
  }
  return "";
}

std::unique_ptr<Timer> make_timer(Backend backend, const TimerOptions& options) {
  TimerOptions wanted = options;
  // Always read, so that a misspelt override is an error.
  const std::optional<TimerKind> from_environment = kind_from_environment();
  if (!wanted.kind) wanted.kind = from_environment;
  const bool timed_elsewhere = backend == Backend::cuda || backend == Backend::opencl;
  if (!timed_elsewhere || wanted.kind == TimerKind::wall)
    return std::make_unique<WallTimer>(wanted.watched);
  // An override for one of the two backends does not concern the other.
  if (wanted.kind && (wanted.kind == TimerKind::opencl) != (backend == Backend::opencl))
    wanted.kind.reset();
  if (backend == Backend::cuda) return make_cuda_timer(wanted);
  return std::make_unique<OpenclTimer>(wanted);
}

}  // namespace ratchet::timing
