// ChaCha12 (Bernstein, 2008) as a random generator: the cipher behind Rust's thread_rng.
//
// Like rand's ThreadRng it makes four blocks (64 words of 32 bits) at once, one in each lane of a
// 128-bit vector. A buffer hands them out. Words 12 and 13 are the block counter, 14 and 15 the
// stream. Unlike ThreadRng it never re-seeds itself from the operating system. Streams under one
// key never overlap: they are different nonces of the cipher.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "kernels/support/rng/splitmix64.h"

namespace ratchet {

class ChaCha12 {
 public:
  static constexpr unsigned kBuffered = 64;  ///< words made at a time

  ChaCha12(const std::array<std::uint32_t, 8>& key, std::uint64_t stream)
      : key_(key), stream_(stream) {}
  /// Stream `stream` under the key made from `seed`.
  ChaCha12(std::uint64_t seed, std::uint64_t stream) : stream_(stream) {
    SplitMix64 words = seeder(seed, 0);
    for (auto& word : key_) word = static_cast<std::uint32_t>(words.next64() >> 32);
  }

  /// Goes on at block `block` of the stream, a multiple of four.
  void seek(std::uint64_t block) {
    block_ = block;
    used_ = kBuffered;
  }

  RATCHET_INLINE std::uint32_t next32() {
    if (used_ >= kBuffered) [[unlikely]]
      refill();
    return buffer_[used_++];
  }
  /// Two words, the first the low half. A pair is never split between buffers: after an odd number
  /// of next32() the buffer's last word is skipped.
  RATCHET_INLINE std::uint64_t next64() {
    if (used_ >= kBuffered - 1) [[unlikely]]
      refill();
    const std::uint64_t low = buffer_[used_++];
    return low | static_cast<std::uint64_t>(buffer_[used_++]) << 32;
  }

 private:
  using Quad [[gnu::vector_size(16)]] = std::uint32_t;  // one word of each of the four blocks

  template <int kBits>
  static RATCHET_INLINE Quad rotate(Quad x) {
    return (x << kBits) | (x >> (32 - kBits));
  }

  static RATCHET_INLINE void quarter_round(Quad& a, Quad& b, Quad& c, Quad& d) {
    a += b, d = rotate<16>(d ^ a);
    c += d, b = rotate<12>(b ^ c);
    a += b, d = rotate<8>(d ^ a);
    c += d, b = rotate<7>(b ^ c);
  }

  static RATCHET_INLINE void double_round(Quad* x) {
    quarter_round(x[0], x[4], x[8], x[12]);
    quarter_round(x[1], x[5], x[9], x[13]);
    quarter_round(x[2], x[6], x[10], x[14]);
    quarter_round(x[3], x[7], x[11], x[15]);
    quarter_round(x[0], x[5], x[10], x[15]);
    quarter_round(x[1], x[6], x[11], x[12]);
    quarter_round(x[2], x[7], x[8], x[13]);
    quarter_round(x[3], x[4], x[9], x[14]);
  }

  RATCHET_INLINE void set_up(Quad* x) const {
    constexpr std::uint32_t kConstants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    for (int i = 0; i < 4; ++i) x[i] = Quad{} + kConstants[i];
    for (int i = 0; i < 8; ++i) x[4 + i] = Quad{} + key_[i];
    // The counter stays a multiple of four, so that its low word cannot overflow within the quad.
    x[12] = static_cast<std::uint32_t>(block_) + Quad{0, 1, 2, 3};
    x[13] = Quad{} + static_cast<std::uint32_t>(block_ >> 32);
    x[14] = Quad{} + static_cast<std::uint32_t>(stream_);
    x[15] = Quad{} + static_cast<std::uint32_t>(stream_ >> 32);
  }

  RATCHET_INLINE void refill() {
    Quad start[16], x[16];
    set_up(start);
    for (int i = 0; i < 16; ++i) x[i] = start[i];
    for (int round = 0; round < 12; round += 2) double_round(x);
    for (int i = 0; i < 16; ++i) x[i] += start[i];
    for (int i = 0; i < 16; i += 4) store_transposed(x + i, i);
    block_ += 4;
    used_ = 0;
  }

  // Four words of each block lie across the lanes; the cipher's order wants them block by block.
  RATCHET_INLINE void store_transposed(const Quad* x, int word) {
    const Quad ab_low = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5);
    const Quad ab_high = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
    const Quad cd_low = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
    const Quad cd_high = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
    store(word, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
    store(16 + word, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
    store(32 + word, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
    store(48 + word, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
  }
  RATCHET_INLINE void store(int at, Quad x) { std::memcpy(&buffer_[at], &x, sizeof x); }

  alignas(16) std::array<std::uint32_t, kBuffered> buffer_{};
  std::array<std::uint32_t, 8> key_{};
  std::uint64_t stream_ = 0;
  std::uint64_t block_ = 0;
  unsigned used_ = kBuffered;
};

}  // namespace ratchet
