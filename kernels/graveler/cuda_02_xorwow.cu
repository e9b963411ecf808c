// graveler/cuda/02_xorwow
// Changed:  cuRAND's XORWOW instead of xoshiro256+; 32-bit words, 16 a battle; one thread of each
//           block reduces the block's maxima.
// Why:      XORWOW is made of 32-bit operations, the GPU's own width.
// Expected: about 1.5 times 01: some 5.6 ALU operations a word instead of about 14 for 64 bits.
//           In fact less: 94 ALU operations a battle instead of 110, since the compiler joins
//           xoshiro's XORs into three-input LOP3s.
// Source:   Barr, "The Kernel".
#include "kernels/graveler/rounds/cuda_pairs.cuh"
#include "kernels/graveler/stages/cuda_stage.cuh"
#include "kernels/graveler/words/cuda_words.cuh"

namespace ratchet::graveler {
namespace {

struct Xorwow {
  static constexpr unsigned kThreads = 1024, kBlocksPerSm = 2, kLanes = 1, kBattles = 1;
  static constexpr unsigned kOutcomeWords = 8;
  static constexpr bool kAsPrinted = false;
  using Reduction = OneThreadReduction<kThreads>;
  using Words = XorwowWords;
  using Round = PairsRound<kLastSeven>;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "cuRAND XORWOW, 16 words a battle, one thread reduces the block",
                       .source = text("The Kernel"),
                       .limit = {"cuda.lop3", 94},
                       .parameters = common_parameters(kBillion)});
  }
  static Layout layout() { return paired_words_layout(32); }
};

const Registration registered{std::make_unique<CudaStage<Xorwow>>()};

}  // namespace
}  // namespace ratchet::graveler
