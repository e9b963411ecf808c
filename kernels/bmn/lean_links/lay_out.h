// Puts a deal into the memory of lean_links.h: 16 nodes in neighbouring rows, in the order of the
// cards.
#pragma once

#include "kernels/bmn/lean_links/lean_links.h"
#include "kernels/bmn/shuffle/shuffle.h"

namespace ratchet::bmn::lean_links {

/// A deal laid out: what a game starts from.
struct Hands {
  Word front[2];
  Word tail;  ///< of player 0, an address; that of player 1 is the last of the 16 nodes
};

/// Leading zeros; 32 of 0.
RATCHET_HD inline unsigned zeros_of(std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__clz(static_cast<int>(x)));
#else
  return x == 0 ? 32u : static_cast<unsigned>(__builtin_clz(x));
#endif
}
RATCHET_HD inline std::uint32_t reversed(std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  return __brev(x);
#else
  std::uint32_t y = 0;
  for (unsigned i = 0; i < 32; ++i) y |= (x >> i & 1) << (31 - i);
  return y;
#endif
}
/// high:low shifted left by up to 32, the high word.
RATCHET_HD inline std::uint32_t shifted(std::uint32_t low, std::uint32_t high, unsigned by) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_lc(low, high, by);
#else
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return static_cast<std::uint32_t>(both << by >> 32);
#endif
}

/// Divides the list of both hands' courts, which begins in the row of `end` and counts all cards
/// from the front of hand 0, behind the cards of hand 0, and ends that of hand 1. `tail`: the last
/// court of hand 0, void for none; `behind`: its cards behind that; `left`: the cards behind the
/// last court of all.
template <class Memory>
RATCHET_HD inline Hands divided(bool courts, Word tail, Word behind, Word left, Word node, Word end,
                                const Memory& memory) {
  Hands hands;
  memory.store(node + (kCourts - 1) * kRow, end + left * kCard);
  hands.tail = courts ? tail : address_of(end, memory.column);
  hands.front[1] = memory.load(hands.tail) - behind * kCard;
  memory.store(hands.tail, end + behind * kCard);
  hands.front[0] = memory.load(address_of(end, memory.column));
  memory.store(address_of(end, memory.column), 0);
  return hands;
}

/// Whether two courts, or the front and the first one, are so far apart that a word of 32 cards
/// holds neither: one of 10^8 deals.
RATCHET_HD inline bool has_wide_gap(const Shuffle& cards) {
  // A run of 32 cards without a court covers cards 20 to 31.
  if ((cards.courts[0] >> 20 | (cards.courts[1] & 63) << 6) != 0) return false;
  const unsigned before = zeros_of(cards.courts[0]);                 // 32 of none
  const unsigned behind = zeros_of(reversed(cards.courts[1] >> 6));  // 32 of none
  return before + behind >= 32 && behind < 32;
}

/// A whole deal without a wide gap, `kCards` a hand and `kOf` courts, into the last of the nodes
/// from address `node` on; `end` is end_of() the row that is the lane's to write to.
template <unsigned kCards, unsigned kOf, class Memory>
RATCHET_HD inline Hands lay_out(const Shuffle& cards, Word node, Word end, const Memory& memory) {
  std::uint32_t high = reversed(cards.courts[0] | cards.courts[1] << kCards);
  std::uint32_t low = reversed(cards.courts[1] >> (32 - kCards));
  const Word first = node + (kCourts - kOf) * kRow;
  const Word base = (first & kRows) + kOne + kCard + 1;
  Word before = address_of(end, memory.column);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (unsigned i = 0; i < kOf; ++i) {
    const unsigned between = zeros_of(high);
    high = shifted(low, high, between + 1);
    low = shifted(0, low, between + 1);
    memory.store(before, between * kCard + (base + i * kRow + (cards.ranks >> 2 * i & 3)));
    before = first + i * kRow;
  }
  const Word behind = zeros_of(cards.courts[0]) - (32 - kCards);
  const Word left =
      cards.courts[1] == 0 ? behind + kCards : zeros_of(cards.courts[1]) - (32 - kCards);
  return divided(cards.courts[0] != 0, first + (ones_of(cards.courts[0]) - 1) * kRow, behind, left,
                 node, end, memory);
}

/// Any deal, likewise. Fewer than 16 courts take the last nodes.
template <class Memory>
RATCHET_HD inline Hands lay_out(const Deal& deal, Word node, Word end, const Memory& memory) {
  unsigned courts[2] = {0, 0};
  for (unsigned i = 0; i < kDeck; ++i)
    for (unsigned player = 0; player < 2; ++player) courts[player] += deal.courts[player] >> i & 1;
  const unsigned unused = kCourts - courts[0] - courts[1];
  Word before = address_of(end, memory.column), cards = 1, behind = deal.cards[0];
  unsigned at = unused;
  std::uint32_t ranks = deal.ranks;
  for (unsigned player = 0; player < 2; ++player)
    for (unsigned i = 0; i < deal.cards[player]; ++i, ++cards) {
      if ((deal.courts[player] >> i & 1) == 0) continue;
      const Word address = node + at++ * kRow;
      memory.store(before, court(cards, (address & kRows) >> kRowShift, (ranks & 3) + 1));
      ranks >>= 2;
      before = address;
      cards = 0;
      if (player == 0) behind = deal.cards[0] - 1 - i;
    }
  if (courts[0] + courts[1] == 0) memory.store(before, end + (cards - 1) * kCard);
  return divided(courts[0] != 0, node + (unused + courts[0] - 1) * kRow, behind, cards - 1, node,
                 end, memory);
}

/// Before the opening of the first trick, which player 0 leads: `slot` is the tail of player 0.
/// Neither hand may be empty: it is not if its front is not `end`.
template <class Memory>
RATCHET_HD inline void start(Play& play, const Hands& hands, Word node, Word slot, Word end,
                             const Memory& memory) {
  memory.store(slot, hands.tail);
  memory.store(slot ^ kRow, node + (kCourts - 1) * kRow);
  memory.store(address_of(end, memory.column), 0);
  play.slot = slot;
  play.length = 0;
  open_trick(play, hands.front[0], hands.front[1], memory);
}

}  // namespace ratchet::bmn::lean_links
