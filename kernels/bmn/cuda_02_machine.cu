// bmn/cuda/02_machine
// Changed:  a table says what a card does; the state is data alone.
// Why:      lanes stay together within a game.
// Expected: little: they still wait for the longest game of the warp. The text lost speed.
// Source:   Innes, "State Machine with Incremental Shuffling".
#include "kernels/bmn/text/kernels.cuh"

namespace ratchet::bmn {
namespace {

struct MachineStage {
  static StageInfo info() {
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "State machine by a table in global memory, a game a thread, 128 x 32 threads",
         .source = of_text("State Machine with Incremental Shuffling"),
         .parameters =
             joined(text::shaped_parameters(128, 32, 1024, 400'000), {text::chain_parameter()}),
         .sweep = {{{"deals", 2'000'000}, {"blocks", 528}, {"threads", 128}}},
         .survey = text::chain_survey(128 * 32)});
  }
  static constexpr bool kShuffles = true;
  static Deal deal(const Parameters& parameters, std::uint64_t index) {
    return search::chained_deal(parameters, index);
  }
  static std::uint64_t search(const Parameters& parameters) { return parameters.at("chain"); }
  static Shape shape(const Parameters& parameters) { return text::shape_of(parameters); }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    const auto kernel = job.search > 1 ? text::play_machines_chains<int, text::WideEntry>
                                       : text::play_machines<int, text::WideEntry>;
    kernel<<<shape.blocks, shape.threads>>>(job, run_first, tables,
                                            text::device_action_table<text::WideEntry>(), totals);
  }
};

const Registration registered{std::make_unique<CudaBmnStage<MachineStage>>()};

}  // namespace
}  // namespace ratchet::bmn
