// bmn/cpu/05_swaps
// Changed:  the next deal is the last one with two cards exchanged, as in the text's search; the
//           games are played by 04.
// Why:      the text's way to make deals.
// Expected: the speed of 04 less what replaying half a chain of swaps costs; a chain is no better a
//           search than shuffles are, since neighbouring games have little in common.
// Source:   Innes, "State Machine with Incremental Shuffling".
#include "kernels/bmn/search/swaps.h"
#include "kernels/bmn/workers/workers.h"

namespace ratchet::bmn {
namespace {

const Registration registered{std::make_unique<CpuBmnStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "Search: chains of single swaps, played by 04",
                .source = of_text("State Machine with Incremental Shuffling"),
                .parameters = search::chain_parameters(2'000'000)}),
    &play_planes, &search::chained_deal)};

}  // namespace
}  // namespace ratchet::bmn
