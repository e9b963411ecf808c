// A Google Benchmark program of one's own, timed as ratchet times.
#include <ratchet/timing.h>

#include <numeric>
#include <vector>

namespace {

void Sum(benchmark::State& state) {
  const std::vector<double> values(1 << 16, 1.0);
  ratchet::timing::time_row(state, ratchet::Backend::cpu, [&] {
    benchmark::DoNotOptimize(std::accumulate(values.begin(), values.end(), 0.0));
  });
}
BENCHMARK(Sum)->Iterations(1)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
