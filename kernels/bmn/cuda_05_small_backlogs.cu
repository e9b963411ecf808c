// bmn/cuda/05_small_backlogs
// Changed:  a backlog for each block in shared memory, which the block refills together.
// Why:      the large one is far away.
// Expected: the text gained fourteen times by it.
// Source:   Innes, "State Machine with Small Backlogs in Shared Memory".
#include "kernels/bmn/text/kernels.cuh"

namespace ratchet::bmn {
namespace {

struct SmallBacklogs {
  static StageInfo info() {
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary =
             "As 03, a backlog of 220 deals for each block in shared memory, 16 x 128 threads",
         .source = of_text("State Machine with Small Backlogs in Shared Memory"),
         .parameters = text::shaped_parameters(16, 128, 1024, 100'000),
         .sweep = {{{"deals", 2'000'000}, {"blocks", 528}, {"threads", 128}}}});
  }
  static Shape shape(const Parameters& parameters) { return text::shape_of(parameters); }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    text::launch_small_backlogs<int, text::WideEntry, 220>(shape, job, run_first, tables, totals);
  }
};

const Registration registered{std::make_unique<CudaBmnStage<SmallBacklogs>>()};

}  // namespace
}  // namespace ratchet::bmn
