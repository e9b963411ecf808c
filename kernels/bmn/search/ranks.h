// Deals by number: the game with 40 cards, of which 12 are courts, four each of J, Q and K, 20 cards a
// player. There are 40!/(28! 4! 4! 4!) deals, few enough to play all.
//
// The rank of a deal is its place among all in lexicographic order, symbols in the order -, J, Q, K
// (reference::bmn::rank_of).
#pragma once

#include "kernels/bmn/shuffle/shuffle.h"

namespace ratchet::bmn::search {

inline constexpr unsigned kShortHand = 20, kShortDeck = 40, kShortCourts = 12, kShortNumbers = 28;
inline constexpr std::uint64_t kShortDeals = 193'584'473'082'000;

/// Arrangements of n number cards, j J, q Q and k K: [((n * 5 + j) * 5 + q) * 5 + k]. 29 KB.
struct Arrangements {
  static constexpr unsigned kOfNumber = 125, kAll = (kShortNumbers + 1) * kOfNumber;
  std::uint64_t of[kAll];
};
/// Built once, then shared.
const Arrangements& arrangements();

/// The deal of a rank below kShortDeals, 20 cards each.
RATCHET_HD inline Shuffle unranked(std::uint64_t rank, const Arrangements& table) {
  Shuffle cards{};
  unsigned at = Arrangements::kAll - 1, numbers = kShortNumbers, court = 0;
  unsigned left = 0x444;  // of J, Q, K, four bits each
  for (unsigned card = 0; card < kShortDeck; ++card) {
    if (numbers > 0) {
      const std::uint64_t below = table.of[at - Arrangements::kOfNumber];
      if (rank < below) {
        at -= Arrangements::kOfNumber;
        --numbers;
        continue;
      }
      rank -= below;
    }
    unsigned kind = 0, step = 25;
    for (;; ++kind, step /= 5) {
      if ((left >> 4 * kind & 15) == 0) continue;
      const std::uint64_t below = table.of[at - step];
      if (rank < below) break;
      rank -= below;
    }
    at -= step;
    left -= 1u << 4 * kind;
    cards.ranks |= kind << 2 * court++;
    if (card < kShortHand)
      cards.courts[0] |= 1u << card;
    else
      cards.courts[1] |= 1u << (card - kShortHand);
  }
  return cards;
}

/// "deals", "cap", and "first": the rank of the first deal. Behind the last rank comes 0.
std::vector<Parameter> rank_parameters(std::uint64_t default_deals);
RATCHET_HD inline std::uint64_t rank_at(std::uint64_t first, std::uint64_t index) {
  return (first + index) % kShortDeals;
}
Deal ranked_deal(std::uint64_t rank);

}  // namespace ratchet::bmn::search
