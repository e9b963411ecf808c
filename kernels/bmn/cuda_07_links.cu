// bmn/cuda/07_links
// Changed:  not cards but courts: a hand is a linked list of its court cards in shared memory, a
//           payment one subtraction, the pile won by one store; a lane goes on with a spare game in
//           the step in which one ends.
// Why:      a trick has 7.2 cards and 2.2 courts, and the longest of 32 games takes 3.5 means.
// Expected: 80 to 100 instructions a trick and a lane that is rarely idle: 5e9 deals/s.
//           In fact it is as fast with 32 warps as with 48.
// Source:   ratchet
#include "kernels/bmn/links/links.cuh"
#include "kernels/bmn/record/cuda_stage.cuh"

namespace ratchet::bmn {
namespace {

struct Links {
  static constexpr unsigned kThreads = 128, kBlocksPerSm = 10, kPays = 2, kStarved = 6,
                            kNeedy = 20, kSteps = 4;

  static StageInfo info() {
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "Linked lists of courts in shared memory, lanes with a game to spare",
         .source = "ratchet",
         .limit = {"cuda.issue", 198.5},  // warp instructions a deal, counted
         .parameters = common_parameters(500'000'000)});
  }
  static Shape shape(const Parameters& parameters) {
    int device = 0, multiprocessors = 0;
    RATCHET_CUDA(cudaGetDevice(&device));
    RATCHET_CUDA(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const std::uint64_t useful = (parameters.at("deals") + kThreads - 1) / kThreads;
    return {static_cast<unsigned>(std::min<std::uint64_t>(
                useful, static_cast<unsigned>(multiprocessors) * kBlocksPerSm)),
            kThreads};
  }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    links::play_links<Links><<<shape.blocks, shape.threads>>>(job, run_first, tables, totals);
  }
};

const Registration registered{std::make_unique<CudaBmnStage<Links>>()};

}  // namespace
}  // namespace ratchet::bmn
