// graveler/cpu/02_naive_wyrand
// Changed:  wyrand instead of ChaCha12.
// Why:      the cipher's twelve rounds make most of 01's instructions.
// Expected: not in the text, which changes the generator after the bit trick. About 3 times: ten
//           instructions a roll where there were 32.
// Source:   ratchet; Barr, "Faster Random Number Generation", has the generator.

#include <algorithm>

#include "kernels/graveler/stages/cpu_stage.h"
#include "kernels/graveler/words/counter_words.h"
#include "kernels/support/rng/wyrand.h"

namespace ratchet::graveler {
namespace {

#include "kernels/graveler/rounds/cpu_rounds-inl.h"
#include "kernels/graveler/rounds/cpu_scalar-inl.h"

std::unique_ptr<Worker> make_worker(std::uint64_t seed, std::uint64_t index) {
  return make_round_worker<RollByRoll<Wyrand>>(seed, index);
}

}  // namespace
namespace {

const Registration registered{
    std::make_unique<CpuStage>(stage_info({.name = RATCHET_STAGE,
                                           .summary = "One word of wyrand for every roll",
                                           .source = text("Faster Random Number Generation"),
                                           .limit = {"cpu.scalar_ops", 2317},
                                           .parameters = common_parameters(100'000)}),
                               one_word_per_roll_layout(), &make_worker)};

}  // namespace
}  // namespace ratchet::graveler
