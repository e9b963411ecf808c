// bmn/cpu/06_exhaustive
// Changed:  deals of the game with 40 cards by their rank, one after another; played by 04.
// Why:      all of them can be played, and those that never end be found.
// Expected: faster than 04, since 40 cards make shorter games.
// Source:   ratchet
#include "kernels/bmn/search/from_the_first.h"
#include "kernels/bmn/search/ranks.h"
#include "kernels/bmn/workers/workers.h"

namespace ratchet::bmn {
namespace {

Deal deal_of_rank(const Parameters& parameters, std::uint64_t index) {
  return search::ranked_deal(search::rank_at(parameters.at("first"), index));
}

const Registration registered{std::make_unique<search::RangeStage<CpuBmnStage>>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "Search: all deals of a range of ranks, 40 cards, played by 04",
                .source = "ratchet",
                .limit = {"cpu.vector_ops", kPlanesOpsPerStep * kStepsOf40},
                .parameters = search::rank_parameters(2'000'000)}),
    &play_planes, &deal_of_rank)};

}  // namespace
}  // namespace ratchet::bmn
