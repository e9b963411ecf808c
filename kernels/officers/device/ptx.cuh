// What kernels whose blocks of threads wait for each other ask of the device: waiting, telling, and
// memory that others write. A test has these for a CPU (correctness/officers/tests/emulated/device_on_host.h).
#pragma once

#include <cstdint>

namespace ratchet::officers::device {

__device__ inline unsigned char* shared_memory() {
  extern __shared__ __align__(16) unsigned char memory[];
  return memory;
}

/// True in all of the kThreads threads that call it with this barrier when it was in one of them.
template <int kBarrier, int kThreads>
__device__ inline bool any_of(bool condition) {
  int result;
  asm volatile(
      "{ .reg .pred p, q; setp.ne.s32 p, %1, 0; barrier.cta.red.or.pred q, %2, %3, p;"
      " selp.s32 %0, 1, 0, q; }"
      : "=r"(result)
      : "r"(static_cast<int>(condition)), "n"(kBarrier), "n"(kThreads)
      : "memory");
  return result != 0;
}

/// A barrier of some of a block's threads.
template <int kBarrier, int kThreads>
__device__ inline void meet() {
  asm volatile("barrier.cta.sync %0, %1;" ::"n"(kBarrier), "n"(kThreads) : "memory");
}

/// 1 << by, 0 unless 0 <= by < 32.
__device__ inline std::uint32_t bit(std::uint32_t by) {
  std::uint32_t result;
  asm("shl.b32 %0, 1, %1;" : "=r"(result) : "r"(by));
  return result;
}

/// a where `bits` has any, else b; without a branch.
__device__ inline std::uint32_t select_if(std::uint32_t bits, std::uint32_t a, std::uint32_t b) {
  std::uint32_t result;
  asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; selp.b32 %0, %2, %3, p; }"
      : "=r"(result)
      : "r"(bits), "r"(a), "r"(b));
  return result;
}

// A word that carries its own tag needs no fence: it is there as a whole or not at all.
__device__ inline std::uint64_t load_word(const std::uint64_t* from) {
  std::uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
}
__device__ inline void store_word(std::uint64_t* to, std::uint64_t word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}

__device__ inline std::uint32_t load_acquire(const std::uint32_t* from) {
  std::uint32_t word;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
  return word;
}
__device__ inline void store_release(std::uint32_t* to, std::uint32_t word) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}
/// Of what another multiprocessor has written, after load_acquire() said so.
__device__ inline std::uint32_t load_fresh(const std::uint32_t* from) { return __ldcg(from); }

__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}
__device__ inline void others_turn() {}

}  // namespace ratchet::officers::device
