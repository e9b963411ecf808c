// life/cpu/06_simd_threads
// Changed:  05 on several threads: in every generation each makes an equal share of the rows. The
//           threads are kept over the generations and the runs.
// Why:      all cores work. Starting a thread costs as much as a generation.
// Expected: as many times 05 as there are processors, less one meeting of the threads a generation:
//           some microseconds of 80. The text: 2 times on an i7 5820K, 6 times on an i9 11900K.
// Source:   Dijkstra and Brouwer, "Embracing the Spectacle of Parallelism Using SIMD and
//           Multi-Threading".

#include "kernels/life/packed/cpu_simd.h"

namespace ratchet::life {
namespace {

const Registration registered{std::make_unique<CpuStage>(
    stage_info(
        {.name = RATCHET_STAGE,
         .summary = "05 on a pool of threads, rows dealt evenly",
         .source = text("Embracing the Spectacle of Parallelism Using SIMD and Multi-Threading"),
         .limit = {"cpu.vector_ops", kSimdOpsPerCell},
         .parameters = common_parameters(4096, 128, {threads_parameter()}),
         .threads = "threads",
         .survey = grid({{"threads", {1, 2, 4, 8}}})}),
    &make_field_universe<SimdRows>)};

}  // namespace
}  // namespace ratchet::life
