// Threads that a CUDA device starts per second, in blocks whose threads end at once. Threads start
// by block, so there is a rate for large blocks and one for blocks of one warp.
//
// Verified in the disassembly (cuobjdump -sass): a test of the argument, which the compiler does
// not know, and EXIT; the store after it is never reached.
#include <cstdint>

#include "perf/measure/peaks/probes.h"

namespace ratchet::peaks {
namespace {

__global__ void start_and_end(std::uint32_t* never) {
  if (never != nullptr) never[threadIdx.x] = blockIdx.x;
}

template <unsigned kThreads>
double start_rate() {
  // Many times the threads that a device holds at once.
  const unsigned blocks = 64 * static_cast<unsigned>(multiprocessors());
  const Launch launch = [&](int iterations) {
    start_and_end<<<blocks* static_cast<unsigned>(iterations), kThreads>>>(nullptr);
  };
  return best_rate(launch, 1.0 * blocks * kThreads);
}

}  // namespace

std::vector<Probe> cuda_thread_probes() {
  const char* threads = "threads";
  return {{"cuda.threads_started", threads, "blocks of 256 that end at once", start_rate<256>},
          {"cuda.threads_started_32", threads, "blocks of 32 that end at once", start_rate<32>}};
}

}  // namespace ratchet::peaks
