// toy/cpu/03_halves: wrong on purpose, the ones of a word's lower half twice.
#include <bit>

#include "kernels/toy/words/word_stage.h"

namespace ratchet::toy {
namespace {

unsigned ones_of(std::uint64_t word) {
  return 2 * static_cast<unsigned>(std::popcount(static_cast<std::uint32_t>(word)));
}

const Registration registered{
    std::make_unique<WordStage<&ones_of>>(stage_info(RATCHET_STAGE, "The lower half for both"))};

}  // namespace
}  // namespace ratchet::toy
