// How the resident kernel's warps and blocks talk, in PTX: barriers and rows in shared memory
// between the warps of a block, tagged words in global memory between blocks. Everything else of it
// is plain C++ and intrinsics, so that a test can compile it for a CPU
// (correctness/life/tests/emulated/resident_on_host.h): there the functions after #ifdef are the
// test's.
#pragma once

#include <cstdint>

namespace ratchet::life::resident {

/// So many polls in vain are seconds: a fault ends the kernel instead of hanging the device.
inline constexpr unsigned kMostPolls = 1u << 24;

/// Bytes from one lane's first word to the next lane's.
template <int K>
inline constexpr int kLaneBytes = K % 4 == 0 ? 16 : 4;

/// A word of cells with its tag above it: 64 bits are read and written in one piece, so that who
/// finds the tag has the cells. As NCCL's protocol LL does it: one trip, no flag, no fence.
using Tagged = std::uint64_t;
__device__ __forceinline__ Tagged tagged(std::uint32_t word, std::uint32_t tag) {
  return std::uint64_t{tag} << 32 | word;
}

#ifdef __CUDACC__
/// The block's dynamic shared memory; all places in shared memory are 32-bit addresses.
__device__ __forceinline__ std::uint32_t block_memory() {
  extern __shared__ __align__(16) std::uint32_t words[];
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
}

/// A barrier whose phase ends with every `arrivals`-th arrive().
__device__ __forceinline__ void make_barrier(std::uint32_t barrier, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/// Releases what this thread has written, and what it has synchronized with.
__device__ __forceinline__ void arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// It may sleep meanwhile where the device can.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define RATCHET_MBARRIER_WAIT "mbarrier.try_wait"
#else
#define RATCHET_MBARRIER_WAIT "mbarrier.test_wait"
#endif
/// Until the phase of that parity has ended; the one after it must not have.
__device__ __forceinline__ void await(std::uint32_t barrier, std::uint32_t parity) {
  for (unsigned polls = 0;; ++polls) {
    std::uint32_t done;
    asm volatile("{\n\t.reg .pred p;\n\t" RATCHET_MBARRIER_WAIT
                 ".parity.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    if (done) return;
    if (polls == kMostPolls) __trap();
  }
}

/// K words of a lane in shared memory: four by four, so that a warp's accesses are of full width.
template <int K>
__device__ __forceinline__ void put_shared(std::uint32_t to, const std::uint32_t (&words)[K]) {
  if constexpr (K % 4 == 0)
    for (int k = 0; k < K; k += 4)
      asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to + k * 128), "r"(words[k]),
                   "r"(words[k + 1]), "r"(words[k + 2]), "r"(words[k + 3])
                   : "memory");
  else
    for (int k = 0; k < K; ++k)
      asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + k * 128), "r"(words[k]) : "memory");
}
template <int K>
__device__ __forceinline__ void get_shared(std::uint32_t (&words)[K], std::uint32_t from) {
  if constexpr (K % 4 == 0)
    for (int k = 0; k < K; k += 4)
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(words[k]), "=r"(words[k + 1]), "=r"(words[k + 2]), "=r"(words[k + 3])
                   : "r"(from + k * 128)
                   : "memory");
  else
    for (int k = 0; k < K; ++k)
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(words[k]) : "r"(from + k * 128) : "memory");
}
/// K tagged words of a lane, in pairs; `row` is where the warp's row begins.
template <int K>
__device__ __forceinline__ void send(Tagged* row, std::uint32_t lane,
                                     const std::uint32_t (&words)[K], std::uint32_t tag) {
  if constexpr (K == 1) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(row + lane), "l"(tagged(words[0], tag))
                 : "memory");
  } else {
    for (int k = 0; k < K; k += 2)
      asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(row + k * 32 + lane * 2),
                   "l"(tagged(words[k], tag)), "l"(tagged(words[k + 1], tag))
                   : "memory");
  }
}
template <int K>
__device__ __forceinline__ void poll(Tagged (&words)[K], const Tagged* row, std::uint32_t lane) {
  if constexpr (K == 1) {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(words[0])
                 : "l"(row + lane)
                 : "memory");
  } else {
    for (int k = 0; k < K; k += 2)
      asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                   : "=l"(words[k]), "=l"(words[k + 1])
                   : "l"(row + k * 32 + lane * 2)
                   : "memory");
  }
}

#endif

}  // namespace ratchet::life::resident
