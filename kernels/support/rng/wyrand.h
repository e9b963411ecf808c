// wyrand, the generator of Rust's fastrand: a Weyl sequence, then the two halves of a 64x64-bit
// product folded together. Definition and constants: wyhash, final version 4.
//
// State 64 bits, period 2^64. Two streams are the same sequence at two random places. With S
// streams of L draws the chance that any two overlap is below S^2 L / 2^63: 6e-8 for 16 streams of
// 2^31 draws.
#pragma once

#include <cstdint>

#include "kernels/support/rng/splitmix64.h"

namespace ratchet {

class Wyrand {
 public:
  explicit Wyrand(std::uint64_t state) : state_(state) {}
  /// Stream `stream` under `seed`.
  Wyrand(std::uint64_t seed, std::uint64_t stream) : state_(seeder(seed, stream).next64()) {}

  RATCHET_INLINE std::uint64_t next64() {
    __extension__ using Wide = unsigned __int128;
    state_ += 0x2d358dccaa6c78a5;
    const Wide product = static_cast<Wide>(state_) * (state_ ^ 0x8bb84b93962eacc9);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  /// The low half, as fastrand does.
  RATCHET_INLINE std::uint32_t next32() { return static_cast<std::uint32_t>(next64()); }

 private:
  std::uint64_t state_;
};

}  // namespace ratchet
