#include <cuda_runtime_api.h>

#include <algorithm>

#include "kernels/support/cuda_check.h"
#include "kernels/support/cuda_device.h"
#include "perf/measure/peaks/probes.h"

namespace ratchet::peaks {
namespace {

constexpr double kLongEnough = 4e-3;  // seconds: launch overhead is a few microseconds
constexpr int kRuns = 25;             // a tenth of a second at least: clocks rise from idle first

class EventPair {
 public:
  EventPair() {
    RATCHET_CUDA(cudaEventCreate(&begin_));
    const cudaError_t status = cudaEventCreate(&end_);
    if (status != cudaSuccess) cudaEventDestroy(begin_);
    RATCHET_CUDA(status);
  }
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;
  ~EventPair() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  double seconds(const Launch& launch, int iterations) {
    RATCHET_CUDA(cudaEventRecord(begin_, cudaStreamLegacy));
    launch(iterations);
    RATCHET_CUDA_LAUNCHED();
    RATCHET_CUDA(cudaEventRecord(end_, cudaStreamLegacy));
    RATCHET_CUDA(cudaEventSynchronize(end_));
    float milliseconds = 0;
    RATCHET_CUDA(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return 1e-3 * milliseconds;
  }

 private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace

double best_rate(const Launch& launch, double per_iteration) {
  EventPair events;
  int iterations = 1;
  events.seconds(launch, iterations);  // loads the kernel
  while (events.seconds(launch, iterations) < kLongEnough && iterations < (1 << 28))
    iterations *= 2;
  double best = 0;
  for (int run = 0; run < kRuns; ++run)
    best = std::max(best, iterations * per_iteration / events.seconds(launch, iterations));
  return best;
}

int multiprocessors() {
  if (const Availability device = cuda_availability(); !device.ok) throw Error(device.reason);
  int device = 0, count = 0;
  RATCHET_CUDA(cudaGetDevice(&device));
  RATCHET_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

}  // namespace ratchet::peaks
