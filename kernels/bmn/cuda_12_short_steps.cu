// bmn/cuda/12_short_steps
// Changed:  08 with fewer instructions, 44 a step in place of 54: the word of the pile's last court
//           counts the pile, tails say what lies behind them, both are one word, spares are kept as
//           begun. Warps take deals from a count that all share; 12 blocks a multiprocessor.
// Why:      08 is bound by instructions, and with even shares its oldest warps are done first: 7.2
//           of ten are at work in the mean.
// Expected: 4000 instructions for 32 games where 08 has 4820: 6.3e9 deals/s; with all warps at work
//           to the end 6.9e9.
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
                       .limit = {"cuda.issue", 125.8},  // warp instructions a deal, counted
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
