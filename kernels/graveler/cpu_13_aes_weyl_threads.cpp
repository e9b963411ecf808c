// graveler/cpu/13_aes_weyl_threads
// Changed:  12 on plain threads, as 11.
// Why:      nothing is shared between threads, memory least of all.
// Expected: as many times 12 as there are processors.
// Source:   ratchet.

#include "kernels/graveler/stages/cpu_threads.h"
#include "kernels/graveler/stages/cpu_workers.h"

namespace ratchet::graveler {
namespace {

const Registration registered{std::make_unique<ThreadedCpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "12_aes_weyl on plain threads",
                .source = "ratchet",
                .limit = {"cpu.vector_ops", kAesWeylOpsPerBattle},
                .parameters = common_parameters(200'000'000, {threads_parameter()}),
                .threads = "threads",
                .sweep = thread_sweep()}),
    aes_weyl_layout(), &make_aes_weyl_worker)};

}  // namespace
}  // namespace ratchet::graveler
