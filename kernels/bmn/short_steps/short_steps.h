// Games as linked lists of courts, as in lean_links/, whose words, nodes and ends these are, with
// fewer instructions a step.
//
// What is done differently:
//   - The word of the last court of the pile counts all cards of the pile in its top byte, not its
//     own: turns are added once a trick, not once a court.
//   - A tail is the word of the hand's last court, and not only its address. What was paid for that
//     court lies behind it, and its demand says how much that was: the pile is linked by one store,
//     without a look at the node that it changes.
//   - Of a tail the low half is enough: both tails are one word in memory, which a game's beginning
//     stores at once. `slot` is the address of a half, and the two halves' addresses have a sum
//     that is known: the other one is that sum less this one.
//
// Nothing here knows what machine it is on: Memory has load(address), store(address, word),
// load_half(address) and store_half(address, word).
#pragma once

#include "kernels/bmn/lean_links/lean_links.h"

namespace ratchet::bmn::short_steps {

using lean_links::address_of;
using lean_links::kCard;
using lean_links::kCards;
using lean_links::kDemand;
using lean_links::kRow;
using lean_links::kRows;
using lean_links::kTurnBits;
using lean_links::kTurns;
using lean_links::Word;

/// Between the addresses of both tails.
inline constexpr Word kHalf = 2;

/// A tail: the row of the hand's last court, and in its low byte the cards behind it. Of a court
/// that was laid in play that is its demand.
RATCHET_HD inline Word tail_of(Word address, Word behind) { return (address & kRows) | behind; }

/// A game under way, seen between steps: `payer` owes what `last` demands.
struct Play {
  Word payer = 0, other = 0;  ///< word at the front of the hand that pays, and of the other
  Word opening = 0;           ///< first court of the pile, counted from the pile's first card
  Word last = 0;              ///< last court of the pile, with the cards of the whole pile
  Word slot = 0;              ///< address of the payer's tail
  std::uint32_t length = 0;   ///< turns | tricks << kTurnBits, of complete tricks
};

/// The first court of a pile, as lean_links::open_trick() finds it; with an odd count the leader's.
RATCHET_HD inline Word opening_of(Word leader, Word follower) {
  const Word by_leader = leader + (leader & kCards) - kCard;
  const Word by_follower = follower + (follower & kCards);
  return by_leader < by_follower ? by_leader : by_follower;
}

/// Opens a trick; play.slot is the tail of the leader.
template <class Memory>
RATCHET_HD inline void open_trick(Play& play, Word leader, Word follower, Word both_slots,
                                  const Memory& memory) {
  play.opening = opening_of(leader, follower);
  play.payer = leader + follower - play.opening;
  play.last = play.opening;
  play.other = memory.load(address_of(play.opening, memory.column));
  if (play.opening & kCard) play.slot = both_slots - play.slot;
}

/// The court in front of a hand is laid.
template <class Memory>
RATCHET_HD inline void lay(Play& play, Word& front, const Memory& memory) {
  memory.store(address_of(play.last, memory.column), front);
  play.last = front + (play.last & kCards);
  front = memory.load(address_of(play.last, memory.column));
}

/// Up to two payments, and, if one of them is complete, the pile goes to the other player and the
/// next trick is opened. True if the game is over instead; then play.slot is the tail of the player
/// who took the last pile.
template <class Memory>
RATCHET_HD inline bool step(Play& play, Word end, Word both_slots, const Memory& memory) {
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
  if (!first) play.slot = both_slots - play.slot;
  memory.store(address_of(play.last, memory.column), end + play.last * kCard);
  // The loser's hand is empty, or the end of the "winner's" was laid: his front is 0.
  const bool over = (winner + 1 < rest ? winner + 1 : rest) <= end;
  if (winner & kDemand) {
    const Word tail = memory.load_half(play.slot);
    memory.store(address_of(tail, memory.column), tail * kCard + play.opening);
  } else {
    winner += play.opening - end;
  }
  memory.store_half(play.slot, play.last);
  // The cards of the pile, one trick (kOne times 128), and what the last court demanded.
  play.length = lean_links::dot(play.last, kCard | 128u << 16 | 1, play.length);
  if (over) return true;
  open_trick(play, winner, rest, both_slots, memory);
  return false;
}

/// What a finished game leaves: `last` and `slot` as they are, of which two facts count.
RATCHET_HD inline Outcome outcome_of(std::uint32_t length, Word last, bool second) {
  // If the end of a hand was laid, its owner "takes the pile", and no card was turned for it.
  const Word nobody = (last & kDemand) == 0;
  return {(length & kTurns) - nobody, length >> kTurnBits, static_cast<Word>(second) ^ nobody};
}

}  // namespace ratchet::bmn::short_steps
