#include "kernels/graveler/graveler.h"

#include <limits>

namespace ratchet::graveler {

Layout paired_words_layout(std::uint32_t word_bits) {
  const std::uint32_t pairs = (kTurns + word_bits - 1) / word_bits;
  const std::uint32_t spare = pairs * word_bits - kTurns;
  Layout layout;
  layout.word_bits = word_bits;
  layout.words = 2 * pairs;
  layout.site = [=](std::uint32_t, std::uint32_t turn) {
    const std::uint32_t pair = turn / word_bits;
    // The mask of the text, !((1 << 25) - 1), drops the low bits of the last pair.
    const std::uint32_t bit = turn % word_bits + (pair + 1 == pairs ? spare : 0);
    return Site{.lane = 0, .word_a = 2 * pair, .bit_a = bit, .word_b = 2 * pair + 1, .bit_b = bit};
  };
  return layout;
}

std::vector<Parameter> common_parameters(std::uint64_t default_battles,
                                         const std::vector<Parameter>& own) {
  return joined<Parameter>(
      {{"battles", default_battles, 1, kMaxBattles, "battles of 231 rolls in one run"},
       {"seed", 1, 0, std::numeric_limits<std::uint64_t>::max(), "seed of the random numbers"}},
      own);
}

std::string text(const std::string& section) {
  return "Barr, Exploding Pokemon As Fast As Possible, \"" + section + "\"";
}

StageInfo stage_info(StageInfo info) {
  info.backend = backend_of_process(info.name);
  info.unit = "battles";
  info.size = "battles";
  info.sanitizer_run = {{"battles", 1025}};  // a block, and one more
  return info;
}

}  // namespace ratchet::graveler
