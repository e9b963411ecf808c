// bmn/cpu/03_machine
// Changed:  a table says what a card does, in place of branches.
// Why:      it is the program for the GPU, compiled for the CPU.
// Expected: slower, as in the text (0.56 -> 0.27 M deals/s): prediction serves branches well, and
//           each card now waits for the look-up of the last.
// Source:   Innes, "State Machine with Incremental Shuffling".
#include "kernels/bmn/text/game.h"
#include "kernels/bmn/workers/workers.h"

namespace ratchet::bmn {
namespace {

void play_all(const HostJob& job, HostRecord& record) {
  static const auto table = text::action_table<text::WideEntry>();
  text::Machine<int> machine;
  for (std::uint64_t index = job.first; index < job.end; ++index) {
    text::deal_out(job.deal(index), machine.stack);
    record.game(index, text::play_machine(machine, table.entry, job.cap));
  }
}

const Registration registered{std::make_unique<CpuBmnStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "State machine by a table, a card at a time",
                .source = of_text("State Machine with Incremental Shuffling"),
                .parameters = common_parameters(1'000'000)}),
    &play_all)};

}  // namespace
}  // namespace ratchet::bmn
