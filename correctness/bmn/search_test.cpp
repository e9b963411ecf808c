// The searches: chains of swaps, ranks, climbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "correctness/bmn/checks.h"
#include "correctness/bmn/oracle.h"
#include "correctness/check.h"
#include "kernels/bmn/lean_links/lay_out.h"
#include "kernels/bmn/search/ranks.h"
#include "kernels/bmn/search/swaps.h"
#include "kernels/support/error.h"
#include "reference/bmn.h"

namespace ratchet::bmn {
namespace {

void expect(const TestResults& tests) {
  for (const auto& result : tests) {
    testing::Test::RecordProperty(result.name, result.seen);
    EXPECT_FALSE(result.rejected()) << result.name << ": " << result.seen;
  }
}

// Chains of swaps.

Parameters chain_of(std::uint64_t length, std::uint64_t seed) {
  Parameters parameters("chains", search::chain_parameters(1));
  return parameters.set("chain", length).set("seed", seed);
}

std::string cards_of(const Deal& deal) {
  std::string text = text_of(deal);
  return text.erase(text.find('/'), 1);
}

TEST(BmnSwaps, ExchangeTwoCardsAndLoseNone) {
  const Parameters chain = chain_of(64, 5);
  unsigned unchanged = 0;
  for (std::uint64_t index = 0; index < 6'400; ++index) {
    const Deal deal = search::chained_deal(chain, index);
    ASSERT_TRUE(has_all_cards(deal)) << index << ": " << text_of(deal);
    if (index % 64 == 0) continue;
    const std::string a = cards_of(search::chained_deal(chain, index - 1)), b = cards_of(deal);
    std::vector<std::size_t> differ;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) differ.push_back(i);
    unchanged += differ.empty();
    ASSERT_TRUE(differ.empty() || differ.size() == 2) << a << " " << b;
    if (differ.empty()) continue;
    EXPECT_EQ(a[differ[0]], b[differ[1]]);
    EXPECT_EQ(a[differ[1]], b[differ[0]]);
  }
  // Both pairs of words meet the same card with a chance of (4/52)^2.
  EXPECT_LT(unchanged, 6'300 * (4.0 / 52) * (4.0 / 52) + 40);
}

TEST(BmnSwaps, BeginWithTheShuffleOfTheirChain) {
  for (const std::uint64_t chain : {0, 1, 77})
    EXPECT_EQ(search::chained_deal(chain_of(16, 9), 16 * chain), shuffled_deal(9, chain));
  EXPECT_NE(search::chained_deal(chain_of(16, 9), 17), search::chained_deal(chain_of(16, 9), 33));
  EXPECT_EQ(search::chained_deal(chain_of(1, 9), 5), shuffled_deal(9, 5));
}

TEST(BmnSwaps, PlacesHoldWhatAShuffleDoes) {
  for (std::uint64_t index = 0; index < 2'000; ++index) {
    const Shuffle cards = shuffled(counter_block(3, index), shuffle_tables());
    const Shuffle back = search::shuffle_of(search::places_of(cards));
    EXPECT_EQ(back.courts[0], cards.courts[0]);
    EXPECT_EQ(back.courts[1], cards.courts[1]);
    EXPECT_EQ(back.ranks, cards.ranks);
  }
}

// Ranks.

TEST(BmnRanks, AreThoseOfTheDefinition) {
  std::mt19937_64 draw(3);
  std::vector<std::uint64_t> ranks = {0, 1, 2, search::kShortDeals - 1, search::kShortDeals / 2};
  for (int i = 0; i < 3'000; ++i) ranks.push_back(draw() % search::kShortDeals);
  for (const std::uint64_t rank : ranks) {
    const auto wanted = reference::bmn::unrank(rank, {28, 4, 4, 4}, "-JQK");
    ASSERT_EQ(cards_of(search::ranked_deal(rank)), reference::bmn::text_of(wanted)) << rank;
  }
}

TEST(BmnRanks, CountAllDeals) {
  EXPECT_EQ(search::arrangements().of[search::Arrangements::kAll - 1], search::kShortDeals);
  EXPECT_EQ(search::rank_at(search::kShortDeals - 1, 1), 0u);
}

/// Ranges around endless deals of the published list, by every exhaustive stage that can run here: exactly the
/// deals of the list that lie in them are found.
TEST(BmnExhaustive, FindsExactlyTheEndlessDealsOfARangeCuda) {
  std::vector<std::uint64_t> endless;
  for (const OracleRow& row : oracle("camicia40_infinite.tsv"))
    endless.push_back(std::stoull(row.at("rank")));
  std::sort(endless.begin(), endless.end());
  unsigned stages = 0;
  for (const char* name : {"bmn/cpu/06_exhaustive", "bmn/cuda/10_exhaustive"}) {
    const auto* stage = dynamic_cast<const BmnStage*>(find_stage(name));
    if (stage == nullptr || !stage->availability().ok) continue;
    ++stages;
    for (const std::size_t i : {std::size_t{0}, endless.size() / 2, endless.size() - 1}) {
      const std::uint64_t first = endless[i] - 15'000, deals = 30'000;
      Parameters parameters = stage->defaults();
      parameters.set({{"first", first}, {"deals", deals}});
      const auto table = stage->prepare_table(parameters);
      table->run();
      table->wait();
      std::vector<std::uint64_t> found, wanted;
      for (const Game& game : table->collect().capped_games) {
        EXPECT_TRUE(proven_fate(game.deal).starts_with("never ends")) << text_of(game.deal);
        found.push_back(first + game.index);
      }
      for (const std::uint64_t rank : endless)
        if (rank >= first && rank < first + deals) wanted.push_back(rank);
      EXPECT_EQ(found, wanted) << name;
    }
  }
  EXPECT_GE(stages, 1u);
}

// Climbers.

class BmnClimb : public testing::TestWithParam<const search::ClimbStage*> {
 protected:
  void SetUp() override {
    const Availability available = GetParam()->availability();
    if (!available.ok) GTEST_SKIP() << GetParam()->info().name << ": " << available.reason;
  }
};

TEST_P(BmnClimb, SmallRunForSanitizers) {
  expect(check_climb(*GetParam(), small_climb(*GetParam(), kDefaultCap), 2));
}
TEST_P(BmnClimb, GoesWhereTheDefinitionLeads) {
  expect(check_climb(*GetParam(), small_climb(*GetParam(), 300), 3));
  Parameters parameters = small_climb(*GetParam(), kDefaultCap);
  parameters.set({{"climbers", 333}, {"candidates", 1}, {"rounds", 4}});
  expect(check_climb(*GetParam(), parameters, 1));
}
TEST_P(BmnClimb, PassesItsQuickCheck) {
  const CheckResult result = quick_check(*GetParam());
  EXPECT_TRUE(result.passed) << result.detail;
}
/// That it is worth the trouble: longer games than as many shuffles make.
TEST_P(BmnClimb, ClimbsHigherThanShufflesReach) {
  Parameters parameters = GetParam()->defaults();
  parameters.set({{"climbers", 100}, {"candidates", 8}, {"rounds", 100}});
  const auto climb = GetParam()->prepare_climb(parameters);
  climb->run();
  climb->wait();
  std::uint32_t best = 0;
  for (const search::Climber& climber : climb->collect().climbers) {
    EXPECT_EQ(by_definition(climber.best, kDefaultCap),
              (Outcome{climber.best_turns, climber.best_tricks,
                       by_definition(climber.best, kDefaultCap).winner}));
    best = std::max(best, climber.best_turns);
  }
  // Of 80 000 shuffled games one in ten thousand, 7.4e-5, has 2000 turns or more.
  EXPECT_GT(best, 2'500u);
}

std::vector<const search::ClimbStage*> climb_stages() {
  std::vector<const search::ClimbStage*> found;
  for (const Stage* stage : registry())
    if (const auto* climb = dynamic_cast<const search::ClimbStage*>(stage)) found.push_back(climb);
  return found;
}
std::string stage_name(const testing::TestParamInfo<const search::ClimbStage*>& info) {
  std::string name = info.param->info().name;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Stages, BmnClimb, testing::ValuesIn(climb_stages()), stage_name);

}  // namespace
}  // namespace ratchet::bmn
