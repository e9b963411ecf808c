// graveler/cpu/04_bit_and_tuned
// Changed:  03 compiled for x86-64-v3 (AVX2, BMI2, POPCNT); the text's build profile.
// Why:      counting bits takes a dozen instructions where POPCNT may not be assumed.
// Expected: the text: 40.986 -> 35.526 s, 1.15 times; ChaCha12 stays what it is.
// Source:   Barr, "Compilation Settings".

#include <algorithm>

#include "kernels/graveler/stages/cpu_stage.h"
#include "kernels/graveler/words/counter_words.h"
#include "kernels/support/rng/chacha12.h"

// From here on for x86-64-v3. Everything below is in an unnamed namespace or always inlined: the
// linker can merge none of it with code for other processors.
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")

namespace ratchet::graveler {
namespace {

#include "kernels/graveler/rounds/cpu_rounds-inl.h"
#include "kernels/graveler/rounds/cpu_scalar-inl.h"

std::unique_ptr<Worker> make_worker(std::uint64_t seed, std::uint64_t index) {
  return make_round_worker<BitAnd<ChaCha12>>(seed, index);
}

}  // namespace
#pragma GCC pop_options
namespace {

const Registration registered{std::make_unique<TunedCpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "The same code, compiled for processors with AVX2 and POPCNT",
                .source = text("Compilation Settings"),
                .limit = {"cpu.scalar_ops", 411},
                .parameters = common_parameters(1'000'000)}),
    paired_words_layout(64), &make_worker)};

}  // namespace
}  // namespace ratchet::graveler
