// bmn/cuda/01_port
// Changed:  CUDA threads in place of CPU threads, a game each from shuffle to end.
// Why:      the first thing to try: the game is compact and deals do not depend on each other.
// Expected: poor; the lanes of a warp branch apart at nearly every card.
// Source:   Innes, "GPU Baseline".
#include "kernels/bmn/text/kernels.cuh"

namespace ratchet::bmn {
namespace {

struct Port {
  static StageInfo info() {
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "Straight port: nested branches, a game a thread, 32 x 32 threads",
         .source = of_text("GPU Baseline"),
         .parameters =
             joined(text::shaped_parameters(32, 32, 1024, 100'000), {text::chain_parameter()}),
         .sweep = {{{"deals", 2'000'000}, {"blocks", 528}, {"threads", 128}}},
         .survey = text::chain_survey(32 * 32)});
  }
  static constexpr bool kShuffles = true;
  static Deal deal(const Parameters& parameters, std::uint64_t index) {
    return search::chained_deal(parameters, index);
  }
  static std::uint64_t search(const Parameters& parameters) { return parameters.at("chain"); }
  static Shape shape(const Parameters& parameters) { return text::shape_of(parameters); }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    const auto kernel = job.search > 1 ? text::play_port_chains<int> : text::play_port<int>;
    kernel<<<shape.blocks, shape.threads>>>(job, run_first, tables, totals);
  }
};

const Registration registered{std::make_unique<CudaBmnStage<Port>>()};

}  // namespace
}  // namespace ratchet::bmn
