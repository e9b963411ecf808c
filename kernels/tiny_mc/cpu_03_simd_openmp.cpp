// tiny_mc/cpu/03_simd_openmp
// Changed:  02 on all processors: OpenMP hands out tasks of photons dynamically. Each task has its
//           own tally, and these are added in a fixed order; a reduction(+) as in the text adds them
//           in the order in which threads finish.
// Why:      photons share nothing; the fixed order makes the result repeatable bit for bit.
// Expected: as many times 02 as there are processors.
// Source:   barufa, "Resultados" (the CPU column) and the loop of
//           run_both_tiny_mc: schedule and reduction.

#include "kernels/tiny_mc/walks/cpu_bodies.h"
#include "kernels/tiny_mc/walks/cpu_openmp.h"

namespace ratchet::tiny_mc {
namespace {

const Registration registered{std::make_unique<OpenMpStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "02_simd on all processors by OpenMP",
                .source = text("Resultados"),
                .limit = {"cpu.vector_ops", kRejectionOps},
                .parameters = common_parameters(800'000, {threads_parameter()}),
                .threads = "threads",
                .survey = photon_survey(27)}),
    Walk::full, rejection_body(), kRejectionDraws)};

}  // namespace
}  // namespace ratchet::tiny_mc
