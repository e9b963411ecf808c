// bmn/cuda/08_lean_links
// Changed:  a step of half the instructions: words that add up without masks, tails and ends of hands in
//           shared memory instead of exchanged registers, turns and tricks as one sum; deals laid out
//           without a loop that lanes leave apart.
// Why:      07 is bound by instructions, of which most chose between two registers.
// Expected: 44 instructions a step of up to two payments, of which 22 on the ALU pipe and 10 on that of
//           shared memory, where 07 has 100: 6e9 deals/s.
// Source:   ratchet
#include "kernels/bmn/lean_links/lean_links.cuh"
#include "kernels/bmn/record/cuda_stage.cuh"

namespace ratchet::bmn {
namespace {

struct LeanLinks {
  static constexpr unsigned kThreads = 128, kBlocksPerSm = 10, kStarved = 8, kNeedy = 20;

  static StageInfo info() {
    return stage_info({.name = "bmn/cuda/08_lean_links",
                       .summary = "07 with half the instructions a step",
                       .source = "ratchet",
                       .parameters = common_parameters(1'000'000'000)});
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
    lean_links::play_lean_links<LeanLinks>
        <<<shape.blocks, shape.threads>>>(job, run_first, tables, totals);
  }
};

const Registration registered{std::make_unique<CudaBmnStage<LeanLinks>>()};

}  // namespace
}  // namespace ratchet::bmn
