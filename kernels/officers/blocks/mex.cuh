// Which of 256 bytes a thread has seen, and the least that it has not: three ways to keep eight
// words in registers, and the article's first, which does not.
//
// Source: mvr, "Tracking the MEX in a Thread".
#pragma once

#include <cstdint>

namespace ratchet::officers::blocks {

/// What add() takes for no byte at all: a select is cheaper than a branch around it.
inline constexpr std::uint32_t kNothing = 512;
/// lowest() where all bytes were seen: no value below 512 is left.
inline constexpr std::uint32_t kNoneLeft = 256;

__device__ __forceinline__ std::uint32_t lowest_unset(std::uint32_t word) {
  return static_cast<std::uint32_t>(__ffs(static_cast<int>(~word))) - 1;
}
/// 1 << by where 0 <= by < 32, else 0: also where `by` has gone below 0, and so is large.
__device__ __forceinline__ std::uint32_t clamped_bit(std::uint32_t by) {
  return __funnelshift_lc(0, 1, by);
}

/// Eight words in an array; the least that none of `word` has.
__device__ __forceinline__ std::uint32_t lowest_of(const std::uint32_t (&word)[8]) {
  std::uint32_t lowest = kNoneLeft;
#pragma unroll
  for (std::uint32_t j = 8; j-- > 0;)
    if (word[j] != ~0u) lowest = 32 * j + lowest_unset(word[j]);
  return lowest;
}

/// An index chooses the word, so that the words are in local memory.
struct IndexedMex {
  __device__ __forceinline__ void add(std::uint32_t byte) {
    if (byte < kNothing) word[byte / 32] |= 1u << byte % 32;
  }
  __device__ __forceinline__ std::uint32_t lowest() const { return lowest_of(word); }
  std::uint32_t word[8] = {};
};

/// A condition chooses a word's bit or none. With the condition around the statement, nvcc 13.0 kept
/// the words in local memory.
struct PredicatedMex {
  __device__ __forceinline__ void add(std::uint32_t byte) {
#pragma unroll
    for (std::uint32_t j = 0; j < 8; ++j)
      word[j] |= j == byte / 32 ? 1u << byte % 32 : 0;
  }
  __device__ __forceinline__ std::uint32_t lowest() const { return lowest_of(word); }
  std::uint32_t word[8] = {};
};

/// Every word takes the bit, shifted out of all but one.
struct ShiftedMex {
  __device__ __forceinline__ void add(std::uint32_t byte) {
#pragma unroll
    for (std::uint32_t j = 0; j < 8; ++j) word[j] |= clamped_bit(byte - 32 * j);
  }
  __device__ __forceinline__ std::uint32_t lowest() const { return lowest_of(word); }
  std::uint32_t word[8] = {};
};

/// The same, unrolled by hand: eight members.
struct MembersMex {
  __device__ __forceinline__ void add(std::uint32_t byte) {
    a |= clamped_bit(byte), b |= clamped_bit(byte - 32);
    c |= clamped_bit(byte - 64), d |= clamped_bit(byte - 96);
    e |= clamped_bit(byte - 128), f |= clamped_bit(byte - 160);
    g |= clamped_bit(byte - 192), h |= clamped_bit(byte - 224);
  }
  __device__ __forceinline__ std::uint32_t lowest() const {
    if (a != ~0u) return lowest_unset(a);
    if (b != ~0u) return 32 + lowest_unset(b);
    if (c != ~0u) return 64 + lowest_unset(c);
    if (d != ~0u) return 96 + lowest_unset(d);
    if (e != ~0u) return 128 + lowest_unset(e);
    if (f != ~0u) return 160 + lowest_unset(f);
    if (g != ~0u) return 192 + lowest_unset(g);
    return h != ~0u ? 224 + lowest_unset(h) : kNoneLeft;
  }
  std::uint32_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
};

}  // namespace ratchet::officers::blocks
