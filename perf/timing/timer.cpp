#include "perf/timing/timer.h"

#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "kernels/support/error.h"

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

std::optional<TimerKind> kind_from_environment() {
  const char* value = std::getenv("RATCHET_TIMER");
  if (!value || !*value) return std::nullopt;
  for (const TimerKind kind : {TimerKind::cupti, TimerKind::events, TimerKind::wall})
    if (to_string(kind) == value) return kind;
  throw Error(std::string("RATCHET_TIMER is '") + value + "'; give cupti, events or wall");
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
  }
  return "unknown";
}

double process_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string attached_profiler() {
  // What Nsight Compute, Nsight Systems, compute-sanitizer and other injected tools leave behind.
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
  // Read in any case: a misspelt override must not pass for none.
  const std::optional<TimerKind> from_environment = kind_from_environment();
  if (!wanted.kind) wanted.kind = from_environment;
  if (backend != Backend::cuda || wanted.kind == TimerKind::wall)
    return std::make_unique<WallTimer>(wanted.watched);
  return make_cuda_timer(wanted);
}

}  // namespace ratchet::timing
