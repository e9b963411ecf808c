// graveler/cpu/06_wyrand_tuned
// Changed:  05 compiled for x86-64-v3.
// Why:      with a cheap generator the counting is half of the work, and POPCNT removes it.
// Expected: the text: 11.552 -> 6.848 s, 1.7 times.
// Source:   Barr, "Faster Random Number Generation".

#include "kernels/graveler/rounds/cpu_tuned.h"
#include "kernels/support/rng/wyrand.h"

namespace ratchet::graveler {
namespace {

const Registration registered{std::make_unique<TunedCpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "wyrand, compiled for processors with AVX2 and POPCNT",
                .source = text("Faster Random Number Generation"),
                .limit = {"cpu.scalar_ops", 94},
                .parameters = common_parameters(5'000'000)}),
    paired_words_layout(64), &make_tuned_worker<Wyrand>)};

}  // namespace
}  // namespace ratchet::graveler
