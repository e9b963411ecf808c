// graveler/cpu/04_bit_and_tuned
// Changed:  03 compiled for x86-64-v3 (AVX2, BMI2, POPCNT); the text's build profile.
// Why:      counting bits takes a dozen instructions where POPCNT may not be assumed.
// Expected: the text: 40.986 -> 35.526 s, 1.15 times; ChaCha12 stays what it is.
// Source:   Barr, "Compilation Settings".

#include "kernels/graveler/rounds/cpu_tuned.h"
#include "kernels/support/rng/chacha12.h"

namespace ratchet::graveler {
namespace {

const Registration registered{std::make_unique<TunedCpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "The same code, compiled for processors with AVX2 and POPCNT",
                .source = text("Compilation Settings"),
                .limit = {"cpu.scalar_ops", 411},
                .parameters = common_parameters(1'000'000)}),
    paired_words_layout(64), &make_tuned_worker<ChaCha12>)};

}  // namespace
}  // namespace ratchet::graveler
