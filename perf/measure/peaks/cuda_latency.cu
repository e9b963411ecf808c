// Latencies of a CUDA device, measured by one thread with dependent accesses: registers, shared
// memory, second-level cache, device memory. Reported as rates, like all peaks: the latency is one
// second over the rate.
//
// Verified in the disassembly (cuobjdump -sass): a loop holds kChain loads. The address of each
// load is the word of the previous one, with an IMAD.WIDE between them if the word is an index.
#include <algorithm>
#include <cstdint>

#include "kernels/support/device_buffer.h"
#include "perf/measure/peaks/probes.h"

namespace ratchet::peaks {
namespace {

constexpr int kChain = 64;  // steps per loop: loop control is 2 % of the fastest chain

/// LOP3 on LOP3: each depends on the previous one.
__global__ void chain_registers(std::uint32_t* out, std::uint32_t a, std::uint32_t b,
                                int iterations) {
  std::uint32_t x = a;
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int k = 0; k < kChain; ++k)
      asm volatile("lop3.b32 %0, %0, %1, %2, 0x3e;" : "+r"(x) : "r"(a), "r"(b));
  }
  out[0] = x;
}

constexpr unsigned kSharedWords = 8192;  // 32 KiB

/// Each word holds the address of the next one, so there is no arithmetic between two loads.
__global__ void chain_shared(std::uint32_t* out, int iterations) {
  __shared__ std::uint32_t next[kSharedWords];
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(next));
  for (unsigned i = 0; i < kSharedWords; ++i) next[i] = base + 4 * ((5 * i + 1) % kSharedWords);
  std::uint32_t at = base;
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int k = 0; k < kChain; ++k) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
  }
  out[0] = at;
}

constexpr unsigned kLineWords = 32;  // 128 bytes: each load reads another cache line

/// Line i leads to line (1664525 i + 1013904223) mod `lines`, a power of two. That is one cycle
/// through all lines (Hull and Dobell), in an order that a prefetcher cannot predict.
__global__ void link_lines(std::uint32_t* words, std::uint32_t lines) {
  const std::uint32_t line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line < lines)
    words[std::size_t{line} * kLineWords] = (1664525u * line + 1013904223u) & (lines - 1);
}

/// Continues where the last launch stopped, so that it finds no recently read line in the cache.
__global__ void chain_global(const std::uint32_t* words, std::uint32_t* place, int iterations) {
  std::uint32_t at = *place;
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int k = 0; k < kChain; ++k)
      asm volatile("ld.global.cg.u32 %0, [%1];"
                   : "=r"(at)
                   : "l"(words + std::size_t{at} * kLineWords));
  }
  *place = at;
}

double register_rate() {
  multiprocessors();  // throws if there is no device
  DeviceBuffer<std::uint32_t> out(1);
  return best_rate([&](int n) { chain_registers<<<1, 1>>>(out.data(), 3, 5, n); }, kChain);
}

double shared_rate() {
  multiprocessors();
  DeviceBuffer<std::uint32_t> out(1);
  return best_rate([&](int n) { chain_shared<<<1, 1>>>(out.data(), n); }, kChain);
}

/// The rate of a cycle through the largest power of two of lines within `bytes`.
double global_rate(std::size_t bytes) {
  std::uint32_t lines = 1;
  while (std::size_t{2} * lines * kLineWords * sizeof(std::uint32_t) <= bytes) lines *= 2;
  DeviceBuffer<std::uint32_t> words(std::size_t{lines} * kLineWords), place(1);
  place.zero();
  constexpr unsigned kThreads = 256;
  link_lines<<<(lines + kThreads - 1) / kThreads, kThreads>>>(words.data(), lines);
  RATCHET_CUDA_LAUNCHED();
  return best_rate([&](int n) { chain_global<<<1, 1>>>(words.data(), place.data(), n); }, kChain);
}

double l2_latency_rate() {
  multiprocessors();
  int id = 0, bytes = 0;
  RATCHET_CUDA(cudaGetDevice(&id));
  RATCHET_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, id));
  // A quarter of the cache, as for its bandwidth. Timing begins before the whole cycle is cached;
  // the best run found its lines in the cache.
  return global_rate(static_cast<std::size_t>(bytes) / 4);
}

double dram_latency_rate() {
  multiprocessors();
  std::size_t free_bytes = 0, total = 0;
  RATCHET_CUDA(cudaMemGetInfo(&free_bytes, &total));
  return global_rate(std::min<std::size_t>(free_bytes / 4, std::size_t{4} << 30));
}

}  // namespace

std::vector<Probe> cuda_latency_probes() {
  const char* steps = "steps of one thread";
  return {
      {"cuda.register_chain", steps, "LOP3 on LOP3", register_rate},
      {"cuda.shared_chain", steps, "load on load, shared memory", shared_rate},
      {"cuda.l2_chain", steps, "load on load, second-level cache", l2_latency_rate},
      {"cuda.dram_chain", steps, "load on load, device memory, random lines", dram_latency_rate}};
}

}  // namespace ratchet::peaks
