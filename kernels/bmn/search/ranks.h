// Deals by number: the game with 40 cards, of which 12 are courts, four each of J, Q and K, 20
// cards a player. There are 40!/(28! 4! 4! 4!) deals, few enough to play all.
//
// The rank of a deal is (rank of the courts' places) * 34650 + (rank of their order). Places are
// ranked as combinations in colexicographic order: the sum of C(place of court i, i + 1), i and
// places from 0. Orders are ranked lexicographically, J before Q before K. So 34650 deals in a row
// have their courts in the same places, and the next deal is a look-up away; published lists rank
// all 40 cards lexicographically (reference::bmn::rank_of), which takes 40 dependent steps to read
// back.
#pragma once

#include "kernels/bmn/shuffle/shuffle.h"

namespace ratchet::bmn::search {

inline constexpr unsigned kShortHand = 20, kShortDeck = 40, kShortCourts = 12;
inline constexpr std::uint32_t kShortOrders = 34'650;
inline constexpr std::uint64_t kShortPlaces = 5'586'853'480;
inline constexpr std::uint64_t kShortDeals = kShortPlaces * kShortOrders;  // 193 584 473 082 000

struct RankTables {
  /// C(n, k) at [n * 13 + k], n below 41.
  std::uint64_t choose[(kShortDeck + 1) * (kShortCourts + 1)];
  /// Ranks of the courts as in Deal, by the rank of their order.
  std::uint32_t order[kShortOrders];
};
/// Built once, then shared.
const RankTables& rank_tables();

/// Places of the courts among 40 cards, by their rank.
RATCHET_HD inline std::uint64_t places_of_rank(std::uint64_t rank, const RankTables& tables) {
  std::uint64_t places = 0;
  unsigned courts = kShortCourts;
  for (unsigned card = kShortDeck; card-- > 0;) {
    const std::uint64_t below = tables.choose[card * (kShortCourts + 1) + courts];
    if (courts == 0 || rank < below) continue;
    rank -= below;
    --courts;
    places |= std::uint64_t{1} << card;
  }
  return places;
}

/// A deal of 20 cards each with courts in these places.
RATCHET_HD inline Shuffle short_deal(std::uint64_t places, std::uint32_t order,
                                     const RankTables& tables) {
  return {{static_cast<std::uint32_t>(places & ((1u << kShortHand) - 1)),
           static_cast<std::uint32_t>(places >> kShortHand)},
          tables.order[order]};
}

/// The deal of a rank below kShortDeals.
RATCHET_HD inline Shuffle unranked(std::uint64_t rank, const RankTables& tables) {
  return short_deal(places_of_rank(rank / kShortOrders, tables),
                    static_cast<std::uint32_t>(rank % kShortOrders), tables);
}

/// The rank of a deal of 20 cards each with four of each court. Throws `Error` for any other.
std::uint64_t rank_of(const Deal& deal);

/// "deals", "cap", and "first": the rank of the first deal. Behind the last rank comes 0.
std::vector<Parameter> rank_parameters(std::uint64_t default_deals);
RATCHET_HD inline std::uint64_t rank_at(std::uint64_t first, std::uint64_t index) {
  return (first + index) % kShortDeals;
}
Deal ranked_deal(std::uint64_t rank);

}  // namespace ratchet::bmn::search
