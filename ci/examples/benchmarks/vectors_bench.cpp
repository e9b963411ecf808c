// Somebody's Google Benchmark program, which knows nothing of ratchet: sums and dot products, a name
// used twice, and a benchmark whose work the compiler removes.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <numeric>
#include <vector>

namespace {

std::vector<double> numbers(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

void Dot(benchmark::State& state) {
  const auto a = numbers(static_cast<std::size_t>(state.range(0))), b = a;
  for (auto _ : state)
    benchmark::DoNotOptimize(std::inner_product(a.begin(), a.end(), b.begin(), 0.0));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Dot)->Arg(1000)->Arg(20000);

void Sum(benchmark::State& state) {
  const auto values = numbers(4096);
  for (auto _ : state) benchmark::DoNotOptimize(std::accumulate(values.begin(), values.end(), 0.0));
}
BENCHMARK(Sum);
BENCHMARK(Sum);  // a slip: two benchmarks of one name

void Removed(benchmark::State& state) {
  double sum = 0;
  for (auto _ : state) sum += 1;
}
BENCHMARK(Removed);

}  // namespace

BENCHMARK_MAIN();
