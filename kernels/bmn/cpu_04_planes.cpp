// bmn/cpu/04_planes
// Changed:  a game in each 64-bit lane of a vector. A hand is a mask that tells courts from number
//           cards, front at bit 0, and a queue of four bits a court; all lanes make one payment a
//           step, and a lane whose game is over gets the next deal at once.
// Why:      number cards are anonymous. What a payment meets is found by one subtraction, laying
//           the cards is one shift, winning the pile another, however long they are; lanes of
//           different games have the same instructions.
// Expected: some 90 operations a step, 80 steps a game, four games at once with AVX2: 4 to 6 times
//           the text's original.
// Source:   ratchet

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bmn/cpu_04_planes.cpp"
// foreach_target.h stands before all else of Highway.
// clang-format off
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/bmn/workers/workers.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ratchet::bmn::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::ScalableTag<std::uint64_t>;
using Signed = hn::RebindToSigned<Lanes>;
using Row = hn::Vec<Lanes>;
using Which = hn::Mask<Lanes>;
inline constexpr std::size_t kLanes = hn::MaxLanes(Lanes());

/// Fields of a game. A hand h has fields kMask + h and so on; hand 0 is the one that pays.
enum Field : unsigned {
  kMask = 0,      ///< bit i: card i from the front is a court
  kRanks = 2,     ///< 1, 2, 4, 8 for J, Q, K, A in four bits a court, the front one lowest
  kCards = 4,     ///< negative: so many cards were owed that were not there
  kRankBits = 6,  ///< four times the courts
  kPile = 8,      ///< as a hand, first laid lowest
  kPileCards,
  kPileRanks,
  kPileRankBits,
  kDemand,  ///< its lowest set bit is 2^(cards demanded - 1)
  kTurns,
  kTricks,
  kPayer,  ///< which player hand 0 belongs to
  kFields
};

/// Lanes as they lie in memory between steps.
struct alignas(64) Games {
  std::uint64_t field[kFields][kLanes];
};

HWY_INLINE Row set(std::uint64_t value) { return hn::Set(Lanes(), value); }

/// Cards that a payment takes, from the mask of their places: 1, 3, 7, 15.
HWY_INLINE Row cards_of(Row places) {
#if HWY_TARGET == HWY_SCALAR
  return hn::PopulationCount(places);
#else
  const hn::Repartition<std::uint8_t, Lanes> bytes;
  alignas(16) static constexpr std::uint8_t kOnes[16] = {0, 1, 1, 2, 1, 2, 2, 3,
                                                         1, 2, 2, 3, 2, 3, 3, 4};
  const auto table = hn::LoadDup128(bytes, kOnes);
  return hn::BitCast(Lanes(), hn::TableLookupBytes(table, hn::BitCast(bytes, places)));
#endif
}

HWY_INLINE Which less(Row a, Row b) {
  const Signed s;
  return hn::RebindMask(Lanes(), hn::Lt(hn::BitCast(s, a), hn::BitCast(s, b)));
}

template <std::size_t kN>
HWY_INLINE void exchange(Which which, Row (&row)[kN], unsigned a, unsigned b) {
  const Row old = row[a];
  row[a] = hn::IfThenElse(which, row[b], old);
  row[b] = hn::IfThenElse(which, old, row[b]);
}

/// Adds to the pile what `places` of hand 0 hold, one court at most, and takes it out of the hand.
HWY_INLINE Which lay(Row (&g)[kFields], Row places, Row cards) {
  const Row laid = hn::And(g[kMask], places);
  const Which court = hn::Ne(laid, set(0));
  g[kPile] = hn::Or(g[kPile], hn::Shl(laid, g[kPileCards]));
  g[kPileCards] = hn::Add(g[kPileCards], cards);
  g[kMask] = hn::Shr(g[kMask], cards);
  g[kCards] = hn::Sub(g[kCards], cards);
  const Row four = hn::IfThenElseZero(court, set(4));
  const Row rank = hn::IfThenElseZero(court, hn::And(g[kRanks], set(15)));
  g[kPileRanks] = hn::Or(g[kPileRanks], hn::Shl(rank, g[kPileRankBits]));
  g[kPileRankBits] = hn::Add(g[kPileRankBits], four);
  g[kDemand] = hn::IfThenElse(court, g[kRanks], g[kDemand]);
  g[kRanks] = hn::Shr(g[kRanks], four);
  g[kRankBits] = hn::Sub(g[kRankBits], four);
  return court;
}

/// Hand 1 takes the pile where `complete`.
HWY_INLINE void collect(Row (&g)[kFields], Which complete) {
  const auto where = [&](Row row) { return hn::IfThenElseZero(complete, row); };
  g[kMask + 1] = hn::Or(g[kMask + 1], where(hn::Shl(g[kPile], g[kCards + 1])));
  g[kRanks + 1] = hn::Or(g[kRanks + 1], where(hn::Shl(g[kPileRanks], g[kRankBits + 1])));
  g[kCards + 1] = hn::Add(g[kCards + 1], where(g[kPileCards]));
  g[kRankBits + 1] = hn::Add(g[kRankBits + 1], where(g[kPileRankBits]));
  g[kTurns] = hn::Add(g[kTurns], where(g[kPileCards]));
  g[kTricks] = hn::Add(g[kTricks], where(set(1)));
}

/// A trick opens where `opens`: hand 1 leads. Afterwards hand 0 pays. Returns where hand 0 ran out
/// of cards instead, or both did: kPileCards then tells how far both hands were searched.
HWY_INLINE Which open(Row (&g)[kFields], Which opens) {
  // Places before the first court, beyond all cards where there is none.
  const auto before = [](Row mask) {
    const Row marked = hn::Or(mask, set(std::uint64_t{1} << 56));
    return hn::AndNot(marked, hn::Sub(marked, set(1)));
  };
  const Row follower = before(g[kMask]), leader = before(g[kMask + 1]);
  const Which follower_first = less(follower, leader);
  const Row cards = hn::PopulationCount(hn::IfThenElse(follower_first, follower, leader));
  const Row one = set(1);
  const Row of_leader = hn::IfThenElseZero(opens, hn::Add(cards, one));
  const Row of_follower =
      hn::IfThenElseZero(opens, hn::Add(cards, hn::IfThenElseZero(follower_first, one)));
  g[kMask] = hn::Shr(g[kMask], of_follower);
  g[kMask + 1] = hn::Shr(g[kMask + 1], of_leader);
  g[kCards] = hn::Sub(g[kCards], of_follower);
  g[kCards + 1] = hn::Sub(g[kCards + 1], of_leader);
  // From here on hand 1 is the one that laid the court.
  const Which change = hn::And(opens, follower_first);
  for (const unsigned field : {kMask, kRanks, kCards, kRankBits})
    exchange(change, g, field, field + 1);
  g[kPayer] = hn::Xor(g[kPayer], hn::IfThenElseZero(change, one));
  const Row four = hn::IfThenElseZero(opens, set(4));
  g[kPileCards] = hn::IfThenElse(opens, hn::Add(of_leader, of_follower), g[kPileCards]);
  g[kPile] =
      hn::IfThenElse(opens, hn::Shl(one, hn::And(hn::Sub(g[kPileCards], one), set(63))), g[kPile]);
  g[kDemand] = hn::IfThenElse(opens, g[kRanks + 1], g[kDemand]);
  g[kPileRanks] = hn::IfThenElse(opens, hn::And(g[kRanks + 1], set(15)), g[kPileRanks]);
  g[kPileRankBits] = hn::IfThenElse(opens, set(4), g[kPileRankBits]);
  g[kRanks + 1] = hn::Shr(g[kRanks + 1], four);
  g[kRankBits + 1] = hn::Sub(g[kRankBits + 1], four);
  return hn::And(opens, less(g[kCards], set(0)));
}

/// A payment in every lane, and what follows from it. Returns where the game is over; `opened` of
/// these says where that was while a trick opened.
HWY_INLINE Which step(Row (&g)[kFields], Row cap, Which& opened) {
  const Row marked = hn::Or(g[kMask], g[kDemand]);
  const Row places = hn::Xor(marked, hn::Sub(marked, set(1)));
  const Which court = lay(g, places, cards_of(places));
  const Which complete = hn::Not(court);
  for (const unsigned field : {kMask, kRanks, kCards, kRankBits})
    exchange(court, g, field, field + 1);
  g[kPayer] = hn::Xor(g[kPayer], hn::IfThenElseZero(court, set(1)));
  collect(g, complete);
  const Which over = hn::And(complete, hn::Or(less(g[kCards], set(1)), less(cap, g[kTurns])));
  opened = open(g, hn::AndNot(over, complete));
  return hn::Or(over, opened);
}

/// Ranks of two bits spread to one of four bits each.
std::uint64_t spread(std::uint32_t ranks, unsigned courts) {
  std::uint64_t spread = 0;
  for (unsigned i = 0; i < courts; ++i)
    spread |= std::uint64_t{1} << (4 * i + (ranks >> 2 * i & 3));
  return spread;
}

void start(Games& games, std::size_t lane, const Deal& deal) {
  const auto first = static_cast<unsigned>(std::popcount(deal.courts[0]));
  const auto second = static_cast<unsigned>(std::popcount(deal.courts[1]));
  const std::uint64_t ranks = spread(deal.ranks, first + second);
  const auto put = [&](unsigned field, std::uint64_t value) { games.field[field][lane] = value; };
  for (unsigned field = 0; field < kFields; ++field) put(field, 0);
  // As if player 1 were to pay one card, and had it, before the first trick: the first step then
  // opens that, player 0 leading.
  put(kDemand, 1);
  put(kPileCards, ~std::uint64_t{0});
  put(kTricks, ~std::uint64_t{0});
  put(kMask, deal.courts[1] << 1);
  put(kMask + 1, deal.courts[0]);
  put(kRanks, first < 16 ? ranks >> 4 * first : 0);
  put(kRanks + 1, first < 16 ? ranks & ((std::uint64_t{1} << 4 * first) - 1) : ranks);
  put(kCards, deal.cards[1] + 1u);
  put(kCards + 1, deal.cards[0]);
  put(kRankBits, 4 * second);
  put(kRankBits + 1, 4 * first);
  put(kPayer, 1);
}

/// Of a lane whose game is over.
Outcome outcome_of(const Games& games, std::size_t lane, bool opened) {
  const auto field = [&](unsigned f) { return static_cast<std::int64_t>(games.field[f][lane]); };
  auto turns = static_cast<std::uint64_t>(field(kTurns)), tricks = games.field[kTricks][lane];
  auto loser = static_cast<std::uint32_t>(field(kPayer));
  if (!opened) {
    turns += static_cast<std::uint64_t>(std::min<std::int64_t>(field(kCards), 0));
    return {static_cast<std::uint32_t>(turns), static_cast<std::uint32_t>(tricks), 1 - loser};
  }
  // Both hands were searched beyond the end of one: as many cards by the leader, and by the
  // follower one less if the leader's court, real or not, came first.
  const std::int64_t searched = field(kPileCards);
  const bool follower_first = searched % 2 == 0;  // and its owner is hand 1 now
  const std::int64_t of_leader = (searched + 1) / 2, of_follower = searched / 2;
  const std::int64_t leader = field(kCards + (follower_first ? 0 : 1)) + of_leader;
  const std::int64_t follower = field(kCards + (follower_first ? 1 : 0)) + of_follower;
  const bool leader_out = leader <= follower;
  turns += static_cast<std::uint64_t>(leader_out ? 2 * leader : 2 * follower + 1);
  // Hand 0 belongs to the leader if the follower's court came first.
  if (leader_out != follower_first) loser = 1 - loser;
  return {static_cast<std::uint32_t>(turns), static_cast<std::uint32_t>(tricks + 1), 1 - loser};
}

/// The lanes, their games and the deals still to come.
class Player {
 public:
  Player(const HostJob& job, HostRecord& record) : job_(job), record_(record), next_(job.first) {}

  void play() {
    for (std::size_t lane = 0; lane < kLanes; ++lane) fill(lane);
    if (playing_ == 0) return;
    Row g[kFields];
    load(g);
    const Row cap = set(job_.cap);
    while (true) {
      Which opened;
      const Which over = step(g, cap, opened);
      if (HWY_LIKELY(hn::AllFalse(Lanes(), over))) continue;
      if (!replace(g, over, opened)) return;
    }
  }

 private:
  void load(Row (&g)[kFields]) const {
    for (unsigned f = 0; f < kFields; ++f) g[f] = hn::Load(Lanes(), games_.field[f]);
  }

  /// The next deal with cards in both hands; those without are over at once.
  void fill(std::size_t lane) {
    index_[lane] = kNone;
    while (next_ < job_.end) {
      const std::uint64_t index = next_++;
      const Deal deal = job_.deal(index);
      if (deal.cards[0] > 0 && deal.cards[1] > 0) {
        start(games_, lane, deal);
        index_[lane] = index;
        ++playing_;
        return;
      }
      record_.game(index, {0, 0, deal.cards[0] > 0 ? 0u : 1u});
    }
    start(games_, lane, kIdle);  // plays on, for nobody
  }

  /// False when no game is left.
  bool replace(Row (&g)[kFields], Which over, Which opened) {
    alignas(64) std::uint64_t is_over[kLanes], is_opened[kLanes];
    hn::Store(hn::IfThenElseZero(over, set(1)), Lanes(), is_over);
    hn::Store(hn::IfThenElseZero(opened, set(1)), Lanes(), is_opened);
    for (unsigned f = 0; f < kFields; ++f) hn::Store(g[f], Lanes(), games_.field[f]);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (!is_over[lane]) continue;
      if (index_[lane] != kNone) {
        --playing_;
        record_.game(index_[lane], outcome_of(games_, lane, is_opened[lane] != 0));
      }
      fill(lane);
    }
    load(g);
    return playing_ > 0;
  }

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  static constexpr Deal kIdle = {{1, 1}, 0, {26, 26}};
  const HostJob& job_;
  HostRecord& record_;
  std::uint64_t next_;
  std::size_t playing_ = 0;
  Games games_;
  std::uint64_t index_[kLanes];
};

void play_all(const HostJob& job, HostRecord& record) { Player(job, record).play(); }

}  // namespace
}  // namespace ratchet::bmn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::bmn {
namespace {

HWY_EXPORT(play_all);
}  // namespace

void play_planes(const HostJob& job, HostRecord& record) {
  HWY_DYNAMIC_DISPATCH(play_all)(job, record);
}

namespace {

const Registration registered{std::make_unique<CpuBmnStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "A game a 64-bit lane, hands as bit masks, lanes refilled at once",
                .source = "ratchet",
                .limit = {"cpu.vector_ops", kPlanesOpsPerStep * kStepsOf52},
                .parameters = common_parameters(4'000'000)}),
    &play_planes)};

}  // namespace
}  // namespace ratchet::bmn
#endif  // HWY_ONCE
