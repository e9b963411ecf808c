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
#include "kernels/graveler/cage/cuda_cage_layout.h"
#include "kernels/graveler/rounds/cuda_tensor.cuh"
#include "kernels/graveler/stages/cuda_stage.cuh"
#include "kernels/support/rng/ring15.h"

namespace ratchet::graveler {
namespace {

struct TensorCount {
  static constexpr unsigned kThreads = 1024, kBlocksPerSm = 1, kLanes = 32;
  static constexpr unsigned kBattles = tensor::kRows * tensor::kColumns;
  static constexpr unsigned kOutcomeWords = 9;  // 231 bits from any bit of a word on
  static constexpr bool kAsPrinted = false;
  using Reduction = ShuffleReduction<kThreads>;
  using Words = Ring15;
  using Round = tensor::TensorRound;

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
