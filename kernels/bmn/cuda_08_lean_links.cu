// bmn/cuda/08_lean_links
// Changed:  a step of half the instructions: words that add up without masks, tails and ends of
//           hands in shared memory in place of exchanged registers, turns and tricks as one sum;
//           deals laid out without a loop that lanes leave apart.
// Why:      07 is bound by instructions, of which most chose between two registers.
// Expected: 44 instructions a step of up to two payments, of which 22 on the ALU pipe and 10 on
//           that of shared memory, where 07 has 100: 6e9 deals/s.
// Source:   ratchet
#include "kernels/bmn/lean_links/lean_links.cuh"

namespace ratchet::bmn {
namespace {

struct LeanLinks : lean_links::Tuning {
  using Source = lean_links::Shuffles;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "07 with half the instructions a step",
                       .source = "ratchet",
                       .limit = {"cuda.issue", 150.63},  // warp instructions a deal, counted
                       .parameters = common_parameters(500'000'000)});
  }
  static Shape shape(const Parameters& parameters) {
    return lean_links::full_shape<LeanLinks>(parameters);
  }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    lean_links::play_lean_links<LeanLinks>
        <<<shape.blocks, shape.threads>>>(job, run_first, tables, {}, totals);
  }
};

const Registration registered{std::make_unique<CudaBmnStage<LeanLinks>>()};

}  // namespace
}  // namespace ratchet::bmn
