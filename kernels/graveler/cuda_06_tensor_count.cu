// graveler/cuda/06_tensor_count
// Changed:  the binary tensor core counts. One BMMA ANDs 16 rows of 256 outcome bits with 8 columns
//           of masks and counts the ones of all 128 pairs; before, 32 LOP3, 16 POPC and 12
//           additions did that for four battles.
// Why:      counting was half of the work, and the tensor core stood idle.
// How:      a row is a stream of 1920 outcome bits, made in eight steps by the four lanes that own
//           it in the fragment layout; its battle n is bits 231 n .. 231 n + 230, and column n of
//           the mask matrix selects them. Eight chained BMMAs (the last one half as deep) leave, in
//           the four accumulators of every lane, the counts of 128 battles: 7.5 outcome words a
//           battle, of which 7.22 are used.
// Expected: 59 ALU operations for four battles instead of 96: 0.89 ms if the tensor core works
//           beside the ALU, where its own 8 BMMAs for 128 battles take 0.40 ms.
//           In fact it does not work beside the ALU: with four LOP3 to each, BMMAs fall to less
//           than half of their rate. The clocks of both add up to nearly all that a round takes.
// Source:   ratchet.
#include "kernels/graveler/cage/cage.h"
#include "kernels/graveler/cage/cuda_cage_layout.h"
#include "kernels/graveler/stages/cuda_stage.cuh"
#include "kernels/support/rng/ring15.h"

namespace ratchet::graveler {
namespace {

constexpr unsigned kSteps = 15;  // words of a lane along a row: 2 in each of 7 BMMAs, 1 in the last
constexpr unsigned kColumns = 8;  // battles of a row
constexpr unsigned kRows = 16;

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

/// The lowest `count` bits; none below 0, all above 31.
RATCHET_HD constexpr std::uint32_t low_bits(int count) {
  return count <= 0 ? 0u : count >= 32 ? ~0u : (1u << count) - 1;
}
/// Which bits of word `word` of a row (0..59) belong to battle `battle` (0..7).
RATCHET_HD constexpr std::uint32_t battle_mask(unsigned word, unsigned battle) {
  const int first = static_cast<int>(kTurns * battle) - static_cast<int>(32 * word);
  return low_bits(first + static_cast<int>(kTurns)) & ~low_bits(first);
}

/// Outcome Y of a lane sits in register Y % 4 of BMMA Y / 4: its row is the lower one, lane / 4 + 8,
/// for odd Y, and its word in that row is 4 * step + lane % 4 with step = 2 * (Y / 4) + (Y % 4) / 2;
/// tensor_count_bit() is the inverse.
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

struct TensorCount {
  static constexpr unsigned kThreads = 1024, kBlocksPerSm = 1, kLanes = 32;
  static constexpr unsigned kBattles = kRows * kColumns;
  static constexpr unsigned kOutcomeWords = 9;  // 231 bits from any bit of a word on
  static constexpr bool kAsPrinted = false;
  using Reduction = ShuffleReduction<kThreads>;
  using Words = Ring15;
  using Round = TensorRound;

  static StageInfo info() {
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "one-instruction words, each in two outcomes; the tensor core counts",
         .source = "ratchet",
         .limit = {"cuda.lop3", 14.75},
         .parameters = common_parameters(kBillion)});
  }
  static Layout layout() { return cage_layout(kLanes, kBattles, tensor_count_bit); }
};

const Registration registered{std::make_unique<CudaStage<TensorCount>>()};

}  // namespace
}  // namespace ratchet::graveler
