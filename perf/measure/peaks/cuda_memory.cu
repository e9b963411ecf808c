// Memory peaks of a CUDA device: DRAM copy, L2 reads, shared-memory atomics.
#include <algorithm>

#include "kernels/support/device_buffer.h"
#include "perf/measure/peaks/probes.h"

namespace ratchet::peaks {
namespace {

constexpr int kThreads = 512;
constexpr int kBlocksPerSm = 4;
constexpr int kInFlight = 4;  // 16-byte loads per thread before the first use

/// Copies `count` 16-byte words `iterations` times. `count` is a multiple of the grid's stride.
__global__ void __launch_bounds__(kThreads)
    copy_words(const uint4* __restrict__ from, uint4* __restrict__ to, std::size_t count,
               int iterations) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (int i = 0; i < iterations; ++i) {
    for (std::size_t at = first; at < count; at += kInFlight * step) {
      uint4 words[kInFlight];
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) words[k] = __ldcs(from + at + k * step);
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) __stcs(to + at + k * step, words[k]);
    }
  }
}

/// Reads `count` words `iterations` times, bypassing the first-level cache.
__global__ void __launch_bounds__(kThreads)
    read_words(const uint4* from, uint4* out, std::size_t count, int iterations) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  uint4 all = {0, 0, 0, 0};
  for (int i = 0; i < iterations; ++i) {
    for (std::size_t at = first; at < count; at += kInFlight * step) {
      uint4 words[kInFlight];
      // volatile: a pass must not reuse the loads of the previous one
#pragma unroll
      for (int k = 0; k < kInFlight; ++k)
        asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(words[k].x), "=r"(words[k].y), "=r"(words[k].z), "=r"(words[k].w)
                     : "l"(from + at + k * step));
#pragma unroll
      for (int k = 0; k < kInFlight; ++k) {
        all.x ^= words[k].x ^ words[k].y;
        all.y ^= words[k].z ^ words[k].w;
      }
    }
  }
  if (all.x == 0x12345678 && all.y == 0x9abcdef0) out[threadIdx.x] = all;
}

constexpr unsigned kBins = 101;  // as many as tiny_mc has shells
constexpr int kAtomics = 32;     // per loop

/// Adds 1 to random bins of a block's table in shared memory.
__global__ void __launch_bounds__(kThreads) count_words(unsigned* out, int iterations) {
  __shared__ unsigned table[kBins];
  for (unsigned bin = threadIdx.x; bin < kBins; bin += blockDim.x) table[bin] = 0;
  __syncthreads();
  unsigned word = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int k = 0; k < kAtomics; ++k) {
      word = word * 1664525u + 1013904223u;  // Numerical Recipes; the high bits choose the bin
      atomicAdd(&table[__umulhi(word, kBins)], 1u);
    }
  }
  __syncthreads();
  if (threadIdx.x < kBins) out[threadIdx.x] = table[threadIdx.x];
}

struct Device {
  int blocks = 0;
  std::size_t free_bytes = 0;
  std::size_t l2_bytes = 0;
};

Device ask() {
  Device device;
  device.blocks = multiprocessors() * kBlocksPerSm;
  std::size_t total = 0;
  RATCHET_CUDA(cudaMemGetInfo(&device.free_bytes, &total));
  int id = 0, l2 = 0;
  RATCHET_CUDA(cudaGetDevice(&id));
  RATCHET_CUDA(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, id));
  device.l2_bytes = static_cast<std::size_t>(l2);
  return device;
}

/// The largest number of 16-byte words within `bytes` that is a multiple of the grid's stride.
std::size_t whole_words(std::size_t bytes, int blocks) {
  const std::size_t stride = std::size_t(blocks) * kThreads * kInFlight;
  return std::max<std::size_t>(bytes / sizeof(uint4) / stride, 1) * stride;
}

double dram_rate() {
  const Device device = ask();
  // Two buffers, each several times the second-level cache and at most a quarter of the free
  // memory.
  const std::size_t words = whole_words(
      std::min<std::size_t>(device.free_bytes / 4, std::size_t{1} << 30), device.blocks);
  DeviceBuffer<uint4> from(words), to(words);
  from.zero();
  const Launch launch = [&](int iterations) {
    copy_words<<<device.blocks, kThreads>>>(from.data(), to.data(), words, iterations);
  };
  return best_rate(launch, 2.0 * words * sizeof(uint4));
}

double l2_rate() {
  const Device device = ask();
  // A quarter of the cache: large devices split it in halves, and a line can be in both.
  const std::size_t words = whole_words(device.l2_bytes / 4, device.blocks);
  DeviceBuffer<uint4> from(words), out(kThreads);
  from.zero();
  const Launch launch = [&](int iterations) {
    read_words<<<device.blocks, kThreads>>>(from.data(), out.data(), words, iterations);
  };
  return best_rate(launch, 1.0 * words * sizeof(uint4));
}

double shared_atomic_rate() {
  const int blocks = multiprocessors() * kBlocksPerSm;
  DeviceBuffer<unsigned> out(kBins);
  const Launch launch = [&](int iterations) {
    count_words<<<blocks, kThreads>>>(out.data(), iterations);
  };
  return best_rate(launch, 1.0 * blocks * kThreads * kAtomics);
}

}  // namespace

std::vector<Probe> cuda_memory_probes() {
  return {{"cuda.dram_bytes", "bytes", "device memory copy, read + written", dram_rate},
          {"cuda.l2_bytes", "bytes", "second-level cache, read", l2_rate},
          {"cuda.smem_atomic_add_u32", "lane operations",
           "shared memory atomicAdd of 1, random of 101 bins", shared_atomic_rate}};
}

}  // namespace ratchet::peaks
