// graveler/cpu/03_bit_and
// Changed:  against 01: two 64-bit words of ChaCha12, ANDed, are 64 rolls; four such pairs make
//           256, a mask drops 25, and the ones are counted by POPCNT's portable substitute.
// Why:      01 draws 32 bits for a roll that needs two. Compiled for any x86-64.
// Expected: 16 words where there were 231: 14 times. The text: over 10 times, 24 M battles/s.
// Source:   Barr, "Being Wise With Bits - Sub 1 Minute".

#include <algorithm>

#include "kernels/graveler/stages/cpu_stage.h"
#include "kernels/graveler/words/counter_words.h"
#include "kernels/support/rng/chacha12.h"

namespace ratchet::graveler {
namespace {

#include "kernels/graveler/rounds/cpu_rounds-inl.h"
#include "kernels/graveler/rounds/cpu_scalar-inl.h"

std::unique_ptr<Worker> make_worker(std::uint64_t seed, std::uint64_t index) {
  return make_round_worker<BitAnd<ChaCha12>>(seed, index);
}

}  // namespace
namespace {

const Registration registered{std::make_unique<CpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "64 rolls from the AND of two 64-bit words of ChaCha12",
                .source = text("Being Wise With Bits - Sub 1 Minute"),
                .limit = {"cpu.scalar_ops", 559},
                .parameters = common_parameters(1'000'000)}),
    paired_words_layout(64), &make_worker)};

}  // namespace
}  // namespace ratchet::graveler
