#include "kernels/support/cuda_check.h"
#include "perf/measure/workloads/slowed_instance.h"

namespace ratchet::timing {
namespace {

constexpr int kThreads = 128;  // one warp for each of an SM's four schedulers

/// `sink` is never written. The compiler cannot know that, so it keeps the chain.
__global__ void slowdown_kernel(unsigned long long iterations, unsigned never, unsigned* sink) {
  unsigned x = threadIdx.x + 1;
  for (unsigned long long i = 0; i < iterations; ++i)
    asm volatile("mad.lo.u32 %0, %0, %1, %2;"
                 : "+r"(x)
                 : "r"(0x9e3779b9u), "r"(static_cast<unsigned>(i)));
  if (x == never) *sink = x;
}

class CudaSlowdown final : public InjectedSlowdown {
 public:
  CudaSlowdown() {
    int device = 0;
    RATCHET_CUDA(cudaGetDevice(&device));
    RATCHET_CUDA(cudaDeviceGetAttribute(&blocks_, cudaDevAttrMultiProcessorCount, device));
    RATCHET_CUDA(cudaMalloc(&sink_, sizeof *sink_));
  }
  ~CudaSlowdown() override { cudaFree(sink_); }

  void set_iterations(std::uint64_t iterations) override { iterations_ = iterations; }
  void run() override {
    slowdown_kernel<<<blocks_, kThreads, 0, cudaStreamLegacy>>>(iterations_, 0, sink_);
    RATCHET_CUDA_LAUNCHED();
  }
  void wait() override { RATCHET_CUDA(cudaStreamSynchronize(cudaStreamLegacy)); }

 private:
  int blocks_ = 0;
  std::uint64_t iterations_ = 0;
  unsigned* sink_ = nullptr;
};

}  // namespace

std::unique_ptr<InjectedSlowdown> make_cuda_slowdown() { return std::make_unique<CudaSlowdown>(); }

}  // namespace ratchet::timing
