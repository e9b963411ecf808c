// bmn/cuda/06p_as_printed
// Changed:  06 with what 05p has: of 128 batches of deals counted one is played.
// Why:      the text's 10^8 deals/s are of this program: 0.8 * 10^6 games/s.
// Expected: the program, unmodified, counts 0.218 * 10^9 deals/s on an H200, and 1.83 * 10^9 with
//           528 blocks.
// Source:   Innes, "State Machine with Small Backlogs in Shared Memory, uint8 enum type"; the
//           program is acinnes/bmn, playbmn_cuda_fsm.cpp (ARTICLE.md).
#include "kernels/bmn/text/kernels.cuh"
#include "kernels/contract/survey_only.h"

namespace ratchet::bmn {
namespace {

struct AsPrinted {
  static StageInfo info() {
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "06 as the text's program counts: of 128 batches one is played",
         .source = of_text("State Machine with Small Backlogs in Shared Memory, uint8 enum type"),
         .parameters = text::shaped_parameters(16, 128, 1024, 1'812'480),
         .survey = {{{"deals", 16'312'320}}, {{"deals", 59'811'840}, {"blocks", 528}}},
         .as_printed = true});
  }
  static Shape shape(const Parameters& parameters) { return text::shape_of(parameters); }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    text::launch_small_backlogs<std::uint8_t, text::PackedEntry, 885, true>(shape, job, run_first,
                                                                            tables, totals);
  }
};

const Registration registered{std::make_unique<CudaBmnStage<AsPrinted>>()};
const SurveyOnly surveyed{RATCHET_STAGE};  // a rate of deals that are not played is not gated

}  // namespace
}  // namespace ratchet::bmn
