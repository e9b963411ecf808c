// Kernels of NVIDIA's CUDA samples, whose files are included as they are, in graphs, on streams and with a cold L2
// cache. With -DCHANGED=1 each row has a change that users make by mistake.
#include <ratchet/timing.h>

#define main main_of_simple_cuda_graphs
#include "3_CUDA_Features/simpleCudaGraphs/simpleCudaGraphs.cu"
#undef main
#define main main_of_simple_hyper_q
#include "0_Introduction/simpleHyperQ/simpleHyperQ.cu"
#undef main

using ratchet::Backend;
using ratchet::timing::time_row;

constexpr std::size_t elements = 1 << 22, blocks = 512;  // 16 MB, which an L2 cache of a large GPU holds
constexpr int pairs = 32, nodes = 16;
constexpr clock_t ticks = 20000;

struct Reduction {
  float* input = nullptr;
  double *sums = nullptr, *result = nullptr;
  cudaStream_t stream = nullptr;

  Reduction() {
    checkCudaErrors(cudaMalloc(&input, elements * sizeof *input));
    checkCudaErrors(cudaMalloc(&sums, blocks * sizeof *sums));
    checkCudaErrors(cudaMalloc(&result, sizeof *result));
    checkCudaErrors(cudaMemset(input, 0, elements * sizeof *input));
    checkCudaErrors(cudaStreamCreate(&stream));
  }
  ~Reduction() {
    cudaStreamDestroy(stream);
    for (void* each : {(void*)input, (void*)sums, (void*)result}) cudaFree(each);
  }
  /// What their graph does between its copies.
  void run(std::size_t grid) const {
    checkCudaErrors(cudaMemsetAsync(sums, 0, blocks * sizeof *sums, stream));
    checkCudaErrors(cudaMemsetAsync(result, 0, sizeof *result, stream));
    reduce<<<grid, THREADS_PER_BLOCK, 0, stream>>>(input, sums, elements, blocks);
    reduceFinal<<<1, THREADS_PER_BLOCK, 0, stream>>>(sums, result, blocks);
  }
};

/// Captures what `work` launches on `stream`.
template <class Work>
cudaGraphExec_t captured(cudaStream_t stream, Work work) {
  cudaGraph_t graph;
  cudaGraphExec_t made;
  checkCudaErrors(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  work();
  checkCudaErrors(cudaStreamEndCapture(stream, &graph));
  checkCudaErrors(cudaGraphInstantiate(&made, graph, 0));
  checkCudaErrors(cudaGraphDestroy(graph));
  return made;
}

void time_reduction(benchmark::State& state, std::size_t grid, int times, bool cold) {
  const Reduction reduction;
  const cudaGraphExec_t graph = captured(reduction.stream, [&] {
    for (int i = 0; i < times; ++i) reduction.run(grid);
  });
  time_row(state, Backend::cuda, [&] { cudaGraphLaunch(graph, reduction.stream); }, {.cold = cold});
  cudaGraphExecDestroy(graph);
}

/// Changed: the reduction is captured twice.
void Graph(benchmark::State& state) { time_reduction(state, blocks, 1 + CHANGED, false); }
BENCHMARK(Graph)->Iterations(1)->UseManualTime();

/// Changed: a quarter of the blocks.
void Cold(benchmark::State& state) { time_reduction(state, blocks >> 2 * CHANGED, 1, true); }
BENCHMARK(Cold)->Iterations(1)->UseManualTime();

/// Their 32 pairs of kernels on 32 streams. Changed: all on one.
void Streams(benchmark::State& state) {
  clock_t* spent;
  checkCudaErrors(cudaMalloc(&spent, 2 * pairs * sizeof *spent));
  cudaStream_t streams[CHANGED ? 1 : pairs];
  for (cudaStream_t& each : streams) checkCudaErrors(cudaStreamCreate(&each));
  time_row(state, Backend::cuda, [&] {
    for (int i = 0; i < pairs; ++i) {
      const cudaStream_t stream = streams[i % std::size(streams)];
      kernel_A<<<1, 1, 0, stream>>>(spent + 2 * i, ticks);
      kernel_B<<<1, 1, 0, stream>>>(spent + 2 * i + 1, ticks);
    }
  });
  for (cudaStream_t each : streams) cudaStreamDestroy(each);
  cudaFree(spent);
}
BENCHMARK(Streams)->Iterations(1)->UseManualTime();

/// Sixteen small kernels in a graph. Changed: launched one by one, and waited for each time.
void Gaps(benchmark::State& state) {
  const Reduction reduction;
  const auto launch = [&] {
    reduceFinal<<<1, THREADS_PER_BLOCK, 0, reduction.stream>>>(reduction.sums, reduction.result, blocks);
  };
  const cudaGraphExec_t graph = captured(reduction.stream, [&] {
    for (int i = 0; i < nodes; ++i) launch();
  });
  time_row(state, Backend::cuda, [&] {
    if (!CHANGED) cudaGraphLaunch(graph, reduction.stream);
    for (int i = 0; CHANGED && i < nodes; ++i) {
      launch();
      cudaStreamSynchronize(reduction.stream);
    }
  });
  cudaGraphExecDestroy(graph);
}
BENCHMARK(Gaps)->Iterations(1)->UseManualTime();
BENCHMARK_MAIN();
