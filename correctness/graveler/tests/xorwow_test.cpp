// What the text's generator does to a battle: XORWOW leans, and no stage that rolls by it is to
// blame for that. Nothing here is a stage's: the words are those of XORWOW as it is published.
#include "kernels/support/rng/xorwow.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

namespace ratchet::graveler {
namespace {

/// Seven pairs of words, and seven rolls of the eighth, as graveler/cuda/02_xorwow plays them.
using Outcomes = std::array<std::uint32_t, 8>;
template <class Words>
Outcomes battle(Words& words) {
  Outcomes outcomes;
  for (std::uint32_t& outcome : outcomes) {
    const std::uint32_t first = words.next32();
    outcome = first & words.next32();
  }
  return outcomes;
}

/// Covariance, over its standard deviation, of the rolls at bits 31 and 30 of an outcome with those
/// two bits below of the outcome before the last, all with seven whole words.
template <class Words>
double z_of_highest_rolls(std::uint64_t battles) {
  std::uint64_t both = 0, pairs = 0;
  constexpr std::uint64_t kInARow = 1000;
  for (std::uint64_t seed = 1; seed <= battles / kInARow; ++seed) {
    Words words(seed * 0xd1342543de82ef95u);
    for (int i = 0; i < 16; ++i) words.next32();  // of a seed's first words more is known
    for (std::uint64_t b = 0; b < kInARow; ++b) {
      const Outcomes outcomes = battle(words);
      for (std::size_t i = 0; i < 5; ++i, pairs += 2)
        both += static_cast<std::uint64_t>(
            std::popcount(outcomes[i + 2] >> 30 & outcomes[i] >> 28 & 3));
    }
  }
  const double n = static_cast<double>(pairs), p = 1.0 / 16;
  return (static_cast<double>(both) - n * p) / std::sqrt(n * p * (1 - p));
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), as a control.
struct Control {
  explicit Control(std::uint64_t seed) : state(seed) {}
  std::uint32_t next32() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
  }
  std::uint64_t state;
};

TEST(GravelerXorwow, OutcomesFourWordsApartLeanAtTheHighestBits) {
  constexpr std::uint64_t kBattles = 40'000'000;
  // Some 0.00013 of a covariance whose deviation is 0.000012.
  EXPECT_GT(z_of_highest_rolls<Xorwow>(kBattles), 6);
  EXPECT_LT(std::abs(z_of_highest_rolls<Control>(kBattles)), 4.5);
}

}  // namespace
}  // namespace ratchet::graveler
