// toy/cpu/02_popcount
// Changed:  std::popcount of the whole word.
// Why:      no loop of which the number of turns is not known.
// Expected: a few instructions a word where there were 200.
// Source:   ratchet.
#include <bit>

#include "kernels/toy/words/word_stage.h"

namespace ratchet::toy {
namespace {

unsigned ones_of(std::uint64_t word) { return static_cast<unsigned>(std::popcount(word)); }

const Registration registered{
    std::make_unique<WordStage<&ones_of>>(stage_info(RATCHET_STAGE, "A whole word at a time"))};

}  // namespace
}  // namespace ratchet::toy
