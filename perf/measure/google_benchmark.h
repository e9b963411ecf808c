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
// and reported as one iteration. On a GPU the time is that in which its kernels run, by CUPTI
// activity records: on any stream, concurrently, or as nodes of a graph. If another profiler holds
// CUPTI, it is measured by CUDA events, with a message.
// On the CPU it is wall time. Google Benchmark's own loop chooses iterations by CPU time and
// includes launches and idle time.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  AnyWork(Backend backend, std::function<void()> work, std::function<void()> wait,
          std::function<void()> before = {})
      : cuda_(backend == Backend::cuda),
        work_(std::move(work)),
        wait_(std::move(wait)),
        before_(std::move(before)) {}
  void reset() override {
    if (before_) before_();
  }
  void run() override { work_(); }
  void wait() override {
    if (wait_) wait_();
    if (cuda_) finish_cuda_work();  // what failed took no time
  }
  std::uint64_t units() const override { return 1; }

 private:
  bool cuda_;
  std::function<void()> work_, wait_, before_;
};

/// Google Benchmark has State::name() since 1.8.
template <class State>
std::string name_of(const State& state) {
  if constexpr (requires { state.name(); })
    return state.name();
  else
    return "benchmark";
}

struct RowOptions {
  /// Returns when the work that was started on threads is done. The current GPU is waited for
  /// without it, all its streams included.
  std::function<void()> wait = {};
  bool threads = false;  ///< CPU work (Backend::cpu) is not pinned to one CPU
  /// For Backend::cuda: before each sample, and not timed, the GPU's L2 cache is evicted. The row
  /// has the counter "cold", and is not comparable with one without.
  bool cold = false;
};

/// Times `work`, which must do the whole work at every call, and reports it as the one iteration of
/// a benchmark with ->Iterations(1)->UseManualTime(). Counters: "samples", "spread" (interquartile
/// range over the median), and on a GPU "kernels" (of one call), "sm_clock_mhz" and, over 1 % of
/// the span from the first start to the last end, "gaps_ms" and "overlap_ms" next to "span_ms"
/// (counter_keys.h). An exception fails the row with its message.
inline void time_row(benchmark::State& state, Backend backend, std::function<void()> work,
                     RowOptions options) {
  try {
    std::optional<CpuPin> pin;
    if (backend == Backend::cpu && !options.threads) pin.emplace();
    if (state.max_iterations != 1)
      throw Error(
          "time_row() takes the samples itself: register the benchmark with "
          "->Iterations(1)->UseManualTime()");
    if (options.cold && backend != Backend::cuda)
      throw Error("a cold row evicts the L2 cache of a GPU: use Backend::cuda, or leave out .cold");
    if (backend == Backend::cuda) require_cuda_device();  // or else, by wall time, nothing is timed
    AnyWork instance(backend, std::move(work), std::move(options.wait),
                     options.cold ? make_l2_eviction() : std::function<void()>());
    const auto timer = make_timer(backend);
    const NvtxRange whole(name_of(state));
    std::vector<double> overlaps;
    const Measurement measured =
        measure([&] { return timer->time(instance); }, plan_for(backend), real_clock(), 0,
                [&](const Sample&) { overlaps.push_back(timer->overlap_seconds()); });
    const Summary& summary = measured.summary;
    for (auto _ : state) state.SetIterationTime(summary.seconds);
    state.counters[counter::samples] = static_cast<double>(measured.samples.size());
    state.counters[counter::spread] = summary.spread;
    if (summary.kernels > 0) state.counters[counter::kernels] = summary.kernels;
    if (summary.sm_clock_mhz > 0) state.counters[counter::sm_clock_mhz] = summary.sm_clock_mhz;
    const auto median = overlaps.begin() + static_cast<std::ptrdiff_t>(overlaps.size() / 2);
    std::nth_element(overlaps.begin(), median, overlaps.end());
    const double gaps_s = summary.gap_seconds(), overlap_s = *median;
    const bool gaps = summary.matters(gaps_s), overlap = summary.matters(overlap_s);
    if (gaps || overlap) state.counters[counter::span_ms] = 1e3 * summary.span_seconds;
    if (gaps) state.counters[counter::gaps_ms] = 1e3 * gaps_s;
    if (overlap) state.counters[counter::overlap_ms] = 1e3 * overlap_s;
    if (options.cold) state.counters[counter::cold] = 1;
    state.SetLabel(std::string(to_string(timer->kind())) + (options.cold ? ", cold" : ""));
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

/// The same with RowOptions::wait and RowOptions::threads.
inline void time_row(benchmark::State& state, Backend backend, std::function<void()> work,
                     std::function<void()> wait = {}, bool threads = false) {
  time_row(state, backend, std::move(work),
           RowOptions{.wait = std::move(wait), .threads = threads});
}

}  // namespace ratchet::timing
