// tiny_mc/cpu/06_radial_openmp
// Changed:  05 on all processors, as 03.
// Why:      photons share nothing.
// Expected: as many times 05 as there are processors.
// Source:   ratchet.

#include "kernels/tiny_mc/walks/cpu_bodies.h"
#include "kernels/tiny_mc/walks/cpu_openmp.h"

namespace ratchet::tiny_mc {
namespace {

const Registration registered{std::make_unique<OpenMpStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "05_radial on all processors by OpenMP",
                .source = "ratchet",
                .limit = {"cpu.vector_ops", kRadialOps},
                .parameters = common_parameters(2'000'000, {threads_parameter()}),
                .threads = "threads"}),
    Walk::radial, radial_body(), kRadialDraws)};

}  // namespace
}  // namespace ratchet::tiny_mc
