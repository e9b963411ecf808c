// toy/cpu/01_bit_by_bit
// Changed:  the first stage: the definition, a bit at a time.
// Why:      what the others are held against.
// Expected: 64 turns of a loop a word.
// Source:   ratchet.
#include "kernels/toy/words/word_stage.h"

namespace ratchet::toy {
namespace {

unsigned ones_of(std::uint64_t word) {
  unsigned ones = 0;
  for (; word > 0; word >>= 1) ones += word & 1;
  return ones;
}

const Registration registered{std::make_unique<WordStage<&ones_of>>(
    stage_info(RATCHET_STAGE, "Every bit of a word in turn"))};

}  // namespace
}  // namespace ratchet::toy
