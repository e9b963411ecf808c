// bmn/cuda/10_exhaustive
// Changed:  deals of the game with 40 cards by their rank, one after another; played by 08.
// Why:      all 1.9e14 of them can be played, and those that never end be found.
// Expected: 1.2 times 08 at least: games are shorter, and a rank is read by two look-ups.
//           In fact games from the middle of the ranks gain more than those in order of rank.
// Source:   ratchet
#include "kernels/bmn/lean_links/lean_links.cuh"
#include "kernels/bmn/search/from_the_first.h"
#include "kernels/bmn/search/ranks.cuh"

namespace ratchet::bmn {
namespace {

struct Exhaustive : lean_links::Tuning {
  using Source = search::Ranks;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "Search: all deals of a range of ranks, 40 cards, played by 08",
                       .source = "ratchet",
                       .limit = {"cuda.issue", 81.46},  // warp instructions a deal, counted
                       .parameters = search::rank_parameters(500'000'000),
                       .survey = {{{"first", search::kShortDeals / 8}},
                                  {{"first", search::kShortDeals / 8 * 3}},
                                  {{"first", search::kShortDeals / 8 * 5}},
                                  {{"first", search::kShortDeals / 8 * 7}}}});
  }
  static Deal deal(const Parameters& parameters, std::uint64_t index) {
    return search::ranked_deal(search::rank_at(parameters.at("first"), index));
  }
  static std::uint64_t search(const Parameters& parameters) { return parameters.at("first"); }
  static Shape shape(const Parameters& parameters) {
    return lean_links::full_shape<Exhaustive>(parameters);
  }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    lean_links::play_lean_links<Exhaustive><<<shape.blocks, shape.threads>>>(
        job, run_first, tables, {search::device_rank_tables()}, totals);
  }
};

const Registration registered{std::make_unique<search::RangeStage<CudaBmnStage<Exhaustive>>>()};

}  // namespace
}  // namespace ratchet::bmn
