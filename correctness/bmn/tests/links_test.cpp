// The cores of bmn/cuda/07_links, 08_lean_links and 12_short_steps, which are the same code on the
// host: every payment pattern against the definition, with no device.
#include "kernels/bmn/links/links.h"

#include <gtest/gtest.h>

#include "correctness/bmn/checks/checks.h"
#include "kernels/bmn/lean_links/lay_out.h"
#include "kernels/bmn/search/ranks.h"
#include "kernels/bmn/short_steps/lay_out.h"

namespace ratchet::bmn {
namespace {

struct HostNodes {
  links::Word* node;
  links::Word load(links::Word address) const { return node[address / 4]; }
  void store(links::Word address, links::Word word) const { node[address / 4] = word; }
};

template <unsigned kPays>
Outcome play(const Deal& deal, std::uint32_t cap) {
  links::Word memory[kCourts + 1], front[2], tail[2], node = 0;
  const HostNodes nodes{memory};
  const links::Word end = links::end_at(4 * kCourts);
  std::uint32_t ranks = deal.ranks;
  for (unsigned player = 0; player < 2; ++player)
    front[player] = links::lay_out(deal.courts[player] | std::uint64_t{1} << deal.cards[player],
                                   ranks, node, 4u, end, tail[player], nodes);
  if (front[0] == end || front[1] == end) return {0, 0, front[0] == end ? 1u : 0u};
  links::Play game;
  links::start(game, front, tail);
  do {
    links::open_trick(game, nodes);
    while (!links::pay_in_turn<kPays>(game, nodes)) {
    }
  } while (!links::collect(game, nodes, end) && game.turns <= cap);
  const Outcome outcome = links::outcome_of(game);
  return outcome.turns > cap ? Outcome{} : outcome;
}

TEST(BmnLinks, PlayAsDefined) {
  for (const Deal& deal : edge_deals(30'000)) {
    const Outcome wanted = by_definition(deal, kDefaultCap);
    ASSERT_EQ(play<1>(deal, kDefaultCap), wanted) << text_of(deal);
    ASSERT_EQ(play<2>(deal, kDefaultCap), wanted) << text_of(deal);
    ASSERT_EQ(play<3>(deal, kDefaultCap), wanted) << text_of(deal);
    ASSERT_EQ(play<4>(deal, kDefaultCap), wanted) << text_of(deal);
  }
}

// 08.

struct HostRows {
  links::Word* row;
  lean_links::Word column = 4 * 77;
  lean_links::Word load(lean_links::Word address) const { return row[address / 4]; }
  void store(lean_links::Word address, lean_links::Word word) const { row[address / 4] = word; }
};

/// A lane's memory, filled with what no game may read.
class LeanLane {
 public:
  Outcome play(const lean_links::Hands& hands, std::uint32_t cap) const {
    if (hands.front[0] == end_ || hands.front[1] == end_)
      return {0, 0, hands.front[0] == end_ ? 1u : 0u};
    lean_links::Play game;
    lean_links::start(game, hands, node_, slot_, end_, rows_);
    while (!lean_links::step(game, end_, rows_) && (game.length & lean_links::kTurns) <= cap + 1) {
    }
    const Outcome outcome =
        lean_links::outcome_of(game, (game.slot & lean_links::kRow) != (slot_ & lean_links::kRow));
    return outcome.turns > cap ? Outcome{} : outcome;
  }
  Outcome play(const Deal& deal, std::uint32_t cap) const {
    return play(lean_links::lay_out(deal, node_, end_, rows_), cap);
  }
  template <unsigned kCards, unsigned kOf>
  Outcome play(const Shuffle& cards, std::uint32_t cap) const {
    return play(lean_links::lay_out<kCards, kOf>(cards, node_, end_, rows_), cap);
  }

 private:
  mutable std::vector<links::Word> memory_ =
      std::vector<links::Word>(64 * lean_links::kColumns, 0xdeadbeef);
  HostRows rows_{memory_.data()};
  lean_links::Word slot_ = 4 * lean_links::kRow | rows_.column, end_ = lean_links::end_of(6),
                   node_ = 7 * lean_links::kRow | rows_.column;
};

// 12.

struct HostHalves : HostRows {
  lean_links::Word load_half(lean_links::Word address) const {
    return load(address) >> 8 * (address & 2) & 0xffff;
  }
  void store_half(lean_links::Word address, lean_links::Word word) const {
    const unsigned shift = 8 * (address & 2);
    store(address, (load(address) & 0xffff0000u >> shift) | (word & 0xffff) << shift);
  }
  void clear_next_row(lean_links::Word address) const { store(address + lean_links::kRow, 0); }
};

/// As LeanLane.
class ShortLane {
 public:
  Outcome play(const short_steps::Hands& hands, std::uint32_t cap) const {
    if (hands.front[0] == end_ || hands.front[1] == end_)
      return {0, 0, hands.front[0] == end_ ? 1u : 0u};
    short_steps::Play game;
    short_steps::start(game, short_steps::begun(hands, slot_), slot_, rows_);
    while (!short_steps::step(game, end_, 2 * slot_ + short_steps::kHalf, rows_) &&
           (game.length & lean_links::kTurns) <= cap + 1) {
    }
    const Outcome outcome = short_steps::outcome_of(game.length, game.last, game.slot != slot_);
    return outcome.turns > cap ? Outcome{} : outcome;
  }
  Outcome play(const Deal& deal, std::uint32_t cap) const {
    return play(short_steps::hands_of(deal, node_, end_, rows_), cap);
  }
  template <unsigned kCards, unsigned kOf>
  Outcome play(const Shuffle& cards, std::uint32_t cap) const {
    return play(short_steps::hands_of<kCards, kOf>(cards, node_, end_, rows_), cap);
  }

 private:
  mutable std::vector<links::Word> memory_ =
      std::vector<links::Word>(64 * lean_links::kColumns, 0xdeadbeef);
  HostHalves rows_{{memory_.data()}};
  lean_links::Word slot_ = 5 * lean_links::kRow | rows_.column, end_ = lean_links::end_of(6),
                   node_ = 7 * lean_links::kRow | rows_.column;
};

template <class Lane>
class BmnLanes : public testing::Test {};
using Lanes = testing::Types<LeanLane, ShortLane>;
TYPED_TEST_SUITE(BmnLanes, Lanes);

TYPED_TEST(BmnLanes, PlayAsDefined) {
  const TypeParam lane;
  for (const Deal& deal : edge_deals(30'000))
    for (const std::uint32_t cap : {std::uint32_t{kDefaultCap}, 250u})
      ASSERT_EQ(lane.play(deal, cap), by_definition(deal, cap)) << text_of(deal);
}

TYPED_TEST(BmnLanes, LayOutShufflesAndRanksAsAnyDeal) {
  const TypeParam lane;
  for (std::uint64_t index = 0; index < 20'000; ++index) {
    const Shuffle cards = shuffled(counter_block(7, index), shuffle_tables());
    ASSERT_EQ((lane.template play<kHand, kCourts>(cards, kDefaultCap)),
              by_definition(shuffled_deal(7, index), kDefaultCap));
  }
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::uint64_t rank = i < 10'000 ? i : i * 9'000'000'001 % search::kShortDeals;
    ASSERT_EQ((lane.template play<search::kShortHand, search::kShortCourts>(
                  search::unranked(rank, search::rank_tables()), kDefaultCap)),
              by_definition(search::ranked_deal(rank), kDefaultCap));
  }
}

/// All courts in a row, and a row of them cut in two by a gap: every first card and every gap.
TYPED_TEST(BmnLanes, KnowGapsThatNoWordOf32CardsHolds) {
  const TypeParam lane;
  for (unsigned before = 0; before <= 36; ++before)
    for (unsigned gap = 0; gap + before <= 36; ++gap)
      for (unsigned split = 0; split <= kCourts; ++split) {
        const std::uint64_t first = (std::uint64_t{1} << split) - 1,
                            rest = (std::uint64_t{1} << (kCourts - split)) - 1;
        const std::uint64_t all = first << before | rest << (before + split + gap);
        const Shuffle cards = {{static_cast<std::uint32_t>(all & ((1u << kHand) - 1)),
                                static_cast<std::uint32_t>(all >> kHand)},
                               0xffaa5500};
        // Cards before the first court, or between two.
        const bool wide = split == 0 || split == kCourts ? before + (split == 0 ? gap : 0) >= 32
                                                         : before >= 32 || gap >= 32;
        ASSERT_EQ(lean_links::has_wide_gap(cards), wide) << before << " " << split << " " << gap;
        if (wide) continue;
        const Deal deal = {{cards.courts[0], cards.courts[1]}, cards.ranks, {kHand, kHand}};
        ASSERT_EQ((lane.template play<kHand, kCourts>(cards, kDefaultCap)),
                  by_definition(deal, kDefaultCap));
      }
}

}  // namespace
}  // namespace ratchet::bmn
