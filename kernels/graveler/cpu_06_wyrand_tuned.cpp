// graveler/cpu/06_wyrand_tuned
// Changed:  05 compiled for x86-64-v3.
// Why:      with a cheap generator the counting is half of the work, and POPCNT removes it.
// Expected: the text: 11.552 -> 6.848 s, 1.7 times.
// Source:   Barr, "Faster Random Number Generation".

#include <algorithm>

#include "kernels/graveler/stages/cpu_stage.h"
#include "kernels/graveler/words/counter_words.h"
#include "kernels/support/rng/wyrand.h"

// From here on for x86-64-v3. Everything below is in an unnamed namespace or always inlined: the
// linker can merge none of it with code for other processors.
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")

namespace ratchet::graveler {
namespace {

#include "kernels/graveler/rounds/cpu_rounds-inl.h"
#include "kernels/graveler/rounds/cpu_scalar-inl.h"

std::unique_ptr<Worker> make_worker(std::uint64_t seed, std::uint64_t index) {
  return make_round_worker<BitAnd<Wyrand>>(seed, index);
}

}  // namespace
#pragma GCC pop_options
namespace {

const Registration registered{std::make_unique<TunedCpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "wyrand, compiled for processors with AVX2 and POPCNT",
                .source = text("Faster Random Number Generation"),
                .limit = {"cpu.scalar_ops", 94},
                .parameters = common_parameters(5'000'000)}),
    paired_words_layout(64), &make_worker)};

}  // namespace
}  // namespace ratchet::graveler
