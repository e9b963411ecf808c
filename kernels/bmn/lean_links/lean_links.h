// Games as linked lists of courts, as in links/, with a step of half the instructions.
//
// What is laid out differently:
//   - Words add up. A word is
//         cards up to the court, itself included << 24 | kOne | row of its node | demand
//     and every sum below is taken of whole words: what two of them have in common cancels, and
//     counts come out right without being masked out of one and into the other.
//   - The row of a node stands in a word where it stands in the node's address: the address is the
//     word masked, with the lane's column in place of the other bits.
//   - The end of a hand is in memory too, behind its last court, with the cards that lie there: a
//     tail is then an address and no count. Both tails are in memory, in rows that differ by one
//     bit, and `slot` is the address of one of them. Whose turn it is is which: nothing is
//     exchanged.
//   - Turns and tricks are one number, to which a product of bytes adds both.
//
// A hand that holds no court has its end as its front, and a tail that is void. The row that an end
// names is below those of all nodes, so that the end of an empty hand is the least of all words; it
// holds 0 while a game is played. Once the end of a hand has been laid, its owner has that 0 as
// front.
//
// Nothing here knows what machine it is on: Memory has load(address) and store(address, word).
#pragma once

#include <cstdint>

#include "kernels/bmn/bmn.h"
#include "kernels/support/host_device.h"

namespace ratchet::bmn::lean_links {

using Word = std::uint32_t;

inline constexpr unsigned kCardShift = 24, kRowShift = 9, kColumns = 1u << (kRowShift - 2);
inline constexpr Word kCard = 1u << kCardShift, kCards = 0xffu << kCardShift;
inline constexpr Word kDemand = 7;
/// In every word, so that turns and tricks can be added as one product: 128 times 128 is 2^14.
inline constexpr Word kOne = 0x80u << 16;
inline constexpr Word kRow = 1u << kRowShift, kRows = 0x3fu << kRowShift;
inline constexpr unsigned kTurnBits = 14;
inline constexpr Word kTurns = (1u << kTurnBits) - 1;

/// Of a row in memory; `column` is below kRow.
RATCHET_HD inline Word address_of(Word word, Word column) { return (word & kRows) | column; }
/// The end of a hand that holds no card; its row is one to write to that is read by none.
RATCHET_HD inline Word end_of(Word row) { return kCard | kOne | row << kRowShift; }
/// A court alone in its hand but for what lies behind it.
RATCHET_HD inline Word court(Word cards, Word row, Word demand) {
  return cards << kCardShift | kOne | row << kRowShift | demand;
}

/// Bytes of `word` times those of `weights`, added to `sum`.
RATCHET_HD inline std::uint32_t dot(Word word, Word weights, std::uint32_t sum) {
#if defined(__CUDA_ARCH__)
  return __dp4a(word, weights, sum);
#else
  for (unsigned byte = 0; byte < 32; byte += 8)
    sum += (word >> byte & 255) * (weights >> byte & 255);
  return sum;
#endif
}
/// A game under way, seen between steps: `payer` owes what `last` demands.
struct Play {
  Word payer = 0, other = 0;  ///< word at the front of the hand that pays, and of the other
  Word opening = 0;           ///< first court of the pile, counted from the pile's first card
  Word last = 0;              ///< last court of the pile; its count means nothing
  Word slot = 0;              ///< address of the payer's tail
  std::uint32_t length = 0;   ///< turns | tricks << kTurnBits, but for the cards of `opening`
};

/// Opens a trick. The leader's front is `leader`, the follower's `follower`; play.slot is the tail
/// of the leader.
///
/// They lay cards in turn: the leader's court is in front if it is his a-th card and a is at most
/// b, that of the follower's, and the pile then has 2a - 1 cards; otherwise it has 2b. The smaller
/// of the two, odd or even, is the one that happens. The other player laid what is not the court's
/// owner's, so that the two fronts less the pile are what is left.
template <class Memory>
RATCHET_HD inline void open_trick(Play& play, Word leader, Word follower, const Memory& memory) {
  const Word by_leader = leader + (leader & kCards) - kCard;
  const Word by_follower = follower + (follower & kCards);
  play.opening = by_leader < by_follower ? by_leader : by_follower;
  play.payer = leader + follower - play.opening;
  play.last = play.opening;
  play.other = memory.load(address_of(play.opening, memory.column));
  if (play.opening & kCard) play.slot ^= kRow;  // the leader laid it: the follower pays
}

/// The court in front of a hand is laid.
template <class Memory>
RATCHET_HD inline void lay(Play& play, Word& front, const Memory& memory) {
  memory.store(address_of(play.last, memory.column), front);
  play.last = front;
  play.length = dot(front, kCard, play.length);
  front = memory.load(address_of(front, memory.column));
}

/// Up to two payments, and, if one of them is complete, the pile goes to the other player and the
/// next trick is opened. True if the game is over instead; then play.slot is the tail of the player
/// who took the last pile.
template <class Memory>
RATCHET_HD inline bool step(Play& play, Word end, const Memory& memory) {
  // Below one card: a court is among the cards demanded.
  Word rest = play.payer - play.last * kCard;
  const bool first = static_cast<std::int32_t>(rest) < static_cast<std::int32_t>(kCard);
  bool second = false;
  if (first) {
    rest = play.other - play.payer * kCard;
    lay(play, play.payer, memory);
    second = static_cast<std::int32_t>(rest) < static_cast<std::int32_t>(kCard);
  }
  if (second) {
    lay(play, play.other, memory);
    return false;
  }
  Word winner = first ? play.payer : play.other;
  if (!first) play.slot ^= kRow;
  const Word at = address_of(play.last, memory.column);
  memory.store(at, end + play.last * kCard);
  // The loser's hand is empty, or the end of the "winner's" was laid: his front is 0.
  const bool over = (winner + 1 < rest ? winner + 1 : rest) <= end;
  const Word pile = play.opening - end;
  if (winner & kDemand) {
    const Word tail = memory.load(play.slot);
    memory.store(tail, memory.load(tail) + pile);
  } else {
    winner += pile;
  }
  memory.store(play.slot, at);
  // The cards of the opening, one trick, and what the last court demanded.
  play.length =
      dot((play.opening & kCards) | (play.last & ~kCards), kCard | 128u << 16 | 1, play.length);
  if (over) return true;
  open_trick(play, winner, rest, memory);
  return false;
}

/// The outcome of a game that is over. `second` is whether play.slot is that of player 1.
RATCHET_HD inline Outcome outcome_of(const Play& play, bool second) {
  // If the end of a hand was laid, its owner "takes the pile", and no card was turned for it.
  const Word nobody = (play.last & kDemand) == 0;
  return {(play.length & kTurns) - nobody, play.length >> kTurnBits,
          static_cast<Word>(second) ^ nobody};
}

}  // namespace ratchet::bmn::lean_links
