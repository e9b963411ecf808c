#include <algorithm>
#include <vector>

#include "kernels/support/cuda_check.h"
#include "perf/measure/machine/sm_clock.h"

namespace ratchet::timing {

namespace {

// An SM id can exceed the number of SMs in use; PTX only guarantees that it is below %nsmid.
constexpr int kSlots = 1024;
constexpr unsigned long long kMinSpan = 20'000;  // ns between the two readings
constexpr long long kMaxSpin = 200'000;  // cycles; a globaltimer that never ticks ends the wait

__device__ unsigned long long global_nanoseconds() {
  unsigned long long value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value)::"memory");
  return value;
}

__device__ unsigned sm_id() {
  unsigned value;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(value));
  return value;
}

/// Waits for the first tick of globaltimer at or after `not_before`, and reads both clocks there.
__device__ void read_at_tick(unsigned long long not_before, unsigned long long& cycles,
                             unsigned long long& nanoseconds) {
  const long long begin = clock64();
  const unsigned long long first = global_nanoseconds();
  unsigned long long now = first;
  long long at = begin;
  do {
    now = global_nanoseconds();
    at = clock64();
  } while ((now == first || now < not_before) && at - begin < kMaxSpin);
  cycles = static_cast<unsigned long long>(at);
  nanoseconds = now;
}

__global__ void clock_begin(ClockReading* first) {
  const unsigned slot = sm_id();
  if (threadIdx.x != 0 || slot >= kSlots) return;
  ClockReading reading{};
  read_at_tick(0, reading.cycles, reading.nanoseconds);
  reading.taken = 1;
  first[slot] = reading;
}

__global__ void clock_end(ClockReading* first, unsigned long long* delta) {
  const unsigned slot = sm_id();
  if (threadIdx.x != 0 || slot >= kSlots || !first[slot].taken) return;
  unsigned long long cycles = 0, nanoseconds = 0;
  read_at_tick(first[slot].nanoseconds + kMinSpan, cycles, nanoseconds);
  delta[2 * slot] = cycles - first[slot].cycles;
  delta[2 * slot + 1] = nanoseconds - first[slot].nanoseconds;
}

}  // namespace

SmClock::SmClock() {
  int device = 0;
  RATCHET_CUDA(cudaGetDevice(&device));
  RATCHET_CUDA(cudaDeviceGetAttribute(&blocks_, cudaDevAttrMultiProcessorCount, device));
  RATCHET_CUDA(cudaMalloc(&first_, kSlots * sizeof(ClockReading)));
  const cudaError_t status = cudaHostAlloc(reinterpret_cast<void**>(&delta_),
                                           2 * kSlots * sizeof(*delta_), cudaHostAllocMapped);
  if (status != cudaSuccess) cudaFree(first_);
  RATCHET_CUDA(status);
}

SmClock::~SmClock() {
  cudaFree(first_);
  cudaFreeHost(delta_);
}

void SmClock::begin() {
  RATCHET_CUDA(cudaMemsetAsync(first_, 0, kSlots * sizeof(ClockReading), cudaStreamLegacy));
  clock_begin<<<blocks_, 32, 0, cudaStreamLegacy>>>(first_);
  RATCHET_CUDA_LAUNCHED();
}

double SmClock::end_mhz() {
  std::fill(delta_, delta_ + 2 * kSlots, 0);
  // Memory from cudaHostAlloc has the same address on host and device (unified addressing, on all
  // 64-bit GPUs).
  clock_end<<<blocks_, 32, 0, cudaStreamLegacy>>>(first_, delta_);
  RATCHET_CUDA_LAUNCHED();
  RATCHET_CUDA(cudaStreamSynchronize(cudaStreamLegacy));
  std::vector<double> clocks;
  for (int slot = 0; slot < kSlots; ++slot)
    if (delta_[2 * slot + 1] > 0)
      clocks.push_back(1e3 * static_cast<double>(delta_[2 * slot]) /
                       static_cast<double>(delta_[2 * slot + 1]));
  if (clocks.empty()) return 0;
  std::nth_element(clocks.begin(), clocks.begin() + clocks.size() / 2, clocks.end());
  return clocks[clocks.size() / 2];
}

}  // namespace ratchet::timing
