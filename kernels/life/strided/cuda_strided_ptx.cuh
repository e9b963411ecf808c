// The instructions of the strided kernel that CUDA has no functions for. Everything else in it is
// plain C++ and intrinsics, so that a test can compile the kernel for a CPU
// (correctness/life/tests/emulated/strided_on_host.h): there these functions are the test's.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
namespace ratchet::life::strided {

/// Any function of three bits: the result is bit 4a + 2b + c of kTable.
template <int kTable>
__device__ __forceinline__ std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t d;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(kTable));
  return d;
}

/// a * kFactor + c by an integer multiply-add, which has a pipe other than the LOP3s'.
template <int kFactor>
__device__ __forceinline__ std::uint32_t mad(std::uint32_t a, std::uint32_t c) {
  std::uint32_t d;
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "n"(kFactor), "r"(c));
  return d;
}

/// The 32-bit address that copy_async() and load_shared() take for a place in shared memory.
__device__ __forceinline__ std::uint32_t shared_address(const void* shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

/// Starts 16 bytes on their way to shared memory: the first `bytes` of them from `from`, the others
/// zeros. With 0 nothing is read.
__device__ __forceinline__ void copy_async(std::uint32_t to, const std::uint32_t* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
               : "memory");
}
/// What this thread has started since the last call is a group.
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits for all groups of this thread but the last kLeft.
template <int kLeft>
__device__ __forceinline__ void await_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}
__device__ __forceinline__ void await_all_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}
__device__ __forceinline__ void load_shared(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c,
                                            std::uint32_t& d, std::uint32_t from) {
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(from)
               : "memory");
}

}  // namespace ratchet::life::strided
#endif
