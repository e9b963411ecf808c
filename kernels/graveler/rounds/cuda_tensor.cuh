// A round of graveler/cuda/06_tensor_count: 128 battles of a warp, counted by the tensor core.
#pragma once

#include <cstdint>

#include "kernels/graveler/cage/cage.h"
#include "kernels/graveler/graveler.h"

namespace ratchet::graveler::tensor {

/// Words of a lane along a row: 2 in each of 7 BMMAs, 1 in the last.
inline constexpr unsigned kSteps = 15;
inline constexpr unsigned kColumns = 8;  ///< battles of a row
inline constexpr unsigned kRows = 16;

// The two instructions; where a test compiles the round for a CPU, these functions are the test's.
#ifdef __CUDACC__
/// d += ones(row AND column), 16 x 8, 256 bits deep. Fragments as the PTX manual lays them out for
/// mma.m16n8k256: a0, a2 belong to row lane / 4, a1, a3 to row lane / 4 + 8.
__device__ inline void count_256(int (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                 std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
      "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
/// The same, 128 bits deep: a0 belongs to row lane / 4, a1 to row lane / 4 + 8.
__device__ inline void count_128(int (&d)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t b) {
  asm("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc "
      "{%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a0), "r"(a1), "r"(b));
}
#endif

/// The lowest `count` bits; none below 0, all above 31.
RATCHET_HD constexpr std::uint32_t low_bits(int count) {
  return count <= 0 ? 0u : count >= 32 ? ~0u : (1u << count) - 1;
}
/// Which bits of word `word` of a row (0..59) belong to battle `battle` (0..7).
RATCHET_HD constexpr std::uint32_t battle_mask(unsigned word, unsigned battle) {
  const int first = static_cast<int>(kTurns * battle) - static_cast<int>(32 * word);
  return low_bits(first + static_cast<int>(kTurns)) & ~low_bits(first);
}

/// Outcome Y of a lane sits in register Y % 4 of BMMA Y / 4: its row is the lower one for odd Y,
/// lane / 4 + 8, and its word in that row is 4 * step + lane % 4 with
/// step = 2 * (Y / 4) + (Y % 4) / 2; tensor_count_bit() is the inverse.
RATCHET_HD constexpr unsigned step_of(unsigned y) { return 2 * (y / 4) + y % 4 / 2; }

class TensorRound {
 public:
  __device__ explicit TensorRound(unsigned lane) : lane_(lane) {
#pragma unroll
    for (unsigned step = 0; step < kSteps; ++step)
      column_[step] = battle_mask(4 * step + lane % 4, lane / 4);
  }

  template <class W, class S>
  __device__ void play(W& words, S& sink, unsigned active) {
    std::uint32_t pool[kCageWords];
    Count<S> count{column_, lane_, sink, {0, 0, 0, 0}, {}};
    cage_round(words, pool, count);
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      // Accumulator i: row lane / 4 (+ 8 for i >= 2), column 2 * (lane % 4) + i % 2.
      const unsigned slot = (lane_ / 4 + i / 2 * 8) * kColumns + lane_ % 4 * 2 + i % 2;
      if (slot < active) sink.count(slot, count.ones[i]);
    }
  }

 private:
  template <class S>
  struct Count {
    const std::uint32_t (&column)[kSteps];
    unsigned lane;
    S& sink;
    int ones[4];
    std::uint32_t a[4];

    template <unsigned Y>
    __device__ void operator()(std::uint32_t y) {
      a[Y % 4] = y;
      if constexpr (S::kKeepsOutcomes) keep(Y, y);
      if constexpr (Y % 4 == 3) count_256(ones, a, column[Y / 4 * 2], column[Y / 4 * 2 + 1]);
      if constexpr (Y == kCageOutcomes - 1) count_128(ones, a[0], a[1], column[kSteps - 1]);
    }

    /// For the trace: the word's bits go to the one or two battles of the row that it serves.
    __device__ __noinline__ void keep(unsigned y, std::uint32_t bits) {
      const unsigned row = lane / 4 + y % 2 * 8, word = 4 * step_of(y) + lane % 4;
      for (unsigned battle = 0; battle < kColumns; ++battle)
        if (const std::uint32_t mask = battle_mask(word, battle))
          sink.outcome(row * kColumns + battle, word - kTurns * battle / 32, bits & mask);
    }
  };

  std::uint32_t column_[kSteps];
  unsigned lane_;
};

}  // namespace ratchet::graveler::tensor
