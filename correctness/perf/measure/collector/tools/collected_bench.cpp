// A stranger's Google Benchmark program with kernels, for the GPU of stand_in/: every way of which
// the collector must tell what is timed. A call takes 2 us of the GPU, in two kernels, longer by
// --slow.
//
//   collected_bench [--slow=PERCENT] [--hold=BYTES] [Google Benchmark's flags]
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <thread>

#include "correctness/perf/measure/collector/stand_in/gpu.h"

namespace {

double slow = 0;
std::uint64_t held = 4096;

void kernel() { launch_for(static_cast<std::uint64_t>(1000 * (1 + slow / 100))); }

void two(benchmark::State& state) {
  for (int i = 0; i < 7; ++i) launch_for(500000);  // prepares
  for (auto _ : state) {
    kernel();
    kernel();
  }
  launch_for(900000);  // and clears up
  state.SetItemsProcessed(state.iterations() * 10);
}

/// Memory before the loop, which it keeps, and in each call, which it releases.
void memory(benchmark::State& state) {
  const std::uint64_t kept = allocate(held), host = allocate(1 << 30, true);
  for (auto _ : state) {
    const std::uint64_t scratch = allocate(1000);
    kernel();
    kernel();
    release(scratch);
  }
  release(kept);
  release(host);
}

void graph(benchmark::State& state) {
  for (auto _ : state) launch_graph({1500, 500});
}

void streams(benchmark::State& state) {
  for (auto _ : state) launch_streams({2000, 500});
}

void paused(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    launch_for(500000);
    state.ResumeTiming();
    kernel();
  }
}

void none(benchmark::State& state) {
  launch_for(1000);
  for (auto _ : state) benchmark::DoNotOptimize(slow);
}

void elsewhere(benchmark::State& state) {
  for (auto _ : state) std::thread(kernel).join();
}

}  // namespace

BENCHMARK(two);
BENCHMARK(two)->Name("process")->MeasureProcessCPUTime();
BENCHMARK(two)->Name("once")->Iterations(1);
BENCHMARK(two)->Name("repeated")->Repetitions(3);
BENCHMARK(two)->Name("threads")->Threads(2);
BENCHMARK(graph);
BENCHMARK(memory)->Iterations(100);
BENCHMARK(streams);
BENCHMARK(paused);
BENCHMARK(none);
BENCHMARK(elsewhere)->Iterations(20);

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], "--slow=", 7) == 0)
      slow = std::atof(argv[i] + 7);
    else if (std::strncmp(argv[i], "--hold=", 7) == 0)
      held = static_cast<std::uint64_t>(std::atoll(argv[i] + 7));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
