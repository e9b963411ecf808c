// graveler/cuda/07_more_multiplications
// Changed:  32 steps of the generator's 45 multiply and 13 rotate; in 06 20 and 25. The words are
//           those of Ring15Rows (ring15.h).
// Why:      a rotation takes the ALU pipe for two clocks, the pipe that 06 waits for. A
//           multiplication goes to the FMA pipe, which 06 leaves idle for four clocks of five.
// How:      each multiplication is a relation that holds at bit 0 for ever, and rolls must not show
//           it. A battle of 05 takes seven words of one stream, and with more than 20
//           multiplications two such battles would have to show some. A battle of 06 has at most
//           three of each of four streams: there is room.
// Expected: 12 rotations fewer are 24 clocks of the ALU pipe, of 182 a round. Twelve
// multiplications
//           more cost 0.65 clocks each beside it, 8 in all: 166, or 1.25 ms. It is so; kernels of
//           other schedules with as many are up to 6 % slower (STAGES.md).
// Source:   ratchet.
#include "kernels/graveler/cage/cuda_cage_layout.h"
#include "kernels/graveler/rounds/cuda_tensor.cuh"
#include "kernels/graveler/stages/cuda_stage.cuh"
#include "kernels/support/rng/ring15.h"

namespace ratchet::graveler {
namespace {

struct MoreMultiplications {
  static constexpr unsigned kThreads = 1024, kBlocksPerSm = 1, kLanes = 32;
  static constexpr unsigned kBattles = tensor::kRows * tensor::kColumns;
  static constexpr unsigned kOutcomeWords = 9;  // 231 bits from any bit of a word on
  static constexpr bool kAsPrinted = false;
  using Reduction = ShuffleReduction<kThreads>;
  using Words = Ring15Rows;
  using Round = tensor::TensorRound;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "06_tensor_count with more of the words from the FMA pipe",
                       .source = "ratchet",
                       .limit = {"cuda.lop3", 11.75},
                       .parameters = common_parameters(kBillion)});
  }
  static Layout layout() { return cage_layout(kLanes, kBattles, tensor_count_bit); }
};

const Registration registered{std::make_unique<CudaStage<MoreMultiplications>>()};

}  // namespace
}  // namespace ratchet::graveler
