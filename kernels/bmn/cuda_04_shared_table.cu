// bmn/cuda/04_shared_table
// Changed:  the table is in shared memory.
// Why:      it is read once a card.
// Expected: nothing: it was in the first-level cache. Innes saw none, but for his log's "3.5 ??".
// Source:   Innes, "State Machine with Lookup Table in Shared Memory".
#include "kernels/bmn/text/kernels.cuh"

namespace ratchet::bmn {
namespace {

struct SharedTable {
  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "As 03, the table in shared memory, 32 x 32 threads",
                       .source = of_text("State Machine with Lookup Table in Shared Memory"),
                       .parameters = text::backlog_parameters(),
                       .sweep = {{{"deals", 2'000'000}, {"blocks", 528}, {"threads", 128}}},
                       .survey = text::backlog_survey()});
  }
  static Shape shape(const Parameters& parameters) { return text::backlog_shape_of(parameters); }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    text::launch_backlogs<true>(shape, job, run_first, tables, totals);
  }
};

const Registration registered{std::make_unique<CudaBmnStage<SharedTable>>()};

}  // namespace
}  // namespace ratchet::bmn
