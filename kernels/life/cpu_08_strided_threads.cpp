// life/cpu/08_strided_threads
// Changed:  07 on several threads: each takes a band of rows through a whole pass, and makes the
//           rows around it that it needs itself. The threads are kept over the passes and the runs.
// Why:      all cores work, and the threads meet once in a pass instead of once in a generation.
// Expected: as many times 07 as there are processors, less 15 rows of the neighbours' on either
//           side of a band of 256: 6 %.
// Source:   ratchet.

#include "kernels/life/strided/cpu_strided.h"

namespace ratchet::life {
namespace {

const Registration registered{std::make_unique<CpuStage>(
    stage_info(
        {.name = RATCHET_STAGE,
         .summary = "07 on a pool of threads, a band of rows each",
         .source = "ratchet",
         .limit = {"cpu.vector_ops", kStridedOpsPerCell},
         .parameters = common_parameters(4096, 512, {threads_parameter(), torus_parameter()}),
         .threads = "threads",
         .survey = grid({{"threads", {1, 2, 4, 8}}})}),
    &make_strided_universe)};

}  // namespace
}  // namespace ratchet::life
