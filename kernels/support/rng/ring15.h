// ring15: a generator of fifteen 32-bit words, one instruction a word on a GPU.
//
// A round is 45 steps, three passes over the ring. Step n replaces word i = n mod 15:
//   w[i] = rotl(w[i], r(n)) + w[j(n)]     25 of the steps (LEA.HI on a GPU: ALU pipe)
//   w[i] = w[i] * m(i)      + w[j(n)]     the other 20    (IMAD with an immediate: FMA pipe)
// with taps j(n) != i, rotations r(n) and odd constants m(i). Each step can be undone, so a round
// permutes its 2^480 states: no funnel, and a random start meets a cycle shorter than 2^64 with
// probability 2^-416.
//
// Why it is so irregular. At bit 0 a step is exactly linear: an addition has no carry there, an odd
// factor keeps the bit, and a rotation brings another bit in. So the new word, the old one and the
// tap cancel. The first version had one tap for all steps and one rotation for a few. Then such
// relations combine: rolls that share words (kernels/graveler/cage/cage.h) depend on each other,
// three at a time. The second version was drawn until sampling saw no dependence among one, two or
// three rolls. But the differences of six rolls of one battle always had an even sum at bit 0.
// PractRand fails on the words of that battle within 64 MB.
//
// So these taps are not sampled but computed, by linear algebra over GF(2). No two rotations of a
// round are equal. So the bit that one brings in is in no other relation, and relations that show
// can only be sums of the 20 multiplications' own. Taps and steps were moved until, in
// graveler/cuda/05_shared_masks and 06_tensor_count, no such sum is a sum of the differences
//   - of a battle, of two battles of a round or of two rounds in turn, or of a battle in 8 rounds;
//   - of a battle if every step were linear at every bit: no chain of merely likely relations
//     (carries above bit 0) then joins its rolls.
// The words that a battle of 05 is made of hold no relation at bit 0 in two rounds, nor a step; and
// no three rolls of two rounds depend on each other. `ring15_relations check` verifies this;
// `ring15_relations search` finds such taps in seconds (these are its first), and ring15_parities
// samples what algebra cannot settle. correctness/graveler/ring15 tests all of it, and shows that
// both earlier versions fail.
//
// Left are 20 relations a round in a space of 45 words, of which the 30 outcomes of a round span 44
// dimensions. So sums of four rolls and more that belong to three or four battles of a round are
// constant at bit 0. No battle shows any of that, nor does a pair. All of this is about Ring15,
// the first of two schedules; Ring15Rows has its own.
//
// A word alone is not random enough to be used as it is: it is meant for the masks of cage.h.
#pragma once

#include <cstdint>

#include "kernels/support/rng/gpu_seed.h"

namespace ratchet {

/// Of graveler/cuda/05_shared_masks and 06_tensor_count: 20 multiplications, 25 rotations.
struct Ring15Schedule {
  static constexpr unsigned kRound = 45;
  /// The word that step n adds; the proof that rolls do not show it needs to know.
  RATCHET_HD static constexpr unsigned tap(unsigned n) {
    constexpr unsigned char taps[kRound] = {12, 2,  6, 6,  8,  11, 11, 8,  0, 11, 3,  3, 13, 8, 2,
                                            3,  9,  0, 8,  2,  0,  11, 10, 0, 11, 11, 7, 5,  3, 4,
                                            11, 14, 0, 12, 13, 13, 5,  12, 7, 8,  8,  9, 0,  7, 13};
    return taps[n];
  }
  /// 0 stands for a multiplication.
  RATCHET_HD static constexpr unsigned rotation(unsigned n) {
    constexpr unsigned char rotations[kRound] = {
        0, 0,  0, 3, 0, 21, 0,  0,  18, 7, 0, 0, 23, 0,  0,  16, 0, 22, 2,  19, 0,  20, 26,
        4, 17, 0, 0, 0, 30, 28, 13, 0,  0, 0, 5, 0,  11, 10, 12, 6, 0,  31, 14, 29, 24};
    return rotations[n];
  }
};

/// Of graveler/cuda/07_more_multiplications: 32 multiplications, 13 rotations. Battles of 06's
/// layout, two or three words of each of four streams, show no relation of these either
/// (`ring15_relations check --rows`); battles of 05 do. Draw 18 of `ring15_relations search --rows
/// --seed 2 --count 18 --tries 18`: of the schedules that were timed the fastest.
struct Ring15RowsSchedule {
  static constexpr unsigned kRound = 45;
  RATCHET_HD static constexpr unsigned tap(unsigned n) {
    constexpr unsigned char row_taps[kRound] = {
        7,  3,  9, 11, 6, 4, 7,  5,  13, 8,  6, 2,  3,  6, 5, 12, 5,  13, 7,  12, 9, 10, 10,
        12, 14, 4, 0,  0, 3, 10, 12, 6,  13, 2, 13, 13, 8, 1, 10, 13, 3,  12, 0,  5, 10};
    return row_taps[n];
  }
  RATCHET_HD static constexpr unsigned rotation(unsigned n) {
    constexpr unsigned char row_rotations[kRound] = {
        0, 0, 0, 16, 0,  0, 9, 0, 0, 25, 0, 0, 0, 0,  17, 0,  0, 0,  0, 11, 0,  0, 0,
        0, 1, 0, 0,  15, 0, 2, 0, 0, 3,  0, 0, 0, 18, 0,  26, 0, 29, 0, 0,  27, 0};
    return row_rotations[n];
  }
};

/// Of any schedule: `Schedule::tap(n)` is the word that step n adds, `rotation(n)` by how much it
/// rotates, 0 for a multiplication.
template <class Schedule>
class Ring15Of {
 public:
  static constexpr unsigned kRound = Schedule::kRound;  ///< steps of a round

  /// State of stream `stream` under `seed`: hashed, so streams start at unrelated points of cycles
  /// that are far longer than any run; two of 2^18 streams of 2^32 steps meet with probability
  /// 2^-412.
  RATCHET_HD Ring15Of(std::uint64_t seed, std::uint64_t stream) {
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

  RATCHET_HD static constexpr unsigned tap(unsigned n) { return Schedule::tap(n); }
  RATCHET_HD static constexpr unsigned rotation(unsigned n) { return Schedule::rotation(n); }
  /// From splitmix64, so that it was not chosen by hand.
  RATCHET_HD static constexpr std::uint32_t multiplier(unsigned i) {
    return static_cast<std::uint32_t>(mix64(0x9E3779B97F4A7C15ull * (i + 1)) >> 32) | 1u;
  }

 private:
  std::uint32_t w_[15];
};

class Ring15 : public Ring15Of<Ring15Schedule> {
 public:
  using Ring15Of::Ring15Of;
};
class Ring15Rows : public Ring15Of<Ring15RowsSchedule> {
 public:
  using Ring15Of::Ring15Of;
};

}  // namespace ratchet
