// bmn/cuda/09_swaps
// Changed:  the next deal is the last one with two cards exchanged, as in the text's search; the
//           games are played by 08.
// Why:      the text's way to make deals.
// Expected: slower than 08: half a chain of swaps is replayed for each deal, and each swap costs a
//           block of random words as a whole shuffle does.
// Source:   Innes, "State Machine with Incremental Shuffling".
#include "kernels/bmn/lean_links/lean_links.cuh"
#include "kernels/bmn/search/swaps.h"

namespace ratchet::bmn {
namespace {

struct Chains : lean_links::Shuffles {
  __device__ __forceinline__ Shuffle deal(const Job& job, const ShuffleTables* tables,
                                          std::uint64_t number, lean_links::Word,
                                          const lean_links::SharedNodes&) const {
    return search::chained(job.seed, number, job.search, *tables);
  }
};

struct Swaps : lean_links::Tuning {
  using Source = Chains;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "Search: chains of single swaps, played by 08",
                       .source = of_text("State Machine with Incremental Shuffling"),
                       .limit = {"cuda.issue", 363.2},  // warp instructions a deal, counted
                       .parameters = search::chain_parameters(200'000'000)});
  }
  static Deal deal(const Parameters& parameters, std::uint64_t index) {
    return search::chained_deal(parameters, index);
  }
  static std::uint64_t search(const Parameters& parameters) { return parameters.at("chain"); }
  static Shape shape(const Parameters& parameters) {
    return lean_links::full_shape<Swaps>(parameters);
  }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    lean_links::play_lean_links<Swaps>
        <<<shape.blocks, shape.threads>>>(job, run_first, tables, {}, totals);
  }
};

const Registration registered{std::make_unique<CudaBmnStage<Swaps>>()};

}  // namespace
}  // namespace ratchet::bmn
