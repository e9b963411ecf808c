// graveler/cuda/02p_as_printed
// Changed:  02 with the three slips that the text's kernel has and C++ lets through: the mask
//           !((1 << 25) - 1), which Rust reads as ~ and C++ as a logical not; the loop `i <= runs`
//           with runs = N / threads + 1; and seeds that are neighbouring numbers.
// Why:      to show what they do: the mask is 0, so a battle has 224 turns and the mean of the
//           maximum drops by 2.4; every thread plays up to 2 battles more than its share; and the
//           first battles of neighbouring threads are correlated (cuda_words.cuh). The slips of the
//           first reduction (a store outside the `if`, a loop one past the array) are undefined
//           behaviour and are mended here.
// Expected: the speed of 02, less the last pair of words.
// Source:   Barr, "Being Wise With Bits" (mask) and "The Kernel" (loop).
#include "kernels/graveler/rounds/cuda_pairs.cuh"
#include "kernels/graveler/stages/cuda_stage.cuh"
#include "kernels/graveler/words/cuda_words.cuh"

namespace ratchet::graveler {
namespace {

struct AsPrinted {
  static constexpr unsigned kThreads = 1024, kBlocksPerSm = 2, kLanes = 1, kBattles = 1;
  static constexpr unsigned kOutcomeWords = 8;
  static constexpr bool kAsPrinted = true;
  using Reduction = OneThreadReduction<kThreads>;
  using Words = XorwowStream<true>;
  static constexpr std::uint32_t kPrintedMask = !((1 << 25) - 1);
  using Round = PairsRound<kPrintedMask>;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "02 with the printed mask (0 in C++) and loop bound",
                       .source = text("Being Wise With Bits") + ", \"The Kernel\"",
                       .limit = {"cuda.lop3", 90},
                       .parameters = common_parameters(kBillion),
                       .as_printed = true});
  }
  static Layout layout() { return paired_words_layout(32); }
};

const Registration registered{std::make_unique<CudaStage<AsPrinted>>()};

}  // namespace
}  // namespace ratchet::graveler
