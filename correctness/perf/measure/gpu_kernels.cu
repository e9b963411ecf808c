#include "correctness/perf/measure/gpu_kernels.h"
#include "kernels/support/cuda_check.h"

namespace ratchet::timing {
namespace {

__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) continue;
}

__global__ void chase(const std::uint32_t* next, std::size_t steps, std::uint32_t* sink) {
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < steps; ++i) at = __ldcg(next + at);
  if (at == UINT32_MAX) *sink = at;  // the compiler cannot know that it never is
}

}  // namespace

void launch_spin(long long cycles, cudaStream_t stream) {
  spin<<<1, 32, 0, stream>>>(cycles);
  RATCHET_CUDA_LAUNCHED();
}

void launch_chase(const std::uint32_t* next, std::size_t steps, std::uint32_t* sink,
                  cudaStream_t stream) {
  chase<<<1, 1, 0, stream>>>(next, steps, sink);
  RATCHET_CUDA_LAUNCHED();
}

}  // namespace ratchet::timing
