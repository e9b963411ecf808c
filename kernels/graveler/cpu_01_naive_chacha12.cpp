// graveler/cpu/01_naive_chacha12
// Changed:  nothing; this is where the ladder starts: a fresh 32-bit word for every roll, a one
//           when it divides by four, from ChaCha12 as Rust's thread_rng has it.
// Why:      the shortest code that is right.
// Expected: the text: 7 to 8 minutes for 10^9 battles, 2.2 M battles/s on an i7-10750H.
// Source:   Barr, "The Naive Solution - Sub 10 Minutes".

#include <algorithm>

#include "kernels/graveler/stages/cpu_stage.h"
#include "kernels/graveler/words/counter_words.h"
#include "kernels/support/rng/chacha12.h"

namespace ratchet::graveler {
namespace {

#include "kernels/graveler/rounds/cpu_rounds-inl.h"
#include "kernels/graveler/rounds/cpu_scalar-inl.h"

std::unique_ptr<Worker> make_worker(std::uint64_t seed, std::uint64_t index) {
  return make_round_worker<RollByRoll<ChaCha12>>(seed, index);
}

}  // namespace
namespace {

const Registration registered{
    std::make_unique<CpuStage>(stage_info({.name = RATCHET_STAGE,
                                           .summary = "One 32-bit word of ChaCha12 for every roll",
                                           .source = text("The Naive Solution - Sub 10 Minutes"),
                                           .limit = {"cpu.scalar_ops", 7339},
                                           .parameters = common_parameters(100'000)}),
                               one_word_per_roll_layout(), &make_worker)};

}  // namespace
}  // namespace ratchet::graveler
