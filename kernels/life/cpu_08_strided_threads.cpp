// life/cpu/08_strided_threads
// Changed:  07 on several threads: each takes a band of rows through a whole pass, and makes the
//           rows around it that it needs itself. The threads are kept over the passes and the runs.
// Why:      all cores work, and the threads meet once in a pass instead of once in a generation.
// Expected: as many times 07 as there are processors, less 15 rows of the neighbours' on either
//           side of a band of 256: 6 %.
// Got:      510 -> 485 G cell updates/s for each of two cores, 4.7 times 06 (AMD EPYC (Zen 5),
//           processor time; both cores were never free at once).
// Source:   ratchet.

#include "kernels/life/strided/cpu_strided.h"

namespace ratchet::life {
namespace {

StageInfo info() {
  StageInfo info = threaded_stage_info("life/cpu/08_strided_threads",
                                       "07 on a pool of threads, a band of rows each", "ratchet",
                                       {"cpu.vector_ops", kStridedOpsPerCell}, 512);
  info.parameters.push_back(torus_parameter());
  return info;
}

const Registration registered{std::make_unique<CpuStage>(info(), &make_strided_universe)};

}  // namespace
}  // namespace ratchet::life
