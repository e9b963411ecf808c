// officers/cpu/06_threads
// Changed:  several threads, each on a block of 64 positions in turn: options of far rare positions
//           ahead of its turn, verification after it.
// Why:      what must be done one value after the other is short: the options within a block and of
//           the block before.
// Expected: as many times 05 as there are cores, until the critical segment decides: 64 values of 30
//           options and a search each, 6000 cycles, 30 M values a second.
// Source:   mvr, "Speculating in the Forward Phase" and "Values as
//           Bytes", of Grossman's program: bytes, and the critical segment as what limits it. More
//           of it the text does not tell.
#include "kernels/officers/bytes/common_run.h"
#include "kernels/officers/bytes/threads.h"
#include "kernels/officers/whole/whole.h"

namespace ratchet::officers {
namespace {

StageInfo info() {
  std::vector<Parameter> parameters = common_parameters(32768);
  parameters.push_back(threads_parameter());
  return stage_info({.name = RATCHET_STAGE,
                     .summary = "05 on several threads: only a short segment one after the other",
                     .source = of_text("Speculating in the Forward Phase"),
                     .parameters = std::move(parameters),
                     .threads = "threads",
                     .survey = grid({{"threads", {1, 2, 4, 8, 16}}})});
}

const Registration registered{std::make_unique<CpuStage<CommonRun<Threads>>>(info(), true)};

}  // namespace
}  // namespace ratchet::officers
