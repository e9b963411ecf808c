// time_row() in a Google Benchmark program, which is this one. What its rows report; on a GPU,
// whether a known kernel takes by CUPTI what it takes by CUDA events.
#include <gtest/gtest.h>
#include <stdlib.h>
#if RATCHET_HAVE_CUDA
#include "correctness/perf/measure/gpu_kernels.h"
#include "kernels/support/cuda_check.h"
#endif

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "correctness/support/expect_has.h"
#include "kernels/support/cuda_device.h"
#include "perf/measure/google_benchmark.h"
#include "perf/measure/workloads/slowed_instance.h"
#include "perf/stats/quantile.h"

namespace ratchet::timing {
namespace {

using ReportedRow = benchmark::BenchmarkReporter::Run;

/// Keeps what Google Benchmark would print.
struct Rows final : benchmark::BenchmarkReporter {
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<ReportedRow>& some) override {
    runs.insert(runs.end(), some.begin(), some.end());
  }
  std::vector<ReportedRow> runs;
};

/// The one row of this benchmark.
ReportedRow row_of(const std::string& name, const std::function<void(benchmark::State&)>& body) {
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(name.c_str(), body)->Iterations(1)->UseManualTime();
  Rows rows;
  benchmark::RunSpecifiedBenchmarks(&rows);
  benchmark::ClearRegisteredBenchmarks();
  if (rows.runs.size() != 1)
    throw std::runtime_error(name + " has " + std::to_string(rows.runs.size()) + " rows");
  return rows.runs.front();
}

/// Why a row failed; empty if it did not. Google Benchmark has other words for it since 1.8.
template <class AnyRun>
std::string failure_of(const AnyRun& run) {
  if constexpr (requires { run.error_message; })
    return run.error_message;
  else
    return run.skip_message;
}

double seconds_of(const ReportedRow& run) {
  return run.real_accumulated_time / static_cast<double>(run.iterations);
}
/// 0 where the row has none of this name.
double counter(const ReportedRow& run, const std::string& name) {
  const auto found = run.counters.find(name);
  return found == run.counters.end() ? 0 : found->second.value;
}

/// Keeps its CPU busy.
void busy(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) continue;
}

TEST(TimeRow, ALoopOfGoogleBenchmarksOwnIsRefused) {
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(
      "Forgot", [](benchmark::State& state) { time_row(state, Backend::cpu, [] { busy(1e-5); }); });
  Rows rows;
  benchmark::RunSpecifiedBenchmarks(&rows);
  benchmark::ClearRegisteredBenchmarks();
  ASSERT_EQ(rows.runs.size(), 1u);
  EXPECT_HAS(failure_of(rows.runs.front()), "->Iterations(1)->UseManualTime()");
}

TEST(TimeRow, OfACpuIsOneIterationOfItsWorksTime) {
  int calls = 0;
  const ReportedRow run = row_of("Busy", [&](benchmark::State& state) {
    time_row(state, Backend::cpu, [&] {
      ++calls;
      busy(2e-4);
    });
  });
  EXPECT_EQ(failure_of(run), "");
  EXPECT_EQ(run.benchmark_name().rfind("Busy", 0), 0u) << run.benchmark_name();
  EXPECT_EQ(run.iterations, 1);
  // Never shorter; longer where others have the CPU, which the lower quartile mostly bears.
  EXPECT_GE(seconds_of(run), 2e-4);
  EXPECT_LT(seconds_of(run), 4e-4);
  EXPECT_GE(counter(run, "samples"), 10);
  // The warm-up alone fills 0.1 s.
  EXPECT_GT(calls, counter(run, "samples") + 30);
  EXPECT_EQ(counter(run, "kernels"), 0);
  EXPECT_EQ(run.report_label, "wall");
}

TEST(TimeRow, WaitsForWhatTheWorkStarted) {
  std::thread started;
  const ReportedRow run = row_of("Started", [&](benchmark::State& state) {
    time_row(
        state, Backend::cpu, [&] { started = std::thread([] { busy(2e-3); }); },
        [&] { started.join(); }, true);
  });
  EXPECT_EQ(failure_of(run), "");
  EXPECT_GE(seconds_of(run), 2e-3);
}

TEST(TimeRow, WhatThrowsFailsItsRowAlone) {
  const ReportedRow failed = row_of("Throws", [](benchmark::State& state) {
    time_row(state, Backend::cpu, [] { throw std::runtime_error("no such table"); });
  });
  EXPECT_EQ(failure_of(failed), "no such table");
  const ReportedRow next = row_of(
      "Busy", [](benchmark::State& state) { time_row(state, Backend::cpu, [] { busy(1e-4); }); });
  EXPECT_EQ(failure_of(next), "");
}

TEST(TimeRow, AColdRowIsOfAGpu) {
  bool called = false;
  for (const Backend backend : {Backend::cpu, Backend::hybrid, Backend::opencl}) {
    const ReportedRow run = row_of("Cold", [&](benchmark::State& state) {
      time_row(state, backend, [&] { called = true; }, {.cold = true});
    });
    EXPECT_EQ(failure_of(run),
              "a cold row evicts the L2 cache of a GPU: use Backend::cuda, or leave out .cold");
  }
  EXPECT_FALSE(called);
  if (cuda_availability().ok) return;
  const auto none = [&](bool cold) {
    return failure_of(row_of("Cold", [&](benchmark::State& state) {
      time_row(state, Backend::cuda, [&] { called = true; }, {.cold = cold});
    }));
  };
  EXPECT_NE(none(true), "");
  EXPECT_EQ(none(true), none(false));
  EXPECT_FALSE(called);
}

TEST(TimeRow, WhatComesBeforeASampleIsNotTimed) {
  std::string order;
  AnyWork work(
      Backend::cpu, [&] { order += "work "; }, [&] { order += "wait "; },
      [&] {
        order += "before ";
        busy(5e-3);
      });
  EXPECT_LT(make_timer(Backend::cpu)->time(work).cpu_seconds, 5e-3);
  EXPECT_EQ(order, "before work wait ");
}

/// A kernel of some tenths of a millisecond on every SM, which takes the same number of cycles each
/// time; alone, or the kernels of other tests would have their share of it.
class TimeRowCudaAlone : public testing::Test {
 protected:
  void SetUp() override {
    if (const Availability cuda = cuda_availability(); !cuda.ok) GTEST_SKIP() << cuda.reason;
    const TimerKind kind = make_timer(Backend::cuda)->kind();
    if (kind != TimerKind::cupti)
      GTEST_SKIP() << "CUPTI cannot be had here: " << to_string(kind) << " time kernels";
    spin_ = make_cuda_slowdown();
    spin_->set_iterations(200'000);
  }
  /// A row of `kernels` launches a call; after each, waits, and lets the GPU be idle so long.
  ReportedRow spins(int kernels, double idle_s = 0) {
    return row_of("Spin", [&](benchmark::State& state) {
      time_row(state, Backend::cuda, [&] { launch(kernels, idle_s); });
    });
  }
  void launch(int kernels, double idle_s) {
    for (int i = 0; i < kernels; ++i) {
      spin_->run();
      if (idle_s <= 0) continue;
      spin_->wait();
      busy(idle_s);
    }
  }
  /// The same work between two CUDA events: the median of many runs behind some that warm up.
  double by_events(int kernels, double idle_s = 0) {
    AnyWork work(
        Backend::cuda, [&] { launch(kernels, idle_s); }, [&] { spin_->wait(); });
    const auto timer = make_timer(Backend::cuda, {.kind = TimerKind::events, .sm_clock = false});
    std::vector<double> seconds;
    for (int i = 0; i < 60; ++i) {
      const double taken = timer->time(work).seconds;
      if (i >= 20) seconds.push_back(taken);
    }
    return stats::median(seconds);
  }
  std::unique_ptr<InjectedSlowdown> spin_;
};

TEST_F(TimeRowCudaAlone, KernelsTakeByCuptiWhatTheyTakeByEvents) {
  const ReportedRow one = spins(1), three = spins(3);
  for (const ReportedRow& run : {one, three}) {
    EXPECT_EQ(failure_of(run), "");
    EXPECT_EQ(run.benchmark_name().rfind("Spin", 0), 0u) << run.benchmark_name();
    EXPECT_EQ(run.report_label, "cupti");
    EXPECT_GE(counter(run, "samples"), 10);
    EXPECT_GT(counter(run, "sm_clock_mhz"), 100);
    EXPECT_LT(counter(run, "sm_clock_mhz"), 10'000);
  }
  EXPECT_EQ(counter(one, "kernels"), 1);
  EXPECT_EQ(counter(three, "kernels"), 3);
  EXPECT_NEAR(seconds_of(three), 3 * seconds_of(one), 0.05 * seconds_of(three));
  // Events add what lies between them and the kernels: some microseconds.
  const double events = by_events(3);
  EXPECT_GT(seconds_of(three), 1e-4) << "too short to be compared with events";
  EXPECT_LT(seconds_of(three), 1.05 * events);
  EXPECT_GT(seconds_of(three), 0.95 * events - 20e-6);
}

TEST_F(TimeRowCudaAlone, AnIdleGpuIsNoPartOfTheTime) {
  const double idle = 2e-3;
  const ReportedRow busy_row = spins(2), idle_row = spins(2, idle);
  EXPECT_EQ(failure_of(idle_row), "");
  EXPECT_EQ(counter(idle_row, "kernels"), 2);
  // The clock may fall while it is idle, by less than this.
  EXPECT_NEAR(seconds_of(idle_row), seconds_of(busy_row), 0.2 * seconds_of(busy_row));
  EXPECT_GT(by_events(2, idle), seconds_of(idle_row) + idle);
  // One of the two waits lies between the kernels.
  EXPECT_GE(counter(idle_row, "gaps_ms"), 1e3 * idle);
  EXPECT_NEAR(counter(idle_row, "span_ms"),
              counter(idle_row, "gaps_ms") + 1e3 * seconds_of(idle_row),
              0.02 * counter(idle_row, "span_ms"));
  EXPECT_EQ(counter(idle_row, "overlap_ms"), 0);
}

TEST_F(TimeRowCudaAlone, EventsWhereTheyAreForced) {
  setenv("RATCHET_TIMER", "events", 1);
  const ReportedRow run = spins(2);
  unsetenv("RATCHET_TIMER");
  EXPECT_EQ(failure_of(run), "");
  EXPECT_EQ(run.report_label, "events");
  EXPECT_EQ(counter(run, "kernels"), 0);
  const double events = by_events(2);
  EXPECT_NEAR(seconds_of(run), events, 0.1 * events);
}

#if RATCHET_HAVE_CUDA
/// Streams that do not wait for the default stream, nor it for them.
struct Streams {
  Streams() {
    for (cudaStream_t& each : streams)
      RATCHET_CUDA(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking));
    for (cudaEvent_t& each : events)
      RATCHET_CUDA(cudaEventCreateWithFlags(&each, cudaEventDisableTiming));
  }
  ~Streams() {
    for (cudaStream_t each : streams) cudaStreamDestroy(each);
    for (cudaEvent_t each : events) cudaEventDestroy(each);
  }
  /// A spin on each stream. The second begins after the first stream reached this point, and the
  /// first stream goes on after both.
  void fork(long long cycles) {
    RATCHET_CUDA(cudaEventRecord(events[0], streams[0]));
    RATCHET_CUDA(cudaStreamWaitEvent(streams[1], events[0]));
    for (cudaStream_t each : streams) launch_spin(cycles, each);
    RATCHET_CUDA(cudaEventRecord(events[1], streams[1]));
    RATCHET_CUDA(cudaStreamWaitEvent(streams[0], events[1]));
  }
  /// What `launches` launches on the first stream, as a graph.
  template <class Launches>
  std::shared_ptr<CUgraphExec_st> graph_of(const Launches& launches) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    RATCHET_CUDA(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
    launches();
    RATCHET_CUDA(cudaStreamEndCapture(streams[0], &graph));
    RATCHET_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    RATCHET_CUDA(cudaGraphDestroy(graph));
    return {executable, cudaGraphExecDestroy};
  }
  cudaStream_t streams[2] = {};
  cudaEvent_t events[2] = {};
};

constexpr long long kCycles = 1'000'000;  // half a millisecond and more

TEST_F(TimeRowCudaAlone, ConcurrentKernelsCountOnce) {
  Streams on;
  const auto row = [](const char* name, const std::function<void()>& work) {
    return row_of(name, [&](benchmark::State& state) { time_row(state, Backend::cuda, work); });
  };
  const ReportedRow one = row("One", [&] { launch_spin(kCycles, on.streams[0]); }),
                    two = row("Two", [&] { on.fork(kCycles); });
  EXPECT_EQ(failure_of(one), "");
  EXPECT_EQ(failure_of(two), "");
  EXPECT_EQ(counter(one, "kernels"), 1);
  EXPECT_EQ(counter(two, "kernels"), 2);
  EXPECT_GT(seconds_of(one), 3e-4);
  EXPECT_NEAR(seconds_of(two), seconds_of(one), 0.1 * seconds_of(one));
  EXPECT_NEAR(counter(two, "overlap_ms"), 1e3 * seconds_of(one), 0.1e3 * seconds_of(one));
  EXPECT_EQ(counter(one, "overlap_ms"), 0);
  EXPECT_EQ(counter(two, "gaps_ms"), 0);
}

/// The graphs are instantiated before their rows begin, and launched by rows that follow others.
TEST_F(TimeRowCudaAlone, AGraphIsItsKernelsOnEveryRow) {
  Streams on;
  const auto four = on.graph_of([&] {
    for (int i = 0; i < 4; ++i) launch_spin(kCycles, on.streams[0]);
  });
  const auto fork = on.graph_of([&] { on.fork(kCycles); });
  const auto row = [&](const char* name, const std::shared_ptr<CUgraphExec_st>& graph) {
    return row_of(name, [&](benchmark::State& state) {
      time_row(state, Backend::cuda,
               [&] { RATCHET_CUDA(cudaGraphLaunch(graph.get(), on.streams[0])); });
    });
  };
  const ReportedRow one = row_of("One", [&](benchmark::State& state) {
    time_row(state, Backend::cuda, [&] { launch_spin(kCycles, on.streams[0]); });
  });
  for (int i = 0; i < 2; ++i) {
    const ReportedRow all = row("Four", four), two = row("Fork", fork);
    EXPECT_EQ(failure_of(all), "");
    EXPECT_EQ(failure_of(two), "");
    EXPECT_EQ(all.report_label, "cupti");
    EXPECT_EQ(counter(all, "kernels"), 4);
    EXPECT_NEAR(seconds_of(all), 4 * seconds_of(one), 0.1 * seconds_of(all));
    EXPECT_EQ(counter(two, "kernels"), 2);
    EXPECT_NEAR(seconds_of(two), seconds_of(one), 0.1 * seconds_of(one));
    EXPECT_NEAR(counter(two, "overlap_ms"), 1e3 * seconds_of(one), 0.1e3 * seconds_of(one));
  }
}

TEST_F(TimeRowCudaAlone, WorkOnANonBlockingStreamIsWaitedFor) {
  Streams on;
  setenv("RATCHET_TIMER", "wall", 1);
  const ReportedRow run = row_of("Wall", [&](benchmark::State& state) {
    time_row(state, Backend::cuda, [&] { launch_spin(kCycles, on.streams[0]); });
  });
  unsetenv("RATCHET_TIMER");
  EXPECT_EQ(failure_of(run), "");
  EXPECT_GT(seconds_of(run), 3e-4);
}

/// Loads that follow each other, each of a line that the L2 cache holds, or not.
TEST_F(TimeRowCudaAlone, AColdRowFindsNothingInTheL2Cache) {
  constexpr std::uint32_t lines = 4096, words = 64;  // of 256 bytes: 1 MiB
  std::vector<std::uint32_t> next(lines * words);
  for (std::uint32_t i = 0; i < lines; ++i) next[i * words] = (i + 1663) % lines * words;
  void* memory = nullptr;
  RATCHET_CUDA(cudaMalloc(&memory, next.size() * sizeof next[0]));
  const std::shared_ptr<void> buffer(memory, [](void* each) { cudaFree(each); });
  RATCHET_CUDA(cudaMemcpy(memory, next.data(), next.size() * sizeof next[0], cudaMemcpyDefault));
  const auto* const first = static_cast<const std::uint32_t*>(memory);
  const auto row = [&](bool cold) {
    return row_of("Chase", [&](benchmark::State& state) {
      time_row(state, Backend::cuda, [&] { launch_chase(first, lines, nullptr, cudaStreamLegacy); },
               {.cold = cold});
    });
  };
  for (const char* timer : {"cupti", "events"}) {
    setenv("RATCHET_TIMER", timer, 1);
    const ReportedRow warm = row(false), cold = row(true);
    unsetenv("RATCHET_TIMER");
    EXPECT_EQ(failure_of(cold), "") << timer;
    EXPECT_EQ(warm.report_label, timer);
    EXPECT_EQ(cold.report_label, timer + std::string(", cold"));
    EXPECT_EQ(counter(warm, "cold"), 0);
    EXPECT_EQ(counter(cold, "cold"), 1);
    EXPECT_EQ(counter(cold, "kernels"), counter(warm, "kernels"));
    // A load from memory takes twice as long as one from the cache. The eviction itself would add
    // some 50 us to these milliseconds.
    EXPECT_GT(seconds_of(cold), 1.3 * seconds_of(warm)) << timer;
    EXPECT_LT(seconds_of(cold), 10 * seconds_of(warm)) << timer;
  }
}

TEST_F(TimeRowCudaAlone, ALaunchThatFailsFailsItsRowByAnyTimer) {
  const auto bad = [] { return cudaMemsetAsync(nullptr, 0, 1 << 20); };
  for (const char* timer : {"cupti", "events", "wall"}) {
    setenv("RATCHET_TIMER", timer, 1);
    const ReportedRow run = row_of(
        "Bad", [&](benchmark::State& state) { time_row(state, Backend::cuda, [&] { bad(); }); });
    unsetenv("RATCHET_TIMER");
    EXPECT_EQ(failure_of(run).rfind("a CUDA launch of this benchmark failed: ", 0), 0u)
        << timer << ": " << failure_of(run);
  }
  EXPECT_EQ(failure_of(spins(1)), "");
}
#endif

TEST_F(TimeRowCudaAlone, WorkWithoutAKernelFailsItsRowAlone) {
  const ReportedRow empty =
      row_of("Empty", [](benchmark::State& state) { time_row(state, Backend::cuda, [] {}); });
  EXPECT_EQ(failure_of(empty), "CUPTI recorded no kernel for the run; use RATCHET_TIMER=events");
  EXPECT_EQ(failure_of(spins(1)), "");
}

}  // namespace
}  // namespace ratchet::timing
