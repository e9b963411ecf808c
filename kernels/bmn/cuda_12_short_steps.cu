// bmn/cuda/12_short_steps
// Changed:  08 with a fifth fewer instructions a step and a fourth of those to go on with a spare:
//           the pile counted in the word of its last court, tails that say what lies behind them,
//           both in one word, spares kept as begun; 12 blocks a multiprocessor in place of 10.
// Why:      08 starts 3.1 of 4 instructions a clock, so fewer are what helps.
// Expected: 44 instructions a step where 08 has 54, and 4000 for 32 games where 08 has 4820: 6.5e9
//           deals/s.
// Source:   ratchet
#include "kernels/bmn/short_steps/short_steps.cuh"

namespace ratchet::bmn {
namespace {

struct ShortSteps : short_steps::Tuning {
  using Source = lean_links::Shuffles;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "08 with four fifths of the instructions a step",
                       .source = "ratchet",
                       .limit = {"cuda.issue", 150.63},  // warp instructions a deal, counted
                       .parameters = common_parameters(500'000'000)});
  }
  static Shape shape(const Parameters& parameters) {
    return lean_links::full_shape<ShortSteps>(parameters);
  }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    short_steps::launch_short_steps<ShortSteps>(shape, job, run_first, tables, {}, totals);
  }
};

const Registration registered{std::make_unique<CudaBmnStage<ShortSteps>>()};

}  // namespace
}  // namespace ratchet::bmn
