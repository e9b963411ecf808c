// Shuffles and chains of swaps, card by card: what their tables and bits make is what words say.
#include "kernels/bmn/shuffle/shuffle.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "kernels/bmn/search/swaps.h"
#include "kernels/support/counter_stream.h"
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

/// Deals 0 to length - 1 of a chain, as kernels/bmn/search/swaps.h states them.
std::vector<std::string> chain_by_definition(std::uint64_t seed, std::uint64_t chain,
                                             std::uint32_t length) {
  const auto word = [&](std::uint32_t i) { return counter_word32(seed, chain, i); };
  std::vector<std::string> deals = {by_definition({word(0), word(1), word(2), word(3)})};
  for (std::uint32_t k = 1; k < length; ++k) {
    std::string cards = deals.back();
    for (const std::uint32_t pair : {4 * k, 4 * k + 2}) {
      std::size_t court = cards.find_first_not_of('-');
      for (std::uint32_t i = word(pair) >> 28; i > 0; --i)
        court = cards.find_first_not_of('-', court + 1);
      const std::size_t card = std::uint64_t{word(pair + 1)} * cards.size() >> 32;
      const bool same = cards[court] == cards[card];
      std::swap(cards[court], cards[card]);
      if (!same) break;
    }
    deals.push_back(cards);
  }
  return deals;
}

TEST(BmnSwaps, AreThoseThatTheWordsSay) {
  constexpr std::uint32_t length = search::kMaxChain;
  for (std::uint64_t chain = 0; chain < 60; ++chain) {
    const std::vector<std::string> deals = chain_by_definition(17, chain, length);
    for (std::uint32_t k = 0; k < length; ++k)
      ASSERT_EQ(cards_of(search::chained(17, chain * length + k, length, shuffle_tables())),
                deals[k])
          << chain << " " << k;
  }
}

}  // namespace
}  // namespace ratchet::bmn
