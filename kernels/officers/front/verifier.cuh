// Blocks of threads that verify, behind the front: every rare value below a value must be a sum.
//
// A warp takes a value. Sums of a head value and its partner, 128 at a time, set flags, a byte each,
// in a table of its own; every 512 sums it looks whether all that are needed are set. Positions for
// which the head does not do go to the host, which goes on from there by the definition.
#pragma once

#include "kernels/officers/device/waiting.cuh"
#include "kernels/officers/front/job.h"
#include "kernels/officers/values/compressed.h"

namespace ratchet::officers::front {

template <class Shape>
struct VerifierMemory {
  std::uint32_t head[kHead / 4], head_rare[kHead / 4];
  std::uint32_t values[(kHead + Shape::kBlock) / 4 + 1];  ///< the last ones before, and the block's
  std::uint32_t flags[Shape::kThreads / 32][64];
};

template <class Shape>
class Verifier {
 public:
  __device__ Verifier(const Job& job, VerifierMemory<Shape>& memory)
      : job_(job), memory_(memory), watch_(*job.control, job.patience_ns, Role::verifier) {}

  __device__ void run() {
    for (std::uint32_t i = threadIdx.x; i < kHead / 4; i += blockDim.x) {
      memory_.head[i] = job_.head[i];
      memory_.head_rare[i] = job_.head_rare[i];
    }
    for (std::uint32_t chunk = blockIdx.x - 1 - job_.preparers; chunk < job_.chunks;
         chunk += job_.verifiers)
      if (!load(chunk)) break;
      else verify(chunk);
    if (threadIdx.x % 32 == 0) {
      atomicAdd(&job_.control->verifying, sums_);
      atomicMax(&job_.control->deepest, deepest_);
    }
  }

 private:
  static constexpr std::uint32_t kBlock = Shape::kBlock, kWarps = Shape::kThreads / 32;
  static constexpr std::uint32_t kStep = 128, kSteps = 4;  ///< sums at a time, before each look

  __device__ bool load(std::uint32_t chunk) {
    const bool there = watch_.until(
        [&] { return load_acquire(&job_.control->progress) > chunk; }, chunk);
    if (__syncthreads_or(!there)) return false;
    const std::uint32_t* from =
        reinterpret_cast<const std::uint32_t*>(job_.values) + (kKeep + chunk * kBlock - kHead) / 4;
    for (std::uint32_t i = threadIdx.x; i < (kHead + kBlock) / 4; i += blockDim.x)
      memory_.values[i] = load_fresh(from + i);
    __syncthreads();
    return true;
  }

  __device__ void verify(std::uint32_t chunk) {
    for (std::uint32_t i = threadIdx.x / 32; i < kBlock; i += kWarps) {
      const std::uint32_t position = chunk * kBlock + i;
      if (position >= job_.count) break;
      if (!verify_one(kHead + i) && threadIdx.x % 32 == 0) {
        const std::uint32_t slot = atomicAdd(&job_.control->undecided, 1u);
        if (slot < kMostUndecided) job_.undecided[slot] = position;
      }
    }
    __syncthreads();  // before the next block's values are loaded
  }

  /// The value at `at` of memory_.values.
  __device__ bool verify_one(std::uint32_t at) {
    const std::uint32_t lane = threadIdx.x % 32;
    std::uint32_t* flags = memory_.flags[threadIdx.x / 32];
    const std::uint32_t value = reinterpret_cast<const std::uint8_t*>(memory_.values)[at];
    // Those of two bytes that differ in bit 0 alone are both above or both below.
    const std::uint32_t end =
        (value & ~1u) + (uncompress(value, true) < uncompress(value, false) ? 2 : 0);
    if (end > 255) return false;  // 255 is where the sums of rare values go
    const std::uint32_t need0 = needed_flags(end, 8 * lane), need1 = needed_flags(end, 8 * lane + 4);
    flags[2 * lane] = flags[2 * lane + 1] = 0;
    __syncwarp();
    bool missing = true;
    std::uint32_t done = 0;
    while (missing && done < kHead) {
      for (std::uint32_t step = 0; step < kSteps; ++step, done += kStep)
        mark(reinterpret_cast<std::uint8_t*>(flags), at, done + 4 * lane);
      __syncwarp();
      missing = __any_sync(~0u, (need0 & ~flags[2 * lane]) | (need1 & ~flags[2 * lane + 1]));
      __syncwarp();  // all have looked
    }
    sums_ += done;
    deepest_ = deepest_ > done ? deepest_ : done;
    return !missing;
  }
  /// 1 in each of four bytes from `first` on that are below `end`.
  __device__ static std::uint32_t needed_flags(std::uint32_t end, std::uint32_t first) {
    if (end <= first) return 0;
    return end >= first + 4 ? 0x01010101u : 0x01010101u & ((1u << 8 * (end - first)) - 1);
  }
  /// Four sums, k ... k + 3 of the head's order.
  __device__ void mark(std::uint8_t* flags, std::uint32_t at, std::uint32_t k) {
    const std::uint32_t partner =
        k < kDescendingHead ? at - kDescendingHead + k : at - kHead + k - kDescendingHead;
    const std::uint32_t values = __funnelshift_r(memory_.values[partner / 4],
                                                 memory_.values[partner / 4 + 1], partner % 4 * 8);
    const std::uint32_t sums = (values ^ memory_.head[k / 4]) | memory_.head_rare[k / 4];
    for (std::uint32_t i = 0; i < 4; ++i) flags[sums >> 8 * i & 0xff] = 1;
  }

  const Job& job_;
  VerifierMemory<Shape>& memory_;
  Watch watch_;
  unsigned long long sums_ = 0;
  std::uint32_t deepest_ = 0;
};

}  // namespace ratchet::officers::front
