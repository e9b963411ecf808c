// Chains of deals that differ by one swap each: how the text goes on from deal to deal.
//
// Deal `index` is the start of chain index / length, a shuffle, after index % length swaps. Swap k
// of a chain is decided by words 4k to 4k + 3 of the chain's stream, the words 0 to 3 being those
// of the shuffle: a court card, all 16 alike, changes places with one of the 52 cards; where both
// are the same, a second pair of words decides, and if those are too, nothing changes.
//
// The text's chains never end. Here they do, so that each deal has a number and any lane can make
// it.
#pragma once

#include "kernels/bmn/shuffle/shuffle.h"

namespace ratchet::bmn::search {

inline constexpr std::uint64_t kMaxChain = 256;

/// The cards by place: bit i of `court` that card i is a court, of `high` and `low` its rank's
/// bits.
struct Places {
  std::uint64_t court = 0, high = 0, low = 0;
};

RATCHET_HD inline Places places_of(const Shuffle& cards) {
  Places places;
  places.court = cards.courts[0] | std::uint64_t{cards.courts[1]} << kHand;
  std::uint32_t ranks = cards.ranks;
  for (std::uint64_t left = places.court; left != 0; left &= left - 1, ranks >>= 2) {
    const std::uint64_t here = left & (~left + 1);
    if (ranks & 1) places.low |= here;
    if (ranks & 2) places.high |= here;
  }
  return places;
}

RATCHET_HD inline Shuffle shuffle_of(const Places& places) {
  Shuffle cards{};
  cards.courts[0] = static_cast<std::uint32_t>(places.court & ((1u << kHand) - 1));
  cards.courts[1] = static_cast<std::uint32_t>(places.court >> kHand);
  unsigned shift = 0;
  for (std::uint64_t left = places.court; left != 0; left &= left - 1, shift += 2) {
    const std::uint64_t here = left & (~left + 1);
    cards.ranks |= (static_cast<std::uint32_t>((places.high & here) != 0) << 1 |
                    static_cast<std::uint32_t>((places.low & here) != 0))
                   << shift;
  }
  return cards;
}

RATCHET_HD inline void exchange_bits(std::uint64_t& plane, std::uint64_t a, std::uint64_t b) {
  if (((plane & a) != 0) != ((plane & b) != 0)) plane ^= a | b;
}

/// Exchanges court number `court`, counted from the front, with card `card`. False if both are the
/// same.
RATCHET_HD inline bool swap_cards(Places& places, unsigned court, unsigned card) {
  std::uint64_t left = places.court;
  for (unsigned i = 0; i < court; ++i) left &= left - 1;
  const std::uint64_t a = left & (~left + 1), b = std::uint64_t{1} << card;
  const bool same = (places.court & b) != 0 &&
                    ((places.high & a) != 0) == ((places.high & b) != 0) &&
                    ((places.low & a) != 0) == ((places.low & b) != 0);
  if (same) return false;
  exchange_bits(places.court, a, b);
  exchange_bits(places.high, a, b);
  exchange_bits(places.low, a, b);
  return true;
}

/// A swap by four words.
RATCHET_HD inline void swap_by(Places& places, const Words& words) {
  for (unsigned pair = 0; pair < 4; pair += 2)
    if (swap_cards(places, words.w[pair] >> 28,
                   static_cast<unsigned>(std::uint64_t{words.w[pair + 1]} * kDeck >> 32)))
      return;
}

/// Deal `index` of chains of `length` deals under `seed`.
RATCHET_HD inline Shuffle chained(std::uint64_t seed, std::uint64_t index, std::uint64_t length,
                                  const ShuffleTables& tables) {
  const std::uint64_t chain = index / length;
  const Shuffle start = shuffled(counter_block(seed, chain), tables);
  if (index % length == 0) return start;
  Places places = places_of(start);
  for (std::uint64_t k = 1; k <= index % length; ++k)
    swap_by(places, counter_block(seed, chain, static_cast<std::uint32_t>(k)));
  return shuffle_of(places);
}

/// "seed", "deals", "cap", and "chain": deals in a chain.
std::vector<Parameter> chain_parameters(std::uint64_t default_deals);
Deal chained_deal(const Parameters& parameters, std::uint64_t index);

}  // namespace ratchet::bmn::search
