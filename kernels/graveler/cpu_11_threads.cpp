// graveler/cpu/11_threads
// Changed:  std::thread instead of the task scheduler; the calling thread plays one share. The
//           shares add up to the battles asked for, where the text's truncation needs +1 a thread.
// Why:      even shares need no scheduler.
// Expected: as 10; starting a thread costs some 10 us a run.
// Source:   Barr, "The Solution".

#include "kernels/graveler/stages/cpu_threads.h"
#include "kernels/graveler/stages/cpu_workers.h"

namespace ratchet::graveler {
namespace {

const Registration registered{std::make_unique<ThreadedCpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "Plain threads, an even share each, the caller plays too",
                .source = text("The Solution"),
                .limit = {"cpu.vector_ops", kXoshiroX8OpsPerBattle},
                .parameters = common_parameters(40'000'000, {threads_parameter()}),
                .threads = "threads",
                .sweep = thread_sweep()}),
    xoshiro_x8_layout(), &make_xoshiro_x8_worker)};

}  // namespace
}  // namespace ratchet::graveler
