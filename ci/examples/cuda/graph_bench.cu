// A kernel with a warm and a cold L2 cache, in a graph, and on two streams.
#include <ratchet/timing.h>

#include "axpy.cuh"

using ratchet::Backend;
using ratchet::timing::time_row;

void Warm(benchmark::State& state) {
  time_row(state, Backend::cuda, [] { axpy<<<4096, 256>>>(2); });
}
BENCHMARK(Warm)->Iterations(1)->UseManualTime();

void Cold(benchmark::State& state) {
  time_row(state, Backend::cuda, [] { axpy<<<4096, 256>>>(2); }, {.cold = true});
}
BENCHMARK(Cold)->Iterations(1)->UseManualTime();

/// Eight launches, captured once and launched by one call.
void Graph(benchmark::State& state) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t eight;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < 8; ++i) axpy<<<4096, 256, 0, stream>>>(2);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&eight, graph, 0);
  time_row(state, Backend::cuda, [&] { cudaGraphLaunch(eight, stream); });
  cudaGraphExecDestroy(eight);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
BENCHMARK(Graph)->Iterations(1)->UseManualTime();

/// Two launches of 32 blocks, which a GPU runs at once.
void Streams(benchmark::State& state) {
  cudaStream_t streams[2];
  for (cudaStream_t& each : streams) cudaStreamCreate(&each);
  time_row(state, Backend::cuda, [&] {
    for (cudaStream_t each : streams) axpy_slowly<<<32, 256, 0, each>>>(2);
  });
  for (cudaStream_t each : streams) cudaStreamDestroy(each);
}
BENCHMARK(Streams)->Iterations(1)->UseManualTime();
BENCHMARK_MAIN();
