// graveler/cuda/03_29_words
// Changed:  two battles share one word for their last seven turns: 29 words for two, before 32.
// Why:      a whole pair of words for seven turns throws 25 of 32 bits away.
// Expected: 10 %: words are nearly all of the work, and a tenth of them go.
//           In fact half of it: words fall by 9 %, ALU operations only from 94 to 87, because the
//           shifts and masks of the shared word are new.
// Source:   Barr, "Less Rolls Means Less Work".
#include "kernels/graveler/rounds/cuda_two_battles.cuh"
#include "kernels/graveler/stages/cuda_stage.cuh"
#include "kernels/graveler/words/cuda_words.cuh"

namespace ratchet::graveler {
namespace {

struct TwentyNineWords {
  static constexpr unsigned kThreads = 1024, kBlocksPerSm = 2, kLanes = 1, kBattles = 2;
  static constexpr unsigned kOutcomeWords = 8;
  static constexpr bool kAsPrinted = false;
  using Reduction = OneThreadReduction<kThreads>;
  using Words = XorwowWords;
  using Round = TwoBattlesRound;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "29 words for two battles",
                       .source = text("Less Rolls Means Less Work"),
                       .limit = {"cuda.lop3", 87},
                       .parameters = common_parameters(kBillion)});
  }
  static Layout layout() { return two_battles_layout(); }
};

const Registration registered{std::make_unique<CudaStage<TwentyNineWords>>()};

}  // namespace
}  // namespace ratchet::graveler
