// ring15: a generator of fifteen 32-bit words, one instruction a word on a GPU.
//
// A round is 45 steps, three passes over the ring. Step n replaces word i = n mod 15:
//   w[i] = rotl(w[i], r(n)) + w[j(n)]     25 of the steps (LEA.HI on a GPU: ALU pipe)
//   w[i] = w[i] * m(i)      + w[j(n)]     the other 20    (IMAD with an immediate: FMA pipe)
// with taps j(n) != i, rotations r(n) and odd constants m(i). Each step can be undone, so a round
// permutes its 2^480 states: no funnel, and a random start meets a cycle shorter than 2^64 with
// probability 2^-416.
//
// Why it is so irregular. At bit 0 a step is linear: the new word, the old one and the tap cancel.
// With one tap for all steps and one rotation for a few (the first version), such relations
// combine, and rolls that share words (kernels/graveler/cage/cage.h) turn out to be dependent. A
// rotation puts a bit into the relation that no other relation has, as long as no two rotations
// close by are equal. Taps, rotations and the choice of the 20 plain steps were drawn at random
// until no one, two or three rolls of two neighbouring rounds depended on each other.
// correctness/graveler/ring15_test.cpp holds them to that at all 32 bits, over 30 160 triples and
// 2^17 streams, so to correlations below 0.018, and shows that the first version fails.
//
// What is left: at bits 0 and 1 some sets of four rolls do depend, with correlations of up to 0.11
// (the largest met in the search; no test repeats it). One such set inside a battle adds 24 * 0.11
// * (3/16)^2 = 0.09 to a fourth central moment of 5622.
//
// A word alone is not random enough to be used as it is: it is meant for the masks of cage.h.
#pragma once

#include <cstdint>

#include "kernels/support/rng/gpu_seed.h"

namespace ratchet {

class Ring15 {
 public:
  static constexpr unsigned kRound = 45;  ///< steps of a round

  /// State of stream `stream` under `seed`: hashed, so streams start at unrelated points of cycles
  /// that are far longer than any run; two of 2^18 streams of 2^32 steps meet with probability
  /// 2^-412.
  RATCHET_HD Ring15(std::uint64_t seed, std::uint64_t stream) {
    const std::uint64_t start = mix64(seed) ^ mix64(~stream);
#if defined(__CUDA_ARCH__)
#pragma unroll  // so that the words stay in registers
#endif
    for (unsigned i = 0; i < 15; i += 2) {
      const std::uint64_t z = mix64(start + (i + 1) * 0x9E3779B97F4A7C15ull);
      w_[i] = static_cast<std::uint32_t>(z);
      if (i + 1 < 15) w_[i + 1] = static_cast<std::uint32_t>(z >> 32);
    }
  }

  /// Step N, 0..44, of a round; the new word. N is a constant so that the words stay in registers.
  template <unsigned N>
  RATCHET_HD std::uint32_t step() {
    constexpr unsigned i = N % 15, j = tap(N), r = rotation(N);
    constexpr std::uint32_t m = multiplier(i);
    if constexpr (r == 0)
      w_[i] = w_[i] * m + w_[j];
    else
      w_[i] = (w_[i] << r | w_[i] >> (32 - r)) + w_[j];
    return w_[i];
  }

  /// The same with a run-time step, for the host.
  std::uint32_t step(unsigned n) {
    const unsigned i = n % 15, r = rotation(n);
    const std::uint32_t changed = r == 0 ? w_[i] * multiplier(i) : (w_[i] << r | w_[i] >> (32 - r));
    return w_[i] = changed + w_[tap(n)];
  }

  /// Word `i` of the ring, 0..14, as it stands.
  std::uint32_t word(unsigned i) const { return w_[i]; }

  /// The word that step n adds; the proof that rolls do not show it needs to know.
  RATCHET_HD static constexpr unsigned tap(unsigned n) {
    constexpr unsigned char taps[kRound] = {9, 6,  5, 4,  0, 13, 5,  8,  9, 14, 4, 8, 1, 14, 6,
                                            8, 14, 9, 0,  6, 14, 10, 13, 9, 4,  6, 1, 2, 10, 0,
                                            4, 12, 3, 12, 9, 7,  2,  6,  9, 13, 7, 5, 1, 10, 4};
    return taps[n];
  }
  /// 0 stands for a multiplication.
  RATCHET_HD static constexpr unsigned rotation(unsigned n) {
    constexpr unsigned char rotations[kRound] = {
        0, 0, 0, 7, 0, 0, 17, 0, 0, 0,  19, 0,  26, 24, 0,  8, 0, 4,  0,  20, 0, 25, 31,
        9, 0, 0, 0, 2, 0, 29, 3, 0, 18, 6,  30, 21, 0,  13, 1, 0, 12, 15, 16, 5, 23};
    return rotations[n];
  }
  /// From splitmix64, so that nobody chose it.
  RATCHET_HD static constexpr std::uint32_t multiplier(unsigned i) {
    return static_cast<std::uint32_t>(mix64(0x9E3779B97F4A7C15ull * (i + 1)) >> 32) | 1u;
  }

 private:
  std::uint32_t w_[15];
};

}  // namespace ratchet
