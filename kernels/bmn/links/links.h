// A game of which only the courts are stored: each hand is a linked list of its court cards.
//
// Number cards are anonymous, so a hand is the courts in it and the number cards before each: up to
// 16 nodes, in memory that a lane has for itself. A *word* describes a court card and what lies
// before it:
//     number cards before it << 18 | demand << 15 | address of its node
// and a node holds the word of the court behind its own. The end of a hand is a word too, with the
// number cards behind the last court, no demand, and the address of the end node; it is "laid"
// when a player who is to move has no card left.
//   - What a payment meets is one subtraction: the word less the demand is negative if a court is
//     among the cards demanded. It is then laid by storing its word, as it stands, into the node of
//     the court before it in the pile: the pile is a list that grows at its end.
//   - Winning the pile links it behind the winner's last court. Nothing is copied, whatever its
//     length, and there are no masks, no shifts and no searches for a bit.
//   - A court laid makes the other player pay, so lanes swap two pairs of registers instead of
//     telling players apart; who won comes out of parities.
// Nothing here knows what machine it is on: Memory has load(address) and store(address, word).
#pragma once

#include <cstdint>

#include "kernels/bmn/bmn.h"
#include "kernels/support/host_device.h"

namespace ratchet::bmn::links {

using Word = std::uint32_t;

inline constexpr Word kAddress = (1u << 15) - 1, kDemandShift = 15, kDemand = 7u << kDemandShift;
inline constexpr unsigned kCardShift = 18;
inline constexpr Word kCard = 1u << kCardShift;  ///< one number card
inline constexpr Word kBelowCards = kCard - 1;
inline constexpr Word kDemandToCards = kCard >> kDemandShift;

/// A game under way. It starts with the opening of its first trick done, see start().
struct Play {
  Word payer = 0, other = 0;  ///< word at the front of the hand that pays, and of the other
  /// Of either hand: address of its last court | number cards behind that. Void for a hand without
  /// courts.
  Word payer_tail = 0, other_tail = 0;
  Word opening = 0;  ///< word of the first court of the pile, all number cards before it counted
  Word last = 0;     ///< address of the last court of the pile
  Word demand = 0;   ///< of that, in place; 0 if it is the end of a hand
  Word laid = 0;     ///< number cards << 18 + courts
  /// Tricks + tricks whose first court came from the player who did not lead << 18.
  Word tricks = 0;
};

/// Opens a trick: the leader, whose front is play.other, and the follower lay cards in turn until
/// one is a court, or somebody has none left.
template <class Memory>
RATCHET_HD inline void open_trick(Play& play, const Memory& memory) {
  const bool leader_first = play.other <= (play.payer | kBelowCards);
  const Word first = leader_first ? play.other : play.payer;
  const Word second = leader_first ? play.payer : play.other;
  const Word first_tail = leader_first ? play.other_tail : play.payer_tail;
  const Word second_tail = leader_first ? play.payer_tail : play.other_tail;
  const Word one_more = leader_first ? 0 : kCard;
  const Word matched = (first & ~kBelowCards) + one_more;  // by the other player, meanwhile
  play.tricks += one_more;
  play.opening = first + matched;
  play.laid += (play.opening & ~kBelowCards) + 1;
  play.last = first & kAddress;
  play.demand = first & kDemand;
  play.payer = second - matched;
  play.payer_tail = second_tail;
  play.other = memory.load(play.last);
  play.other_tail = first_tail;
}

/// One payment. True if a court was laid, which swaps the roles; false if the payment is complete.
template <class Memory>
RATCHET_HD inline bool pay(Play& play, const Memory& memory) {
  const Word rest = play.payer - play.demand * kDemandToCards;
  if (static_cast<std::int32_t>(rest) >= 0) {
    play.payer = rest;
    return false;
  }
  memory.store(play.last, play.payer);
  play.last = play.payer & kAddress;
  play.demand = play.payer & kDemand;
  play.laid += (play.payer & ~kBelowCards) + 1;
  const Word next = memory.load(play.last);
  play.payer = play.other;
  play.other = next;
  const Word tail = play.payer_tail;
  play.payer_tail = play.other_tail;
  play.other_tail = tail;
  return true;
}

/// After a complete payment: the other player takes the pile. True if the game is over.
template <class Memory>
RATCHET_HD inline bool collect(Play& play, const Memory& memory, Word end) {
  const Word paid = play.demand * kDemandToCards;
  play.laid += paid;
  play.tricks += 1;
  const bool over = play.demand == 0 || play.payer == end;
  memory.store(play.last, paid + end);
  if ((play.other & kDemand) == 0)
    play.other += play.opening - end;  // no court held: the number cards held come before the pile
  else
    memory.store(play.other_tail & kAddress, play.opening + (play.other_tail & ~kBelowCards));
  play.other_tail = paid + play.last;
  return over;
}

/// The outcome of a game that collect() called over, without regard to a cap.
RATCHET_HD inline Outcome outcome_of(const Play& play) {
  const Word nobody = play.demand == 0;  // the end of a hand was "laid"
  const Word courts = play.laid & kBelowCards;
  const Word followers = play.tricks >> kCardShift;
  const Word tricks = play.tricks & kBelowCards;
  return {(play.laid >> kCardShift) + courts - nobody, tricks,
          (followers + courts + tricks + nobody) & 1};
}

/// Puts a hand into memory: `courts` as in Deal, with the bit behind the last card set; its courts
/// get the nodes from `node` on, `stride` apart, and take their ranks from `ranks`. Returns the
/// word at the front and sets the tail.
template <class Memory, class Mask>
RATCHET_HD inline Word lay_out(Mask courts, std::uint32_t& ranks, Word& node, Word stride, Word end,
                               Word& tail, const Memory& memory) {
  Word before = end;  // the end node takes the front word for a moment
  while (true) {
#if defined(__CUDA_ARCH__)
    const unsigned up_to = static_cast<unsigned>(
        sizeof(Mask) == 8 ? __ffsll(static_cast<long long>(courts)) : __ffs(static_cast<int>(courts)));
#else
    const unsigned up_to = static_cast<unsigned>(__builtin_ctzll(courts)) + 1;
#endif
    courts = courts >> (up_to - 1) >> 1;
    const Word cards = (up_to - 1) << kCardShift;
    if (courts == 0) {
      memory.store(before, cards | end);
      tail = before | cards;
      return memory.load(end);
    }
    memory.store(before, cards | ((ranks & 3) + 1) << kDemandShift | node);
    ranks >>= 2;
    before = node;
    node += stride;
  }
}

/// Ready for the first payment: player 0, who leads, is `leader`.
template <class Memory>
RATCHET_HD inline Play start(Word leader, Word leader_tail, Word follower, Word follower_tail,
                             const Memory& memory) {
  Play play;
  play.other = leader;
  play.other_tail = leader_tail;
  play.payer = follower;
  play.payer_tail = follower_tail;
  open_trick(play, memory);
  return play;
}

}  // namespace ratchet::bmn::links
