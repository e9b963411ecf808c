// graveler/cpu/05_wyrand
// Changed:  against 03: wyrand instead of ChaCha12; compiled for any x86-64 again.
// Why:      eight words cost far more than the ANDs and counts made of them.
// Expected: the text: 40.986 -> 11.552 s, 3.5 times.
// Source:   Barr, "Faster Random Number Generation".

#include <algorithm>

#include "kernels/graveler/stages/cpu_stage.h"
#include "kernels/graveler/words/counter_words.h"
#include "kernels/support/rng/wyrand.h"

namespace ratchet::graveler {
namespace {

#include "kernels/graveler/rounds/cpu_rounds-inl.h"
#include "kernels/graveler/rounds/cpu_scalar-inl.h"

std::unique_ptr<Worker> make_worker(std::uint64_t seed, std::uint64_t index) {
  return make_round_worker<BitAnd<Wyrand>>(seed, index);
}

}  // namespace
namespace {

const Registration registered{std::make_unique<CpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "64 rolls from the AND of two words of wyrand",
                .source = text("Faster Random Number Generation"),
                .limit = {"cpu.scalar_ops", 195},
                .parameters = common_parameters(3'000'000)}),
    paired_words_layout(64), &make_worker)};

}  // namespace
}  // namespace ratchet::graveler
