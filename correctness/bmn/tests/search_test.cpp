// The searches: chains of swaps, ranks; climbers are in climb_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "correctness/bmn/checks/checks.h"
#include "correctness/support/data_file.h"
#include "correctness/support/expect_results.h"
#include "kernels/bmn/lean_links/lay_out.h"
#include "kernels/bmn/search/best.h"
#include "kernels/bmn/search/climb.h"
#include "kernels/bmn/search/ranks.h"
#include "kernels/bmn/search/swaps.h"
#include "kernels/bmn/shuffle/shuffle.h"
#include "kernels/contract/program.h"
#include "perf/study/run/run.h"
#include "perf/support/error.h"
#include "reference/bmn.h"

namespace ratchet::bmn {
namespace {

using correctness::expect;

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

TEST(BmnRanks, NameEachDealOnce) {
  std::mt19937_64 draw(3);
  std::vector<std::uint64_t> ranks = {0,
                                      1,
                                      2,
                                      search::kShortDeals - 1,
                                      search::kShortDeals / 2,
                                      search::kShortOrders - 1,
                                      search::kShortOrders};
  for (int i = 0; i < 100'000; ++i) ranks.push_back(draw() % search::kShortDeals);
  for (const std::uint64_t rank : ranks) {
    const Deal deal = search::ranked_deal(rank);
    ASSERT_EQ(search::rank_of(deal), rank) << text_of(deal);
    std::string cards = cards_of(deal);
    std::sort(cards.begin(), cards.end());
    ASSERT_EQ(cards, std::string(28, '-') + "JJJJKKKKQQQQ") << rank;
  }
}

TEST(BmnRanks, BeginAndEndAsStated) {
  EXPECT_EQ(text_of(search::ranked_deal(0)), "JJJJQQQQKKKK--------/--------------------");
  EXPECT_EQ(text_of(search::ranked_deal(1)), "JJJJQQQKQKKK--------/--------------------");
  EXPECT_EQ(text_of(search::ranked_deal(search::kShortDeals - 1)),
            "--------------------/--------KKKKQQQQJJJJ");
  EXPECT_EQ(search::kShortDeals, 193'584'473'082'000u);
  EXPECT_EQ(search::rank_at(search::kShortDeals - 1, 1), 0u);
}

TEST(BmnRanks, RefuseOtherDeals) {
  EXPECT_THROW(search::rank_of(shuffled_deal(1, 1)), Error);
  EXPECT_THROW(search::rank_of(deal_of(std::string(20, '-'), "JJJJQQQQKKKJ--------")), Error);
}

Deal short_deal_of(const std::string& digits) {
  const std::string text = reference::bmn::text_of(reference::bmn::hand_of(digits));
  return deal_of(text.substr(0, 20), text.substr(20));
}

/// Whether the definition, which has no cap, never ends.
bool never_ends(const Deal& deal) {
  return by_definition(deal, kDefaultCap).winner == kNobody &&
         proven_fate(deal).starts_with("never ends");
}

/// Ranges around published endless deals, by every exhaustive stage that can run here: found are
/// exactly those that never end by the definition, the published ones among them. (The list in
/// camicia40_infinite.tsv is not whole: one of these ranges holds a deal that never ends and is not
/// in it.)
TEST(BmnExhaustive, FindsExactlyTheEndlessDealsOfARangeCuda) {
  std::vector<std::uint64_t> published;
  for (const OracleRow& row : oracle("camicia40_infinite.tsv"))
    published.push_back(search::rank_of(short_deal_of(row.at("deal40"))));
  std::sort(published.begin(), published.end());
  constexpr std::uint64_t deals = 30'000;
  std::set<std::uint64_t> firsts;
  for (const std::size_t i : {std::size_t{0}, published.size() / 2, published.size() - 1})
    firsts.insert(published[i] - deals / 2);
  for (const std::uint64_t first : firsts) {
    std::vector<std::uint64_t> wanted;
    for (std::uint64_t rank = first; rank < first + deals; ++rank)
      if (never_ends(search::ranked_deal(rank))) wanted.push_back(rank);
    for (const std::uint64_t rank : published)
      if (rank >= first && rank < first + deals) {
        EXPECT_TRUE(std::binary_search(wanted.begin(), wanted.end(), rank)) << rank;
      }
    for (const char* name :
         {"bmn/cpu/06_exhaustive", "bmn/cuda/10_exhaustive", "bmn/cuda/13_exhaustive"}) {
      const auto* stage = dynamic_cast<const BmnStage*>(find_stage(name));
      if (stage == nullptr || !stage->availability().ok) continue;
      Parameters parameters = stage->defaults();
      parameters.set({{"first", first}, {"deals", deals}});
      const auto table = stage->prepare_table(parameters);
      table->run();
      table->wait();
      std::vector<std::uint64_t> found;
      for (const Game& game : table->collect().capped_games) found.push_back(first + game.index);
      EXPECT_EQ(found, wanted) << name;
    }
  }
}

/// Runs continue where the previous one ended, so that a search reaches all ranks. Timed runs do
/// not, because reset() precedes them: a row's speed is always of the same games.
TEST(BmnExhaustive, TimedRunsPlayTheSameRangeCuda) {
  for (const char* name :
       {"bmn/cpu/06_exhaustive", "bmn/cuda/10_exhaustive", "bmn/cuda/13_exhaustive"}) {
    const auto* stage = dynamic_cast<const BmnStage*>(find_stage(name));
    if (stage == nullptr || !stage->availability().ok) continue;
    const auto table = stage->prepare_table(stage->defaults().set("deals", 50'000));
    const auto digest_of_run = [&] {
      table->run();
      table->wait();
      return table->collect().digest;
    };
    const std::uint64_t first = digest_of_run(), second = digest_of_run();
    EXPECT_NE(second, first) << name;
    table->reset();
    EXPECT_EQ(digest_of_run(), first) << name;
    EXPECT_EQ(digest_of_run(), second) << name;
  }
}

// What a search found and was stored.

TEST(BmnRecords, OfTheStoredSearchAreWhatTheirDealsMake) {
  const auto kept =
      run::read_records(correctness::data_file("../kernels/bmn/records/search.records"));
  EXPECT_EQ(kept.program, "bmn/search");
  ASSERT_GE(kept.found.size(), 5u);
  EXPECT_TRUE(kept.found[0].heading.starts_with("bmn/cpu/04_planes")) << kept.found[0].heading;
  for (const run::Found& found : kept.found) {
    const Deal deal = deal_of(found.record.substr(0, kDeck));
    unsigned turns = 0, tricks = 0;
    unsigned long long seed = 0, index = 0;
    ASSERT_EQ(
        std::sscanf(found.record.c_str() + kDeck, ": %u turns, %u tricks [seed %llu, deal %llu]",
                    &turns, &tricks, &seed, &index),
        4)
        << found.record;
    const Outcome outcome = by_definition(deal, kDefaultCap);
    EXPECT_EQ(outcome.turns, turns) << found.record;
    EXPECT_EQ(outcome.tricks, tricks) << found.record;
    EXPECT_EQ(shuffled_deal(seed, index), deal) << found.record;
  }
}

/// A game of most turns need not be that of most tricks.
TEST(BmnRecords, HaveTheTurnsAndTricksOfTheirOwnGame) {
  const std::string cards = "K-----A-----QA---QQAK---J------QKJ-------K-J--A----J";
  const Deal deal = deal_of(cards);
  search::Best best{100, 20, 0};
  std::vector<std::string> records;
  best.take(deal, 150, 10, " [a]", records);
  best.take(deal, 150, 20, " [b]", records);
  best.take(deal, 120, 30, "", records);
  EXPECT_EQ(records, (std::vector<std::string>{cards + ": 150 turns, 10 tricks [a]",
                                               cards + ": 120 turns, 30 tricks"}));
  EXPECT_EQ(best.text(), "turns=150 tricks=30 endless=0");
}

/// Why climbing gains little: a swap makes nearly a new game. The neighbours of games of 1200 turns
/// or more have that many 1.8 times as often as shuffles have, not ten times.
TEST(BmnSwaps, MakeNearlyANewGame) {
  const auto& planes = dynamic_cast<const BmnStage&>(*find_stage("bmn/cpu/04_planes"));
  const Parameters parameters = parameters_for(planes, 600'000, 1);
  const std::vector<Outcome> games = planes.games(parameters);
  std::vector<Deal> neighbours;
  for (std::uint64_t index = 0; index < games.size(); ++index) {
    if (games[index].turns < 1200) continue;
    const Shuffle cards = shuffled(counter_block(1, index), shuffle_tables());
    for (std::uint32_t k = 1; k <= 20; ++k) {
      search::Places places = search::places_of(cards);
      search::swap_by(places, counter_block(1, index, k));
      neighbours.push_back(search::whole_deal(search::shuffle_of(places)));
    }
  }
  ASSERT_GT(neighbours.size(), 30'000u);
  std::uint64_t long_games = 0, turns = 0;
  for (const Outcome& outcome : planes.play(parameters, neighbours)) {
    long_games += outcome.turns >= 1000;
    turns += outcome.turns;
  }
  const auto n = static_cast<double>(neighbours.size());
  // Neighbours of one deal are alike: the error is taken as that of a tenth of them.
  EXPECT_NEAR(static_cast<double>(long_games) / n, 0.0176, 0.006);
  EXPECT_NEAR(static_cast<double>(turns) / n, 295, 20);
}

// Shuffles and chains of swaps, card by card: what their tables and bits make is what words say.

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

// The replay.

std::vector<std::string> replayed(const std::string& deal) {
  std::ostringstream out;
  run::run_short_program(dynamic_cast<const ShortProgram&>(*find_program("bmn", "replay")), {deal},
                         out);
  std::vector<std::string> lines;
  std::istringstream in(out.str());
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Line by line: the cards laid are those that lay on the hands, and all go under the taker's.
void expect_tricks(const std::string& deal, const std::vector<std::string>& lines) {
  static const std::regex form(R"( *(\d+) +(\d+) (.*): ([12]) takes (\d+), ([-JQKA]*)/([-JQKA]*))");
  std::array<std::string, 2> hands = {deal.substr(0, 26), deal.substr(deal.size() - 26)};
  std::size_t turns = 0;
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
    std::smatch match;
    ASSERT_TRUE(std::regex_match(lines[i], match, form)) << lines[i];
    EXPECT_EQ(std::stoul(match[1]), i);
    std::string pile;
    std::size_t player = 2;
    for (const char c : match[3].str())
      if (c == '1' || c == '2') {
        player = static_cast<std::size_t>(c - '1');
      } else if (c != ' ' && c != ':') {
        ASSERT_TRUE(hands.at(player).starts_with(c)) << lines[i];
        hands[player].erase(0, 1);
        pile += c;
      }
    turns += pile.size();
    EXPECT_EQ(std::stoul(match[2]), turns) << lines[i];
    EXPECT_EQ(std::stoul(match[5]), pile.size()) << lines[i];
    hands[static_cast<std::size_t>(match[4].str()[0] - '1')] += pile;
    ASSERT_EQ(match[6], hands[0]) << lines[i];
    ASSERT_EQ(match[7], hands[1]) << lines[i];
  }
}

TEST(BmnReplay, PlaysTheArticlesDealsAndTheKnownOnesCardByCard) {
  int deals = 0;
  for (const char* file : {"bmn_document_deals.tsv", "bmn_known_deals.tsv"})
    for (const OracleRow& row : oracle(file)) {
      if (std::string(file) == "bmn_known_deals.tsv" && row.at("status") == "loop") continue;
      ++deals;
      const std::string deal = row.at("deal");
      const std::vector<std::string> lines = replayed(deal);
      expect_tricks(deal, lines);
      EXPECT_EQ(lines.size(), std::stoul(row.at("tricks")) + 2) << deal;
      std::string joined = deal;
      std::erase(joined, '/');
      EXPECT_TRUE(lines.back().starts_with(joined + ": " + row.at("turns") + " turns, " +
                                           row.at("tricks") + " tricks; player "))
          << lines.back();
    }
  EXPECT_GE(deals, 26 + 20);
}

TEST(BmnReplay, AGameThatNeverEndsIsPlayedUntilItRepeats) {
  const std::string deal = "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA";
  const std::vector<std::string> lines = replayed(deal);
  expect_tricks(deal, lines);
  EXPECT_TRUE(
      lines.back().ends_with("never ends: from turn 34 on it repeats every 440 turns, 62 tricks"))
      << lines.back();
  EXPECT_NE(lines[lines.size() - 2].find("  474 "), std::string::npos) << "34 + 440 turns";
  EXPECT_THROW(replayed("-K-A"), Error);
  EXPECT_THROW(replayed("-x-A/--"), Error);
}

}  // namespace

}  // namespace ratchet::bmn
