// bmn/cpu/02_tweaked
// Changed:  cards are bytes: the cards of a hand are one cache line, not four. The text does not
//           say what its "tiny data structure tweak" was; bytes are a guess.
// Why:      a pile is copied card by card.
// Expected: little; the text gained 3 % on all its processors and lost 9 % on one.
// Source:   Innes, "GPU Baseline".
#include "kernels/bmn/text/game.h"
#include "kernels/bmn/workers/workers.h"

namespace ratchet::bmn {
namespace {

void play_all(const HostJob& job, HostRecord& record) {
  text::StackOfCards<std::uint8_t> hand[2];
  for (std::uint64_t index = job.first; index < job.end; ++index) {
    text::deal_out(job.deal(index), hand);
    record.game(index, text::play_nested(hand, job.cap));
  }
}

const Registration registered{
    std::make_unique<CpuBmnStage>(stage_info({.name = RATCHET_STAGE,
                                              .summary = "Nested branches, a card at a time, bytes",
                                              .source = of_text("GPU Baseline"),
                                              .parameters = common_parameters(1'000'000)}),
                                  &play_all)};

}  // namespace
}  // namespace ratchet::bmn
