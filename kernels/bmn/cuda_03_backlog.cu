// bmn/cuda/03_backlog
// Changed:  deals are made in advance, 2^20 at a time; a thread takes the next by an atomic.
// Why:      no lane waits for the longest game of its warp.
// Expected: up to 3.5 times 02, which is what the longest of 32 games takes over the mean.
// Source:   Innes, "State Machine with Large Backlog of Deals".
#include "kernels/bmn/text/kernels.cuh"

namespace ratchet::bmn {
namespace {

struct LargeBacklog {
  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "State machine, next deal from a backlog in global memory by an "
                                  "atomic, 32 x 32 threads",
                       .source = of_text("State Machine with Large Backlog of Deals"),
                       .parameters = text::backlog_parameters(),
                       .sweep = {{{"deals", 2'000'000}, {"blocks", 528}, {"threads", 128}}},
                       // "16/128 has similar results", the text says.
                       .survey = joined({{{"blocks", 16}, {"threads", 128}},
                                         {{"deals", 2'000'000}, {"blocks", 16}, {"threads", 128}}},
                                        text::backlog_survey())});
  }
  static Shape shape(const Parameters& parameters) { return text::backlog_shape_of(parameters); }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    text::launch_backlogs<false>(shape, job, run_first, tables, totals);
  }
};

const Registration registered{std::make_unique<CudaBmnStage<LargeBacklog>>()};

}  // namespace
}  // namespace ratchet::bmn
