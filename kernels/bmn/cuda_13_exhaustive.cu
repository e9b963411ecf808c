// bmn/cuda/13_exhaustive
// Changed:  10 as 12 plays: the same ranks of the game with 40 cards.
// Why:      the whole game is a search of hours, so each step that goes faster counts.
// Expected: the gain of 12 less a little: of a shorter game more is dealing.
// Source:   ratchet
#include "kernels/bmn/search/from_the_first.h"
#include "kernels/bmn/search/ranks.cuh"
#include "kernels/bmn/short_steps/short_steps.cuh"

namespace ratchet::bmn {
namespace {

struct ShortExhaustive : short_steps::Tuning {
  using Source = search::Ranks;
  // So that lanes keep their places longer. Of 12 blocks ten fit, and two find no deals left.
  static constexpr unsigned kPiece = 4096;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "Search: all deals of a range of ranks, 40 cards, played by 12",
                       .source = "ratchet",
                       .limit = {"cuda.issue", 69.2},  // warp instructions a deal, counted
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
    return lean_links::full_shape<ShortExhaustive>(parameters);
  }
  static void launch(Shape shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
    short_steps::launch_short_steps<ShortExhaustive>(shape, job, run_first, tables,
                                                     {search::device_rank_tables()}, totals);
  }
};

const Registration registered{
    std::make_unique<search::RangeStage<CudaBmnStage<ShortExhaustive>>>()};

}  // namespace
}  // namespace ratchet::bmn
