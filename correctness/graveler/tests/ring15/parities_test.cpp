// The sampler of parities, and that none of a battle leans.
#include "correctness/graveler/checks/ring15/parities.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "kernels/graveler/cage/cage.h"
#include "perf/support/error.h"

namespace ratchet::graveler {
namespace {

std::vector<unsigned> all_bits() {
  std::vector<unsigned> bits(32);
  std::iota(bits.begin(), bits.end(), 0u);
  return bits;
}

/// The parity that lies farthest out at each bit.
std::vector<Parity> worst_parities(const RingSchedule& schedule, const RollWords& rolls,
                                   const Sample& sample) {
  std::vector<Parity> worst;
  for (auto& counts :
       count_differences(schedule, independent_differences(rolls), all_bits(), sample))
    worst.push_back(leaning_parities(std::move(counts), 0, 1).front());
  return worst;
}

TEST(WalshTransform, IsTheSumWithSigns) {
  const std::vector<std::int32_t> values{5, -3, 8, 1, 0, 2, -7, 4};
  std::vector<std::int32_t> transformed = values;
  walsh_transform(transformed);
  for (unsigned mask = 0; mask < 8; ++mask) {
    std::int32_t sum = 0;
    for (unsigned i = 0; i < 8; ++i)
      sum += std::popcount(mask & i) % 2 == 0 ? values[i] : -values[i];
    EXPECT_EQ(transformed[mask], sum) << mask;
  }
}

// Two rounds of 32 streams, counted here word by word with ring15 itself.
TEST(Parities, CountsAreThoseOfRing15) {
  const RollWords rolls{{0, 3, ~0u}, {0, 17, ~0u}, {1, 9, ~0u}, {1, 29, ~0u}};
  const auto differences = independent_differences(rolls);
  ASSERT_EQ(differences.size(), 8u);
  constexpr std::uint64_t kStreams = 16, kWindows = 3;
  std::vector<std::vector<std::int32_t>> expected(32, std::vector<std::int32_t>(256));
  for (std::uint64_t stream = 0; stream < kStreams; ++stream) {
    Ring15 ring(11, stream);
    for (std::uint64_t window = 0; window < kWindows; ++window) {
      std::vector<std::uint32_t> words;
      for (unsigned n = 0; n < 2 * kCageWords; ++n) words.push_back(ring.step(n % kCageWords));
      for (unsigned bit = 0; bit < 32; ++bit) {
        unsigned index = 0;
        for (std::size_t k = 0; k < differences.size(); ++k)
          index |= ((words[differences[k].a] ^ words[differences[k].b]) >> bit & 1) << k;
        ++expected[bit][index];
      }
    }
  }
  EXPECT_EQ(
      count_differences(shipped_schedule(), differences, all_bits(), {11, kStreams * kWindows}),
      expected);
}

TEST(Parities, DifferencesAlongACycleOfTheCageAreLeftOut) {
  RollWords all;
  for (unsigned outcome = 0; outcome < kCageOutcomes; ++outcome) all.push_back({0, outcome, ~0u});
  EXPECT_EQ(independent_differences(all).size(), kCageWords - 1);
  for (const BattleRolls& battle : rolls_of_shared_masks())
    EXPECT_EQ(independent_differences(battle.words).size(), 2 * battle.words.size());
}

TEST(Parities, OfTheTapsBeforeOneLeansByAFourthAtEachBit) {
  const RollWords rolls = rolls_of_words_in_turn()[3].words;
  constexpr std::uint64_t kWindows = 1 << 18;
  const auto worst = worst_parities(sampled_schedule(), whole_words(rolls), {1, kWindows});
  EXPECT_EQ(worst[0].z, std::sqrt(double{kWindows}));
  for (unsigned bit = 0; bit < 4; ++bit) {
    EXPECT_EQ(worst[bit].mask, worst[0].mask) << "bit " << bit;
    EXPECT_NEAR(worst[bit].z * std::pow(4.0, bit), worst[0].z, std::pow(4.0, bit) * 6) << bit;
    const Parity one =
        measure_parity(sampled_schedule(), independent_differences(whole_words(rolls)),
                       worst[bit].mask, bit, {1, kWindows});
    EXPECT_EQ(one.z, worst[bit].z) << "bit " << bit;
  }
}

// 2^16 parities a bit and battle, 8.4 million: beyond 7 by chance with probability 2e-5; the seed
// is fixed. The power: a correlation of 0.01 lies 10 standard deviations out. ring15_parities
// samples more.
TEST(Parities, NoneOfABattleLeans) {
  for (const BattleRolls& battle : rolls_of_shared_masks()) {
    const auto worst = worst_parities(shipped_schedule(), battle.words, {20261122, 1 << 20});
    for (unsigned bit = 0; bit < 32; ++bit)
      EXPECT_LT(std::abs(worst[bit].z), 7) << battle.name << ", bit " << bit;
  }
  for (const BattleRolls& battle : rolls_of_tensor_count()) {
    const auto worst = worst_parities(rows_schedule(), battle.words, {20261122, 1 << 18});
    for (unsigned bit = 0; bit < 32; ++bit)
      EXPECT_LT(std::abs(worst[bit].z), 7) << battle.name << ", bit " << bit;
  }
}

TEST(Parities, TooManyDifferencesAreRefused) {
  RollWords rolls;
  for (unsigned outcome = 0; outcome < 16; ++outcome) rolls.push_back({0, outcome, ~0u});
  const auto differences = independent_differences(rolls);
  EXPECT_THROW(count_differences(shipped_schedule(), differences, {0}, {1, 16}), Error);
}

}  // namespace
}  // namespace ratchet::graveler
