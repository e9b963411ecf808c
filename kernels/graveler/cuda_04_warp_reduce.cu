// graveler/cuda/04_warp_reduce
// Changed:  the block's maximum by warp shuffles; before, one thread looped over 1024 entries.
// Why:      1023 threads waited for one.
// Expected: nothing measurable, the loop is 1 part in 10^4 of the work.
//           In fact there is a gain, small but beyond the noise. The text saw none.
// Source:   Barr, "Warp-Level Reduction".
#include "kernels/graveler/rounds/cuda_two_battles.cuh"
#include "kernels/graveler/stages/cuda_stage.cuh"
#include "kernels/graveler/words/cuda_words.cuh"

namespace ratchet::graveler {
namespace {

struct WarpReduce {
  static constexpr unsigned kThreads = 1024, kBlocksPerSm = 2, kLanes = 1, kBattles = 2;
  static constexpr unsigned kOutcomeWords = 8;
  static constexpr bool kAsPrinted = false;
  using Reduction = ShuffleReduction<kThreads>;
  using Words = XorwowWords;
  using Round = TwoBattlesRound;

  static StageInfo info() {
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "29 words for two battles, warps reduce by shuffles: the text's last kernel",
         .source = text("Warp-Level Reduction"),
         .limit = {"cuda.lop3", 87},
         .parameters = common_parameters(kBillion)});
  }
  static Layout layout() { return two_battles_layout(); }
};

const Registration registered{std::make_unique<CudaStage<WarpReduce>>()};

}  // namespace
}  // namespace ratchet::graveler
