// bmn/cuda/05p_as_printed
// Changed:  05 as the text's program counts: a launch has 128 batches of deals a block, and the
//           next deal to play is set to 0 before the launch, not before each batch. The first
//           batch is played. Of the other 127 every thread finds that no deal is left: they are
//           shuffled, and counted. `deals` are those counted, by default of one launch.
// Why:      to show what the text's rate is of.
// Expected: a rate near that of shuffling alone; games are a 128th part of it.
// Source:   Innes, "State Machine with Small Backlogs in Shared Memory"; the
//           program is acinnes/bmn, playbmn_cuda_fsm.cpp (ARTICLE.md).
#include "kernels/bmn/text/kernels.cuh"
#include "kernels/contract/survey_only.h"

namespace ratchet::bmn {
namespace {

struct AsPrinted {
  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "05 as the text's program counts: of 128 batches one is played",
                       .source = of_text("State Machine with Small Backlogs in Shared Memory"),
                       .parameters = text::shaped_parameters(16, 128, 1024, 450'560),
                       .survey = {{{"deals", 4'055'040}}, {{"deals", 14'868'480}, {"blocks", 528}}},
                       .as_printed = true});
  }
  static Shape shape(const Parameters& parameters) { return text::shape_of(parameters); }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    text::launch_small_backlogs<int, text::WideEntry, 220, true>(shape, job, run_first, tables,
                                                                 totals);
  }
};

const Registration registered{std::make_unique<CudaBmnStage<AsPrinted>>()};
const SurveyOnly surveyed{RATCHET_STAGE};  // a rate of deals that are not played is not gated

}  // namespace
}  // namespace ratchet::bmn
