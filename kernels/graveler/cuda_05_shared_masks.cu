// graveler/cuda/05_shared_masks
// Changed:  a word costs one instruction (ring15.h) and serves two outcomes (cage.h): 45 words make
//           30 outcome words, enough for four battles; before, 58 words of 5 to 6 instructions.
//           Carry-save adders fold seven outcome words into three before they are counted.
// Why:      XORWOW's five to six ALU operations a word were nearly all of the work; then seven
//           population counts a battle, at 16 lanes a clock, would have been the next wall.
// Expected: 45 generator, 30 LOP3, 32 carry-save and about 25 more instructions for four battles;
//           96 of them on the ALU pipe, so 1.44 ms where 87 for one battle took 5.3.
// Source:   ratchet.
#include "kernels/graveler/cage/cuda_cage_layout.h"
#include "kernels/graveler/rounds/cuda_carry_save.cuh"
#include "kernels/graveler/stages/cuda_stage.cuh"
#include "kernels/support/rng/ring15.h"

namespace ratchet::graveler {
namespace {

struct SharedMasks {
  static constexpr unsigned kThreads = 1024, kBlocksPerSm = 1, kLanes = 1, kBattles = 4;
  static constexpr unsigned kOutcomeWords = 8;
  static constexpr bool kAsPrinted = false;
  using Reduction = ShuffleReduction<kThreads>;
  using Words = Ring15;
  using Round = CarrySaveRound;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "one-instruction words, each in two outcomes; carry-save adders",
                       .source = "ratchet",
                       .limit = {"cuda.lop3", 24},
                       .parameters = common_parameters(kBillion)});
  }
  static Layout layout() { return cage_layout(kLanes, kBattles, shared_masks_bit); }
};

const Registration registered{std::make_unique<CudaStage<SharedMasks>>()};

}  // namespace
}  // namespace ratchet::graveler
