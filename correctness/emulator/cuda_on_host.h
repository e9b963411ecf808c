// CUDA C++ on a CPU: the words of the language, what threads and warps do, and fibers. How threads
// take turns is in warp_on_host.h or grid_on_host.h, of which a program includes one, in one file.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ static thread_local  // which can be told from other variables
#define __align__(bytes) __attribute__((aligned(bytes)))

struct dim3 {
  unsigned x = 1, y = 1;
  dim3() = default;
  constexpr dim3(unsigned along, unsigned down = 1) : x(along), y(down) {}
};
inline dim3 threadIdx(0, 0), blockIdx(0, 0), blockDim, gridDim;

struct __attribute__((may_alias, aligned(16))) uint4 {
  std::uint32_t x, y, z, w;
};
inline uint4 make_uint4(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
  return {x, y, z, w};
}
using std::max;
using std::min;

/// The upper half of (high:low) << by.
inline std::uint32_t __funnelshift_l(std::uint32_t low, std::uint32_t high, std::uint32_t by) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return static_cast<std::uint32_t>(both << by % 32 >> 32);
}

inline std::uint32_t __funnelshift_r(std::uint32_t low, std::uint32_t high, std::uint32_t by) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return static_cast<std::uint32_t>(both >> by % 32);
}
/// Four bytes of (high:low), the lowest hexadecimal digit of `which` naming the lowest byte.
inline std::uint32_t __byte_perm(std::uint32_t low, std::uint32_t high, unsigned which) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<std::uint32_t>(both >> (which >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return result;
}

// What the lanes of a warp do together, by functions of the other header.
namespace ratchet::on_host {

/// What runs until it hands over to another, and goes on when another hands over to it.
///
/// A ucontext starts a fiber on a stack of its own. _setjmp() and _longjmp() switch: swapcontext()
/// would make a system call for the signal mask at each switch, two thirds of the emulator's time.
/// Programs are compiled with -U_FORTIFY_SOURCE, whose longjmp() refuses another stack.
class Fiber {
 public:
  /// The next switch to this fiber calls `entry`, which must not return, on this stack.
  void prepare(void* stack, std::size_t bytes, void (*entry)()) {
    getcontext(&start_);
    start_.uc_stack.ss_sp = stack;
    start_.uc_stack.ss_size = bytes;
    start_.uc_link = nullptr;
    makecontext(&start_, entry, 0);
    runs_ = false;
  }
  /// From this fiber, which runs, to the other. Returns when something switches to this one. Not
  /// inlined: no variable of a caller may change between the two returns of _setjmp().
  [[gnu::noinline]] void switch_to(Fiber& other) {
    runs_ = true;
    if (_setjmp(point_) == 0) other.go_on();
  }
  /// To this fiber, for good.
  [[noreturn]] void go_on() {
    if (runs_) _longjmp(point_, 1);
    setcontext(&start_);
    __builtin_unreachable();
  }

 private:
  ucontext_t start_{};
  jmp_buf point_{};
  bool runs_ = false;
};

inline constexpr unsigned kLanes = 32;
using Values = std::array<std::uint32_t, kLanes>;

inline unsigned this_lane();
/// What every lane has handed in.
inline const Values& meet(std::uint32_t value);
/// Other lanes may do so too.
inline void wrote_atomically(const void* to, std::size_t bytes);

}  // namespace ratchet::on_host

inline std::uint32_t __shfl_up_sync(unsigned, std::uint32_t value, unsigned by) {
  const unsigned lane = ratchet::on_host::this_lane();
  return ratchet::on_host::meet(value)[lane < by ? lane : lane - by];
}
inline std::uint32_t __shfl_down_sync(unsigned, std::uint32_t value, unsigned by) {
  const unsigned lane = ratchet::on_host::this_lane();
  return ratchet::on_host::meet(value)[lane + by < 32 ? lane + by : lane];
}
inline unsigned long long __shfl_down_sync(unsigned mask, unsigned long long value, unsigned by) {
  const auto low = __shfl_down_sync(mask, static_cast<std::uint32_t>(value), by);
  return std::uint64_t{__shfl_down_sync(mask, static_cast<std::uint32_t>(value >> 32), by)} << 32 |
         low;
}
inline float __shfl_down_sync(unsigned mask, float value, unsigned by) {
  return std::bit_cast<float>(__shfl_down_sync(mask, std::bit_cast<std::uint32_t>(value), by));
}
inline std::uint32_t __shfl_sync(unsigned, std::uint32_t value, int from) {
  return ratchet::on_host::meet(value)[from % 32];
}
inline int __any_sync(unsigned, bool value) {
  const auto& values = ratchet::on_host::meet(value);
  return std::any_of(values.begin(), values.end(), [](auto v) { return v != 0; });
}
inline unsigned __ballot_sync(unsigned, bool value) {
  unsigned ballot = 0, bit = 0;
  for (const std::uint32_t v : ratchet::on_host::meet(value)) ballot |= unsigned{v != 0} << bit++;
  return ballot;
}
inline std::uint32_t __reduce_or_sync(unsigned, std::uint32_t value) {
  for (const std::uint32_t v : ratchet::on_host::meet(value)) value |= v;
  return value;
}
inline int __reduce_max_sync(unsigned, int value) {
  for (const std::uint32_t v : ratchet::on_host::meet(static_cast<std::uint32_t>(value)))
    value = std::max(value, static_cast<int>(v));
  return value;
}
inline int __reduce_min_sync(unsigned mask, int value) { return -__reduce_max_sync(mask, -value); }

// One lane runs at a time, so that every access is atomic, and seen at once.
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __popc(std::uint32_t x) { return std::popcount(x); }
inline void __threadfence() {}
template <class T>
T atomicAdd(T* to, T by) {
  const T before = *to;
  *to += by;
  ratchet::on_host::wrote_atomically(to, sizeof(T));
  return before;
}
template <class T>
void atomicMax(T* to, T by) {
  *to = std::max(*to, by);
  ratchet::on_host::wrote_atomically(to, sizeof(T));
}
template <class T>
void atomicMin(T* to, T by) {
  *to = std::min(*to, by);
  ratchet::on_host::wrote_atomically(to, sizeof(T));
}
template <class T>
void atomicOr(T* to, T by) {
  *to |= by;
  ratchet::on_host::wrote_atomically(to, sizeof(T));
}
template <class T>
T atomicCAS(T* to, T expected, T desired) {
  const T before = *to;
  if (before == expected) *to = desired;
  ratchet::on_host::wrote_atomically(to, sizeof(T));
  return before;
}
template <class T>
T atomicExch(T* to, T desired) {
  const T before = *to;
  *to = desired;
  ratchet::on_host::wrote_atomically(to, sizeof(T));
  return before;
}
