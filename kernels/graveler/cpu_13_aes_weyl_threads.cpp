// graveler/cpu/13_aes_weyl_threads
// Changed:  12 on plain threads, as 11.
// Why:      nothing is shared between threads, memory least of all.
// Expected: as many times 12 as there are processors.
// Got:      3180 -> 6120 M battles/s on two processors, 3135 M on one thread (AMD EPYC (Zen 5), 2
//           cores).
// Source:   ratchet.

#include "kernels/graveler/stages/cpu_threads.h"
#include "kernels/graveler/stages/cpu_workers.h"

namespace ratchet::graveler {
namespace {

const Registration registered{std::make_unique<ThreadedCpuStage>(
    cpu_stage_info("graveler/cpu/13_aes_weyl_threads", "12_aes_weyl on plain threads", "ratchet",
                   {"cpu.vector_ops", kAesWeylOpsPerBattle}, common_parameters(200'000'000)),
    aes_weyl_layout(), &make_aes_weyl_worker)};

}  // namespace
}  // namespace ratchet::graveler
