// The reference against every known game, rank and cycle; nothing of the stages is used here.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "correctness/bmn/checks/checks.h"
#include "reference/bmn.h"

namespace ratchet::bmn {
namespace {

namespace def = reference::bmn;

std::array<def::Hand, 2> halves(std::string deal) {
  std::erase(deal, '/');
  const auto half = static_cast<std::ptrdiff_t>(deal.size() / 2);
  return {def::hand_of(deal.substr(0, deal.size() / 2)), def::hand_of(deal.substr(half))};
}

TEST(BmnReference, PlaysThePrintedDeals) {
  const auto rows = oracle("bmn_document_deals.tsv");
  EXPECT_EQ(rows.size(), 26u);
  for (const OracleRow& row : rows) {
    const auto [first, second] = halves(row.at("deal"));
    const def::Outcome outcome = def::play(first, second, 10'000);
    EXPECT_EQ(outcome.turns, std::stoul(row.at("doc_turns"))) << row.at("deal");
    EXPECT_EQ(outcome.tricks, std::stoul(row.at("doc_tricks"))) << row.at("deal");
    EXPECT_EQ(outcome.winner, std::stoul(row.at("winner"))) << row.at("deal");
  }
}

TEST(BmnReference, PlaysTheKnownDeals) {
  for (const OracleRow& row : oracle("bmn_known_deals.tsv")) {
    const auto [first, second] = halves(row.at("deal"));
    const def::Fate fate = def::fate(first, second);
    ASSERT_EQ(fate.endless, row.at("status") == "loop") << row.at("deal");
    if (!fate.endless) {
      EXPECT_EQ(fate.turns, std::stoul(row.at("turns"))) << row.at("deal");
      EXPECT_EQ(fate.tricks, std::stoul(row.at("tricks"))) << row.at("deal");
      continue;
    }
    EXPECT_EQ(fate.transient_turns, std::stoul(row.at("pre_turns")));
    EXPECT_EQ(fate.transient_tricks, std::stoul(row.at("pre_tricks")));
    EXPECT_EQ(fate.period_turns, std::stoul(row.at("cycle_turns")));
    EXPECT_EQ(fate.period_tricks, std::stoul(row.at("cycle_tricks")));
  }
}

/// The text: "every game will finish in a finite number of moves".
TEST(BmnReference, NotEveryGameFinishes) {
  const def::Fate fate = def::fate(def::hand_of("---K---Q-KQAJ-----AAJ--J--"),
                                   def::hand_of("----------Q----KQ-J-----KA"));
  EXPECT_TRUE(fate.endless);
  EXPECT_EQ(fate.transient_turns, 34u);
  EXPECT_EQ(fate.period_turns, 440u);
  EXPECT_EQ(fate.period_tricks, 62u);
  const def::Outcome outcome = def::play(def::hand_of("---K---Q-KQAJ-----AAJ--J--"),
                                         def::hand_of("----------Q----KQ-J-----KA"), 1'000'000);
  EXPECT_TRUE(outcome.capped());
}

TEST(BmnReference, PlaysTheSmallCases) {
  for (const OracleRow& row : oracle("bmn_small_cases.tsv")) {
    const def::Fate fate = def::fate(def::hand_of(row.at("handA")), def::hand_of(row.at("handB")));
    ASSERT_EQ(fate.endless, row.at("status") == "loop") << row.at("name");
    const auto turns = fate.endless ? fate.transient_turns + fate.period_turns : fate.turns;
    const auto tricks = fate.endless ? fate.transient_tricks + fate.period_tricks : fate.tricks;
    EXPECT_EQ(turns, std::stoul(row.at("cards"))) << row.at("name");
    EXPECT_EQ(tricks, std::stoul(row.at("tricks"))) << row.at("name");
  }
}

TEST(BmnReference, FindsTheCyclesOfFortyCards) {
  for (const OracleRow& row : oracle("camicia40_infinite.tsv")) {
    const auto [first, second] = halves(row.at("deal40"));
    const def::Fate fate = def::fate(first, second);
    ASSERT_TRUE(fate.endless) << row.at("deal40");
    EXPECT_EQ(fate.period_turns, std::stoul(row.at("cycle_turns"))) << row.at("deal40");
    EXPECT_EQ(fate.period_tricks, std::stoul(row.at("cycle_tricks"))) << row.at("deal40");
    EXPECT_EQ(fate.transient_turns, std::stoul(row.at("transient_turns"))) << row.at("deal40");
    EXPECT_EQ(static_cast<std::uint64_t>(def::rank_of(def::hand_of(row.at("deal40")), "-JQK")),
              std::stoull(row.at("rank")));
  }
}

std::string decimal(def::Wide number) {
  std::string digits;
  do digits += static_cast<char>('0' + static_cast<int>(number % 10));
  while ((number /= 10) > 0);
  return {digits.rbegin(), digits.rend()};
}

TEST(BmnReference, RanksDeals) {
  for (const OracleRow& row : oracle("bmn_deal_rank.tsv")) {
    const def::Hand deal = def::hand_of(row.at("deal52"));
    const auto rank = def::rank_of(deal, "AKQJ-");
    EXPECT_EQ(decimal(rank), row.at("rank")) << row.at("name");
    EXPECT_EQ(def::unrank(rank, {4, 4, 4, 4, 36}, "AKQJ-"), deal) << row.at("name");
  }
}

TEST(BmnReference, CapIsTheLastTurnThatCounts) {
  const auto [first, second] = halves("---AJ--Q---------QAKQJJ-QK-----A----KJ-K--------A---");
  EXPECT_EQ(def::play(first, second, 8344),
            (def::Outcome{8344, 1164, def::play(first, second, 10'000).winner}));
  EXPECT_TRUE(def::play(first, second, 8343).capped());
}

TEST(BmnReference, EmptyHandsAreOverBeforeTheFirstTurn) {
  EXPECT_EQ(def::play({}, def::hand_of("-J"), 100), (def::Outcome{0, 0, 1}));
  EXPECT_EQ(def::play(def::hand_of("-J"), {}, 100), (def::Outcome{0, 0, 0}));
  EXPECT_EQ(def::play({}, {}, 100), (def::Outcome{0, 0, 1}));
}

TEST(BmnReference, ShufflesHoldTheCardsOfADeck) {
  std::mt19937 words(5);
  for (int i = 0; i < 50; ++i) {
    std::array<std::uint32_t, 4> w;
    for (auto& word : w) word = static_cast<std::uint32_t>(words());
    auto [first, second] = def::shuffled(w);
    ASSERT_EQ(first.size(), 26u);
    ASSERT_EQ(second.size(), 26u);
    first.insert(first.end(), second.begin(), second.end());
    for (def::Card court = 1; court <= 4; ++court)
      EXPECT_EQ(std::count(first.begin(), first.end(), court), 4);
  }
}

}  // namespace
}  // namespace ratchet::bmn
