// The record of games that a thread on a CPU keeps, beyond what a test can play.
#include "kernels/bmn/workers/workers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kernels/bmn/search/ranks.h"
#include "reference/bmn.h"

namespace ratchet::bmn {
namespace {

/// Payments of a game, by the definition: one for each court that is laid. A trick leaves what was
/// laid at the end of the winner's hand.
std::uint64_t payments(const Deal& deal) {
  const std::string text = text_of(deal);
  const std::size_t middle = text.find('/');
  reference::bmn::State game;
  game.hand = {reference::bmn::hand_of(text.substr(0, middle)),
               reference::bmn::hand_of(text.substr(middle + 1))};
  std::uint64_t all = 0;
  while (!game.over()) {
    const std::uint64_t before = game.turns;
    play_trick(game);
    const reference::bmn::Hand& winner = game.hand[game.leader];
    all += static_cast<std::uint64_t>(
        std::count_if(winner.end() - static_cast<std::ptrdiff_t>(game.turns - before), winner.end(),
                      [](reference::bmn::Card card) { return card > 0; }));
  }
  return all;
}

/// A step more opens the first trick.
TEST(BmnPlanes, LimitsCountTheStepsOfAGame) {
  constexpr std::uint64_t kGames = 20'000;
  std::uint64_t of_52 = 0, of_40 = 0;
  for (std::uint64_t i = 0; i < kGames; ++i) {
    of_52 += 1 + payments(shuffled_deal(1, i));
    of_40 += 1 + payments(search::ranked_deal(search::kShortDeals / 2 + 100 * i));
  }
  EXPECT_NEAR(static_cast<double>(of_52) / kGames, kStepsOf52, 1);
  EXPECT_NEAR(static_cast<double>(of_40) / kGames, kStepsOf40, 1);
}

TEST(BmnHostRecord, SumsGoBeyond32Bits) {
  HostJob job;
  job.cap = kDefaultCap;
  HostRecord record(job);
  constexpr std::uint64_t games = 500'000;
  constexpr Outcome outcome{9'000, 8'999, 1};
  for (std::uint64_t index = 0; index < games; ++index) record.game(index, outcome);
  HostRecord both = record;
  both.merge(record);
  const Result sums = both.result();
  EXPECT_EQ(sums.turns, 2 * games * outcome.turns);
  EXPECT_EQ(sums.tricks, 2 * games * outcome.tricks);
  EXPECT_EQ(record.result().turns, games * outcome.turns);
}

/// The first thread finished none: the longest by turns and by tricks are two games of the
/// second's.
TEST(BmnHostRecord, TheLongestOfASecondThreadAreKeptApart) {
  HostJob job;
  job.cap = kDefaultCap;
  HostRecord first(job), second(job);
  first.game(0, {kDefaultCap + 1, 1, 1});
  second.game(5, {900, 10, 0});
  second.game(6, {100, 90, 1});
  first.merge(second);
  const Result sums = first.result();
  EXPECT_EQ(sums.finished, 2u);
  EXPECT_EQ(sums.capped, 1u);
  EXPECT_EQ(sums.most_turns.index, 5u);
  EXPECT_EQ(sums.most_turns.outcome.turns, 900u);
  EXPECT_EQ(sums.most_tricks.index, 6u);
  EXPECT_EQ(sums.most_tricks.outcome.tricks, 90u);
}

/// Lanes end their games in any order, and threads have parts of them: many games as long as
/// others, and capped ones.
TEST(BmnHostRecord, IsTheSameInWhicheverOrderGamesEnd) {
  HostJob job;
  job.cap = 40;
  constexpr std::uint64_t kFirst = 100, kGames = 60;
  std::mt19937 draw(5);
  std::vector<Outcome> outcomes;
  for (std::uint64_t i = 0; i < kGames; ++i) {
    const auto turns = static_cast<std::uint32_t>(36 + draw() % 6);
    outcomes.push_back({turns, static_cast<std::uint32_t>(5 + draw() % 3),
                        static_cast<std::uint32_t>(draw() % 2)});
  }
  const auto record = [&](const std::vector<std::uint64_t>& order) {
    HostRecord kept(job);
    for (const std::uint64_t i : order) kept.game(kFirst + i, outcomes[i]);
    return kept;
  };
  std::vector<std::uint64_t> order(kGames);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  const Result wanted = record(order).result();
  const auto longest = [&](std::uint32_t Outcome::*length) {
    std::uint64_t at = kGames;
    for (std::uint64_t i = 0; i < kGames; ++i)
      if (outcomes[i].turns <= job.cap &&
          (at == kGames || outcomes[i].*length > outcomes[at].*length))
        at = i;
    return kFirst + at;
  };
  EXPECT_EQ(wanted.most_turns.index, longest(&Outcome::turns));
  EXPECT_EQ(wanted.most_tricks.index, longest(&Outcome::tricks));
  EXPECT_GT(wanted.capped, 1u);
  for (int again = 0; again < 50; ++again) {
    const std::uint64_t first_part = draw() % (kGames + 1);
    const auto middle = static_cast<std::ptrdiff_t>(first_part);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::shuffle(order.begin(), order.begin() + middle, draw);
    std::shuffle(order.begin() + middle, order.end(), draw);
    HostRecord parts = record({order.begin(), order.begin() + middle});
    parts.merge(record({order.begin() + middle, order.end()}));
    const Result seen = parts.result();
    EXPECT_EQ(seen.deals, wanted.deals);
    EXPECT_EQ(seen.finished, wanted.finished);
    EXPECT_EQ(seen.capped, wanted.capped);
    EXPECT_EQ(seen.turns, wanted.turns);
    EXPECT_EQ(seen.tricks, wanted.tricks);
    EXPECT_EQ(seen.wins, wanted.wins);
    EXPECT_EQ(seen.digest, wanted.digest);
    EXPECT_EQ(seen.lengths, wanted.lengths);
    EXPECT_EQ(seen.most_turns.index, wanted.most_turns.index);
    EXPECT_EQ(seen.most_tricks.index, wanted.most_tricks.index);
    ASSERT_EQ(seen.capped_games.size(), wanted.capped_games.size());
    for (std::size_t i = 0; i < wanted.capped_games.size(); ++i)
      EXPECT_EQ(seen.capped_games[i].index, wanted.capped_games[i].index);
  }
}

}  // namespace
}  // namespace ratchet::bmn
