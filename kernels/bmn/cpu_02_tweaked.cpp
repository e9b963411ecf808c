// bmn/cpu/02_tweaked
// Changed:  one mask for all stacks of cards. Each had its own: 268 bytes a stack, now 264.
// Why:      the mask is a number in the code and is not loaded for each card.
// Expected: little; the text gained 3 % on all its processors and lost 9 % on one.
// Source:   Innes, "GPU Baseline": its "tiny data structure tweak" is this difference between
//           playbmn_cpu.cpp and playbmn.cpp (acinnes/bmn, e2601c0).
#include "kernels/bmn/text/game.h"
#include "kernels/bmn/workers/workers.h"

namespace ratchet::bmn {
namespace {

void play_all(const HostJob& job, HostRecord& record) {
  text::StackOfCards<int> hand[2];
  for (std::uint64_t index = job.first; index < job.end; ++index) {
    text::deal_out(job.deal(index), hand);
    record.game(index, text::play_nested(hand, job.cap));
  }
}

const Registration registered{
    std::make_unique<CpuBmnStage>(stage_info({.name = RATCHET_STAGE,
                                              .summary = "Nested branches, one mask for all stacks",
                                              .source = of_text("GPU Baseline"),
                                              .parameters = common_parameters(1'000'000)}),
                                  &play_all)};

}  // namespace
}  // namespace ratchet::bmn
