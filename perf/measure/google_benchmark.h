// ratchet's timing for any Google Benchmark program:
//
//   #include "perf/measure/google_benchmark.h"
//
//   void Axpy(benchmark::State& state) {
//     ... allocate ...
//     ratchet::timing::time_row(state, ratchet::Backend::cuda, [&] { axpy<<<blocks, 256>>>(x, y);
//     });
//   }
//   BENCHMARK(Axpy)->Iterations(1)->UseManualTime();
//
// The work is warmed up until its time and the clock are steady, sampled until its time is precise,
// and reported as one iteration. On a GPU the time is the durations of its kernels by CUPTI
// activity records. If another profiler holds CUPTI, it is measured by CUDA events, with a message.
// On the CPU it is wall time. Google Benchmark's own loop chooses iterations by CPU time and
// includes launches and idle time.
#pragma once

#include <benchmark/benchmark.h>

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "kernels/contract/stage.h"
#include "perf/measure/counter_keys.h"
#include "perf/measure/nvtx.h"
#include "perf/measure/sampling/measure.h"
#include "perf/measure/timers/timer.h"
#include "perf/support/error.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::timing {

/// The caller's work as an instance that a timer takes.
class AnyWork final : public Instance {
 public:
  AnyWork(Backend backend, std::function<void()> work, std::function<void()> wait)
      : cuda_(backend == Backend::cuda), work_(std::move(work)), wait_(std::move(wait)) {}
  void run() override { work_(); }
  void wait() override {
    if (wait_) wait_();
    if (cuda_) require_cuda_launches();  // one that failed took no time
  }
  std::uint64_t units() const override { return 1; }

 private:
  bool cuda_;
  std::function<void()> work_, wait_;
};

/// Google Benchmark has State::name() since 1.8.
template <class State>
std::string name_of(const State& state) {
  if constexpr (requires { state.name(); })
    return state.name();
  else
    return "benchmark";
}

/// Times `work`, which must do the whole work at every call, and reports it as the one iteration of
/// a benchmark with ->Iterations(1)->UseManualTime(). `wait` returns when the work that `work`
/// started on its own streams or threads is done; the timer itself waits for the GPU's default
/// stream. CPU work (Backend::cpu) is pinned to one CPU unless `threads`. Counters: "samples",
/// "spread" (interquartile range over the median), and on a GPU "kernels" (of one call) and
/// "sm_clock_mhz". An exception fails the row with its message.
inline void time_row(benchmark::State& state, Backend backend, std::function<void()> work,
                     std::function<void()> wait = {}, bool threads = false) {
  try {
    std::optional<CpuPin> pin;
    if (backend == Backend::cpu && !threads) pin.emplace();
    if (state.max_iterations != 1)
      throw Error(
          "time_row() takes the samples itself: register the benchmark with "
          "->Iterations(1)->UseManualTime()");
    if (backend == Backend::cuda) require_cuda_device();  // or else, by wall time, nothing is timed
    AnyWork instance(backend, std::move(work), std::move(wait));
    const auto timer = make_timer(backend);
    const NvtxRange whole(name_of(state));
    const Measurement measured =
        measure([&] { return timer->time(instance); }, plan_for(backend), real_clock());
    const Summary& summary = measured.summary;
    for (auto _ : state) state.SetIterationTime(summary.seconds);
    state.counters[counter::samples] = static_cast<double>(measured.samples.size());
    state.counters[counter::spread] = summary.spread;
    if (summary.kernels > 0) state.counters[counter::kernels] = summary.kernels;
    if (summary.sm_clock_mhz > 0) state.counters[counter::sm_clock_mhz] = summary.sm_clock_mhz;
    state.SetLabel(std::string(to_string(timer->kind())));
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

}  // namespace ratchet::timing
