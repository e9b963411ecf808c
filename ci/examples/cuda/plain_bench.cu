// A Google Benchmark program with a kernel, as somebody has it who knows nothing of ratchet:
// `ratchet gate --device-time` times its kernel as it is.
#include <benchmark/benchmark.h>

#include "axpy.cuh"

void Axpy(benchmark::State& state) {
  for (auto _ : state) {
    axpy<<<4096, 256>>>(2);
    if (const cudaError_t error = cudaDeviceSynchronize()) state.SkipWithError(cudaGetErrorString(error));
  }
}
BENCHMARK(Axpy);
BENCHMARK_MAIN();
