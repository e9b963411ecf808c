// Every registered bmn stage against the definition, game by game.
//
// A stage that this machine cannot run is skipped by name with the reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "correctness/bmn/checks/checks.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_results.h"
#include "correctness/support/paths.h"
#include "kernels/bmn/search/ranks.h"
#include "kernels/contract/check.h"
#include "kernels/support/ranks/job.h"
#include "perf/support/error.h"

namespace ratchet::bmn {
namespace {

std::vector<const BmnStage*> stages(bool as_printed = false) {
  std::vector<const BmnStage*> found;
  for (const Stage* stage : registry())
    if (const auto* bmn = dynamic_cast<const BmnStage*>(stage))
      if (stage->info().as_printed == as_printed) found.push_back(bmn);
  return found;
}

std::string test_name(const testing::TestParamInfo<const BmnStage*>& info) {
  std::string name = info.param->info().name;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

using correctness::expect;

class Bmn : public testing::TestWithParam<const BmnStage*> {
 protected:
  void SetUp() override {
    const Availability available = stage().availability();
    if (!available.ok) GTEST_SKIP() << stage().info().name << ": " << available.reason;
  }
  const BmnStage& stage() const { return *GetParam(); }
  bool on_cpu() const { return computes_on_cpu(stage()); }
  /// The text's own shapes fill a few multiprocessors.
  bool is_slow() const { return on_cpu() || stage().defaults().has("blocks"); }
};

/// Every kernel of the stage once, small enough for compute-sanitizer and for the mutation script.
TEST_P(Bmn, SmallRunForSanitizers) {
  expect(check_given(stage(), edge_deals(500), kDefaultCap));
  expect(check_games(stage(), parameters_for(stage(), 1'031, 3)));
  EXPECT_TRUE(correctness::runs_on_many_threads(stage()));
}

TEST_P(Bmn, PlaysKnownAndOddDealsAsDefined) {
  const std::vector<Deal> deals = edge_deals(20'000);
  expect(check_given(stage(), deals, kDefaultCap));
  expect(check_given(stage(), edge_deals(1'000), 0));
  expect(check_given(stage(), edge_deals(1'000), kMaxCap));
}

/// By the other structures, shapes and chains that only surveys measure, too.
TEST_P(Bmn, PlaysAtEveryPointOfItsSurvey) {
  for (ParameterPoint point : stage().info().survey) {
    // Several ranks are a job of mpirun, with tests of their own.
    std::erase_if(point, [](const auto& setting) {
      return setting.first == "deals" || setting.first == "ranks";
    });
    const Parameters parameters = parameters_for(stage(), 3'001, 7).set(point);
    expect(check_games(stage(), parameters));
    expect(check_given(stage(), edge_deals(500), parameters));
  }
}

/// One below, at and above what a game takes.
TEST_P(Bmn, CapIsTheLastTurnThatCounts) {
  const std::vector<Deal> deals = {deal_of("---AJ--Q---------QAKQJJ-QK-----A----KJ-K--------A---"),
                                   deal_of("Q---J--J--J----A-------K-Q-----A-Q----KKA-A-KJ-Q----"),
                                   deal_of("-", "-"), deal_of("-A", "----K"), deal_of("", "-")};
  for (const std::uint64_t cap : {0, 1, 2, 3, 6, 7, 8, 2507, 2508, 2509, 8343, 8344, 8345})
    expect(check_given(stage(), deals, cap));
}

TEST_P(Bmn, PlaysEveryNumberOfDeals) {
  for (const std::uint64_t deals : {1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 65, 127, 129, 1025})
    expect(check_games(stage(), parameters_for(stage(), deals, 100 + deals)));
}

TEST_P(Bmn, PlaysShuffledDealsAsDefined) {
  expect(check_games(stage(), parameters_for(stage(), 100'003, 5)));
  // Half of the games are capped.
  expect(check_games(stage(), parameters_for(stage(), 20'011, 6, 200)));
}

/// The first million games under seed 43 by the definition, played once, by all processors.
const std::vector<Outcome>& million_games() {
  static const std::vector<Outcome> games = [] {
    std::vector<Outcome> outcomes(1'000'000);
    const std::size_t parts = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (std::size_t part = 0; part < parts; ++part)
      threads.emplace_back([&, part] {
        for (std::size_t i = part; i < outcomes.size(); i += parts)
          outcomes[i] = by_definition(shuffled_deal(43, i), kDefaultCap);
      });
    for (std::thread& thread : threads) thread.join();
    return outcomes;
  }();
  return games;
}

/// Game by game where a CPU plays them; a GPU has its billion.
TEST_P(Bmn, PlaysAMillionShuffledDealsAsDefined) {
  if (!on_cpu() || !stage().shuffles()) GTEST_SKIP() << "on a GPU by digest; or no shuffles";
  if (ranks::job()) GTEST_SKIP() << "by one process; ranks share out what follows from its number";
  const std::vector<Outcome>& wanted = million_games();
  const std::vector<Outcome> seen = stage().games(parameters_for(stage(), wanted.size(), 43));
  ASSERT_EQ(seen.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    ASSERT_EQ(seen[i], wanted[i]) << text_of(shuffled_deal(43, i));
}

/// A billion games where a GPU plays them in seconds: the digest is that of the stage before, which
/// is another program, and sums follow the law.
TEST_P(Bmn, PlaysABillionDealsAsTheOtherStageDoesCuda) {
  const BmnStage* other = dynamic_cast<const BmnStage*>(find_stage("bmn/cuda/07_links"));
  if (on_cpu() || is_slow() || !stage().shuffles() || &stage() == other)
    GTEST_SKIP() << "too many deals for it, none shuffled, or the stage to compare with";
  std::uint64_t digest[2];
  for (const unsigned which : {0u, 1u}) {
    const BmnStage& played = which == 0 ? *other : stage();
    const auto table = played.prepare_table(parameters_for(played, 1'000'000'007, 47));
    table->run();
    table->wait();
    const Result result = table->collect();
    EXPECT_EQ(result.deals, 1'000'000'007u);
    digest[which] = result.digest;
  }
  EXPECT_EQ(digest[0], digest[1]);
}

/// A kernel that is launched twice names its capped games by their place in the run, not in the
/// launch.
TEST_P(Bmn, NamesCappedGamesOfALaterLaunchCuda) {
  if (on_cpu() || !stage().defaults().has("blocks"))
    GTEST_SKIP() << "no launches of a shape that can be asked for";
  // One warp, which plays at most 2^18 games a launch; one game in a hundred is capped.
  constexpr std::uint64_t launch = std::uint64_t{1} << 18, later = 1'009, cap = 1'000;
  Parameters parameters = parameters_for(stage(), launch + later, 29, cap);
  parameters.set("blocks", std::uint64_t{1}).set("threads", std::uint64_t{32});
  const auto table = stage().prepare_table(parameters);
  table->run();
  table->wait();
  const Result result = table->collect();
  ASSERT_LE(result.capped, kCappedKept);
  std::vector<std::uint64_t> seen, wanted;
  for (const Game& game : result.capped_games) {
    if (game.index >= launch) seen.push_back(game.index);
    EXPECT_EQ(by_definition(stage().deal(parameters, game.index), cap).winner, kNobody)
        << "game " << game.index << " is not capped";
  }
  for (std::uint64_t index = launch; index < launch + later; ++index)
    if (by_definition(stage().deal(parameters, index), cap).winner == kNobody)
      wanted.push_back(index);
  EXPECT_FALSE(wanted.empty());
  EXPECT_EQ(seen, wanted);
}

TEST_P(Bmn, RunsGoOnWhereTheLastOneStopped) {
  expect(check_runs(stage(), 1'013, 7));
  expect(check_runs(stage(), is_slow() ? 50'021 : 10'000'019, 8));
}

/// Uneven shares of the threads, several games of most turns or tricks, capped games: in later runs
/// as in the first.
TEST_P(Bmn, EveryRunPlaysItsGamesAsDefined) {
  const Parameters parameters = parameters_for(stage(), 1'001, 12, 100);
  expect(check_each_run(stage(), parameters, 4));
  expect(check_each_run(stage(), Parameters(parameters).set("cap", std::uint64_t{0}), 2));
  if (!stage().info().threaded()) return;
  for (const std::uint64_t threads : {2, 3, 5, 16})
    expect(check_each_run(stage(), Parameters(parameters).set("threads", threads), 3));
}

/// Where many games are as long as the longest may be, in one block too, the first of them is told.
TEST_P(Bmn, TheFirstOfManyLongestIsTold) {
  const unsigned seeds = on_cpu() ? 2 : 24;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    Parameters parameters = parameters_for(stage(), 20'011, 40 + seed, 60 + 10 * seed);
    if (parameters.has("blocks")) parameters.set("blocks", std::uint64_t{1});
    expect(check_each_run(stage(), parameters, 1));
  }
}

/// Around the first rank, the last, and those where the rank or the number of its places fills 32
/// bits.
TEST_P(Bmn, PlaysRanksOfAnySize) {
  if (!stage().defaults().has("first")) GTEST_SKIP() << "its deals have no ranks";
  constexpr std::uint64_t kWords = std::uint64_t{1} << 32, kOrders = search::kShortOrders;
  Parameters parameters = stage().defaults();
  parameters.set("deals", 200);
  for (const std::uint64_t first :
       {std::uint64_t{0}, search::kShortDeals - 100, kWords - 100, (kWords - 1) * kOrders - 100,
        (kWords - 1) * kOrders, kWords * kOrders - 100})
    expect(check_games(stage(), parameters.set("first", first)));
}

TEST_P(Bmn, UnitsOfARunGoBeyond32Bits) {
  constexpr std::uint64_t deals = (std::uint64_t{1} << 33) + 5;
  EXPECT_EQ(stage().prepare_table(parameters_for(stage(), deals, 1))->units(), deals);
}

/// After nine runs deals have numbers beyond 32 bits.
TEST_P(Bmn, NumbersDealsBeyond32BitsCuda) {
  if (on_cpu() || is_slow()) GTEST_SKIP() << "too many deals for it";
  const Parameters parameters = parameters_for(stage(), 500'000'000, 17);
  const auto table = stage().prepare_table(parameters);
  for (int run = 0; run < 10; ++run) table->run();
  table->wait();
  const Result result = table->collect();
  EXPECT_GT(result.most_turns.index, std::uint64_t{1} << 32);
  expect({check_longest(stage(), parameters, result)});
}

/// A long game ends while its neighbours play on: those that are over last go another way.
TEST_P(Bmn, LongGamesEndBesideOthers) {
  std::vector<Deal> deals = edge_deals(16'000);
  const Deal longest = deal_of("---AJ--Q---------QAKQJJ-QK-----A----KJ-K--------A---");
  for (std::size_t i = 0; i < deals.size(); i += 500) deals[i] = longest;
  // By a few warps, so that each has thousands of games.
  Parameters parameters = stage().defaults();
  parameters.set("deals", std::uint64_t{128});
  if (parameters.has("blocks")) parameters.set("blocks", std::uint64_t{2});
  expect(check_given(stage(), deals, parameters));
}

TEST_P(Bmn, ThreadsLoseNoDeal) {
  if (!stage().info().threaded()) GTEST_SKIP() << "one thread";
  for (const std::uint64_t threads : correctness::thread_counts()) {
    Parameters parameters = parameters_for(stage(), 3'001, 9);
    expect(check_games(stage(), parameters.set("threads", threads)));
  }
  // Half of the games are capped: each thread keeps more than all are allowed to, or fewer.
  for (const std::uint64_t threads : {2, 3, 7})
    expect(check_games(stage(), parameters_for(stage(), 20'011, 6, 200).set("threads", threads)));
  // More threads than deals.
  for (const std::uint64_t deals : {1, 3}) {
    for (const std::uint64_t threads : {2, 5, 64})
      expect(check_games(stage(), parameters_for(stage(), deals, 9).set("threads", threads)));
  }
}

TEST_P(Bmn, LengthsFollowTheirLaw) {
  if (!stage().shuffles()) GTEST_SKIP() << "its deals are not shuffles";
  const std::uint64_t deals = on_cpu() ? 300'007 : is_slow() ? 5'000'011 : 1'000'000'007;
  const auto table = stage().prepare_table(parameters_for(stage(), deals, 21));
  table->run();
  table->wait();
  expect(check_lengths(table->collect(), deals));
}

/// All stages play the same games: the first one's digest is every one's.
TEST_P(Bmn, DigestIsThatOfAllStages) {
  if (!stage().shuffles()) GTEST_SKIP() << "its deals are not shuffles";
  const auto digest = [](const BmnStage& stage) {
    const auto table = stage.prepare_table(parameters_for(stage, 200'003, 23));
    table->run();
    table->wait();
    return table->collect().digest;
  };
  static const std::uint64_t first = digest(*stages().front());
  EXPECT_EQ(digest(stage()), first);
}

TEST_P(Bmn, PassesItsQuickCheck) {
  const CheckResult result = quick_check(stage());
  EXPECT_TRUE(result.passed) << result.detail;
}

class BmnAsPrinted : public Bmn {};

TEST_P(BmnAsPrinted, SmallRunForSanitizers) {
  const CheckResult result = quick_check(stage());
  EXPECT_TRUE(result.passed) << result.detail;
}

/// A launch of the text's program; and launches after the first, by one warp.
TEST_P(BmnAsPrinted, CountsDealsThatItDoesNotPlay) {
  Parameters parameters = stage().defaults();
  expect(check_as_printed(stage(), parameters));
  EXPECT_EQ(128 * played_as_printed(stage(), parameters), parameters.at("deals"));
  parameters.set({{"deals", 600'003}, {"blocks", 1}, {"threads", 32}});
  expect(check_as_printed(stage(), parameters));
}

TEST(BmnStages, AreRegistered) { EXPECT_FALSE(stages().empty()); }

TEST(BmnStages, RefuseATableOfAnotherNumberOfEntries) {
  for (const BmnStage* stage : stages()) {
    if (!stage->defaults().has("entries")) continue;
    EXPECT_EQ(error_of([&] {
                stage->prepare_table(stage->defaults().set("entries", std::uint64_t{50}));
              }),
              "entries = 50: there are tables of 30 and of 126")
        << stage->info().name;
  }
}

/// The text's programs assume that every game ends. A capped deal is kept, and proven to go on.
TEST(BmnCap, TellsEndlessFromLong) {
  const Deal endless = deal_of("---K---Q-KQAJ-----AAJ--J------------Q----KQ-J-----KA");
  EXPECT_EQ(proven_fate(endless),
            "never ends: from turn 34 on it repeats every 440 turns, 62 tricks");
  const Deal longest = deal_of("---AJ--Q---------QAKQJJ-QK-----A----KJ-K--------A---");
  EXPECT_EQ(proven_fate(longest), "ends after 8344 turns, 1164 tricks");
}

/// The text's log of its last version: after 116 121 600 deals the longest game had 2641 turns. Of
/// so many games played some two hundred have 2750 or more; of a 128th part of them, one or two
/// (README.md).
TEST(BmnText, CountsDealsThatItDoesNotPlay) {
  const auto& planes = dynamic_cast<const BmnStage&>(*find_stage("bmn/cpu/04_planes"));
  constexpr std::uint64_t deals = 4'000'000;
  const auto table = planes.prepare_table(parameters_for(planes, deals, 53));
  table->run();
  table->wait();
  const Result result = table->collect();
  std::uint64_t long_games = 0;
  for (unsigned bin = 0; bin < kBins; ++bin)
    if (bin_start(bin) >= 2750) long_games += result.lengths[bin];
  const double expected = static_cast<double>(long_games) / deals * 116'121'600;
  EXPECT_GT(expected, 60);  // none was seen: a chance of e^-60
  EXPECT_LT(expected / 128, 5);
}

TEST(BmnShuffle, IsTheOneDefined) {
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{0xfedcba9876543210}})
    expect(check_shuffles(seed, 2'000));
}
TEST(BmnShuffle, IsUniform) { expect(check_uniformity(31, 4'000'000)); }
TEST(BmnShuffle, DependsOnSeedAndIndex) {
  EXPECT_EQ(shuffled_deal(1, 2), shuffled_deal(1, 2));
  EXPECT_NE(shuffled_deal(1, 2), shuffled_deal(1, 3));
  EXPECT_NE(shuffled_deal(1, 2), shuffled_deal(2, 2));
  EXPECT_NE(shuffled_deal(1, 2), shuffled_deal(1, 2 + (std::uint64_t{1} << 32)));
}

TEST(BmnShuffle, RelatedSeedsGiveUnrelatedDeals) { expect(check_related_seeds()); }

TEST_P(Bmn, PlaysTheDealsOfItsSeedWhicheverBitsItHas) { expect(check_seed_bits(stage())); }

TEST(BmnDeal, ReadsAndWritesText) {
  for (const OracleRow& row : oracle("bmn_document_deals.tsv")) {
    std::string text = text_of(deal_of(row.at("deal")));
    EXPECT_EQ(text.erase(26, 1), row.at("deal"));
  }
  EXPECT_EQ(text_of(deal_of("", "A")), "/A");
}

std::string refusal(std::string_view first, std::string_view second) {
  return error_of([&] { deal_of(first, second); });
}

TEST(BmnDeal, RefusesWhatIsNoDeal) {
  EXPECT_EQ(refusal("-X", "-"), "'X' in a deal is not a card; cards are - J Q K A");
  EXPECT_EQ(refusal(std::string(17, 'A'), ""),
            "a deal holds at most 16 court cards; 'AAAAAAAAAAAAAAAAA' goes beyond");
  EXPECT_NE(refusal(std::string(40, '-'), std::string(13, '-')), "no error");
  EXPECT_THROW(deal_of("--"), Error);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BmnAsPrinted);
INSTANTIATE_TEST_SUITE_P(Stages, Bmn, testing::ValuesIn(stages()), test_name);
INSTANTIATE_TEST_SUITE_P(Stages, BmnAsPrinted, testing::ValuesIn(stages(true)), test_name);

}  // namespace
}  // namespace ratchet::bmn
