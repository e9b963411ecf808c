// Climbers: where the rules lead them, and what a search keeps of them.
#include "kernels/bmn/search/climb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "correctness/bmn/checks/checks.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_results.h"
#include "kernels/bmn/search/best.h"
#include "kernels/contract/check.h"
#include "perf/support/error.h"

namespace ratchet::bmn {
namespace {

using correctness::expect;

/// Candidates of one climber that stands still: words that serve twice make the same swap twice.
TEST(BmnClimbCandidates, HaveWordsOfTheirOwn) {
  for (const std::uint32_t candidates : {3u, 9u, 40u}) {
    const search::ClimbPlan plan{.seed = 5, .climbers = 2, .candidates = candidates};
    search::Climber climber;
    search::begin(climber, plan, 0, shuffle_tables());
    std::vector<Deal> deals;
    std::size_t again = 0;
    for (std::uint32_t round = 0; round < 360 / candidates; ++round)
      for (std::uint32_t k = 0; k < candidates; ++k) {
        const Deal deal = search::candidate(climber, plan, 0, round, k);
        again += std::find(deals.begin(), deals.end(), deal) != deals.end();
        deals.push_back(deal);
      }
    // A quarter of 360 swaps is drawn again by chance.
    EXPECT_LT(again, deals.size() / 3) << candidates << " candidates";
    std::printf("%u candidates: %zu of %zu again\n", candidates, again, deals.size());
  }
}

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
  // Short games, of which two of a round are often as long; more are capped than are kept.
  parameters = small_climb(*GetParam(), 100);
  parameters.set({{"climbers", 30}, {"candidates", 64}, {"rounds", 4}});
  expect(check_climb(*GetParam(), parameters, 2));
}
/// Words of late rounds are as new as those of the first: of one run, and of several.
TEST_P(BmnClimb, GoesWhereTheDefinitionLeadsForAThousandRounds) {
  Parameters parameters = small_climb(*GetParam(), kDefaultCap);
  parameters.set({{"climbers", 3}, {"candidates", 2}, {"rounds", 1'000}, {"patience", 40}});
  expect(check_climb(*GetParam(), parameters, 1));
  expect(check_climb(*GetParam(), parameters.set("rounds", std::uint64_t{37}), 30));
}
TEST_P(BmnClimb, PassesItsQuickCheck) {
  const CheckResult result = quick_check(*GetParam());
  EXPECT_TRUE(result.passed) << result.detail;
}
/// What a climber says of its best deal is what that deal makes.
TEST_P(BmnClimb, KnowsItsBestDeals) {
  Parameters parameters = GetParam()->defaults();
  parameters.set({{"climbers", 200}, {"candidates", 8}, {"rounds", 50}, {"patience", 10}});
  const auto climb = GetParam()->prepare_climb(parameters);
  climb->run();
  climb->wait();
  std::uint32_t most_stale = 0;
  for (const search::Climber& climber : climb->collect().climbers) {
    most_stale = std::max(most_stale, climber.stale);
    const Outcome outcome = by_definition(climber.best, kDefaultCap);
    EXPECT_EQ(outcome.turns, climber.best_turns) << text_of(climber.best);
    EXPECT_EQ(outcome.tricks, climber.best_tricks) << text_of(climber.best);
    EXPECT_GE(climber.best_turns, climber.turns);
  }
  EXPECT_EQ(most_stale, 10u) << "rounds without a longer game: as many as the patience";
}

TEST_P(BmnClimb, UnitsOfARunGoBeyond32Bits) {
  Parameters parameters = GetParam()->defaults();
  parameters.set({{"climbers", 65}, {"candidates", 64}, {"rounds", 1 << 20}});
  EXPECT_EQ(GetParam()->prepare_climb(parameters)->units(), std::uint64_t{65 * 64} << 20);
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

// What a search keeps of them.

/// A climber whose best deal is a shuffle of its own, of so many turns and tricks.
search::Climber climber_of(std::uint64_t shuffle, std::uint32_t turns, std::uint32_t tricks) {
  search::Climber climber;
  climber.best = shuffled_deal(1, shuffle);
  climber.best_turns = turns;
  climber.best_tricks = tricks;
  return climber;
}

TEST(BmnClimbSearch, RecordsTheMostTurnsAndTheMostTricksOfAllClimbers) {
  search::ClimbResult result;
  result.climbers = {climber_of(1, 900, 120), climber_of(2, 2'000, 250), climber_of(3, 1'900, 270),
                     climber_of(4, 2'000, 260), climber_of(5, 1'000, 269)};
  search::Best best;
  std::vector<std::string> records;
  search::take_climb(best, result, kDefaultCap, "seed 7", records);
  EXPECT_EQ(best.turns, 2'000u);
  EXPECT_EQ(best.tricks, 270u);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_TRUE(records[0].ends_with(": 2000 turns, 250 tricks [seed 7, climber 1]")) << records[0];
  EXPECT_TRUE(records[1].ends_with(": 1900 turns, 270 tricks [seed 7, climber 2]")) << records[1];
  search::take_climb(best, result, kDefaultCap, "seed 8", records);
  EXPECT_EQ(records.size(), 2u) << "nothing better than before";
}

/// One that is not kept may be the one that never ends.
TEST(BmnClimbSearch, RefusesARunOfWhichNotAllCappedGamesAreKept) {
  search::ClimbResult result;
  result.deals = 1'000'000;
  result.climbers = {climber_of(1, 900, 120)};
  result.capped_deals.assign(kCappedKept, shuffled_deal(1, 1));
  search::Best best;
  std::vector<std::string> records;
  result.capped = kCappedKept;
  search::take_climb(best, result, 200, "seed 7", records);
  EXPECT_FALSE(records.empty());
  result.capped = kCappedKept + 1;
  EXPECT_EQ(error_of([&] { search::take_climb(best, result, 200, "seed 7", records); }),
            "4097 games of 1000000 reached the cap of 200 turns, more than are kept; raise cap");
}

}  // namespace
}  // namespace ratchet::bmn
