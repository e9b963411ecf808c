// bmn/cpu/01_original
// Changed:  the starting point: nested branches, cards and counters as ints, and a mask in each
//           stack of cards.
// Source:   Innes, "Starting Point".
#include "kernels/bmn/text/game.h"
#include "kernels/bmn/workers/workers.h"

namespace ratchet::bmn {
namespace {

void play_all(const HostJob& job, HostRecord& record) {
  text::StackOfCards<int, text::OwnMask> hand[2];
  for (std::uint64_t index = job.first; index < job.end; ++index) {
    text::deal_out(job.deal(index), hand);
    record.game(index, text::play_nested(hand, job.cap));
  }
}

const Registration registered{
    std::make_unique<CpuBmnStage>(stage_info({.name = RATCHET_STAGE,
                                              .summary = "Nested branches, a card at a time, ints",
                                              .source = of_text("Starting Point"),
                                              .parameters = common_parameters(1'000'000)}),
                                  &play_all)};

}  // namespace
}  // namespace ratchet::bmn
