// Shuffles and chains of swaps, card by card: what their tables and bits make is what words say.
#include "kernels/bmn/shuffle/shuffle.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "correctness/bmn/checks/defined_searches.h"
#include "kernels/bmn/search/climb.h"
#include "kernels/bmn/search/swaps.h"
#include "reference/bmn.h"

namespace ratchet::bmn {
namespace {

using WordsOfADeal = std::array<std::uint32_t, 4>;

std::string cards_of(const Shuffle& cards) {
  std::string text = text_of(Deal{{cards.courts[0], cards.courts[1]}, cards.ranks, {kHand, kHand}});
  return text.erase(text.find('/'), 1);
}

std::string by_definition(const WordsOfADeal& words) {
  std::string text;
  for (const auto& hand : reference::bmn::shuffled(words))
    for (const auto card : hand) text += "-JQKA"[card];
  return text;
}

void expect_defined(const WordsOfADeal& w) {
  ASSERT_EQ(cards_of(shuffled({{w[0], w[1], w[2], w[3]}}, shuffle_tables())), by_definition(w))
      << w[0] << " " << w[1] << " " << w[2] << " " << w[3];
}

// A table of thresholds that is off by one word shows in one deal of 10^7, but at their edges
// always.
TEST(BmnShuffle, IsTheDefinitionsOnBothSidesOfEverySplit) {
  const ShuffleTables& tables = shuffle_tables();
  unsigned splits = 0;
  for (std::uint32_t last = 0; last != ~0u; ++splits) {
    last = tables.last_word[splits];
    expect_defined({last, 0, 0, 0});
    expect_defined({last, ~0u, ~0u, ~0u});
    if (last != ~0u) expect_defined({last + 1, 0, 0, 0});
  }
  EXPECT_GT(splits, 500u);
}

TEST(BmnSwaps, AreThoseThatTheWordsSay) {
  constexpr std::uint32_t length = search::kMaxChain;
  for (std::uint64_t chain = 0; chain < 60; ++chain) {
    Deal deal = defined_shuffle(17, chain);
    for (std::uint32_t k = 0; k < length; ++k) {
      if (k > 0) deal = defined_swap(deal, 17, chain, k);
      ASSERT_EQ(text_of(search::whole_deal(
                    search::chained(17, chain * length + k, length, shuffle_tables()))),
                text_of(deal))
          << chain << " " << k;
    }
  }
}

}  // namespace
}  // namespace ratchet::bmn
