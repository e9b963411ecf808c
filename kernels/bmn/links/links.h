// A game of which only the courts are stored: each hand is a linked list of its court cards.
//
// Number cards are anonymous, so a hand is the courts in it and how far apart they are: up to 16
// nodes, in memory that a lane has for itself. A *word* describes a court card and what lies before
// it:
//     cards up to it, itself included << 24 | demand << 16 | address of its node
// and a node holds the word of the court behind its own. The end of a hand is a word too, as if a
// card without a demand lay behind the last one; it is "laid" when a player is to move and has no
// card left.
//   - What a payment meets is one subtraction: a court is among the cards demanded unless some card
//     is left before or at it. It is then laid by storing its word, as it stands, into the node of
//     the court before it in the pile: the pile is a list that grows at its end.
//   - Winning the pile links it behind the winner's last court. Nothing is copied, whatever its
//     length, and there are no masks, no shifts and no searches for a bit.
//   - A court laid makes the other player pay: roles are exchanged, and at most once between two
//     tricks have to be exchanged back.
// Nothing here knows what machine it is on: Memory has load(address) and store(address, word).
#pragma once

#include <cstdint>

#include "kernels/bmn/bmn.h"
#include "kernels/support/host_device.h"

namespace ratchet::bmn::links {

using Word = std::uint32_t;

inline constexpr unsigned kCardShift = 24, kDemandShift = 16;
inline constexpr Word kAddress = 0xffff, kDemand = 7u << kDemandShift;
inline constexpr Word kCard = 1u << kCardShift, kBelowCards = kCard - 1;
inline constexpr Word kDemandToCards = kCard >> kDemandShift;
/// In a tail, which never holds a demand: set in that of player 1.
inline constexpr Word kSecond = 1u << kDemandShift;

/// A game under way, seen between steps: `payer` owes what the last court of the pile demands.
struct Play {
  Word payer = 0, other = 0;  ///< word at the front of the hand that pays, and of the other
  /// Of either hand: kSecond, cards behind the last court << 24 | address of that court, void for a
  /// hand without courts.
  Word payer_tail = 0, other_tail = 0;
  Word opening = 0;  ///< word of the first court of the pile, counted from the pile's first card
  Word last = 0;     ///< address of the last court of the pile
  Word demand = 0;   ///< of that, in place; 0 if it is the end of a hand
  std::uint32_t turns = 0, tricks = 0;
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
  // Laid by the other player meanwhile: as many as before the court, or one more by the leader.
  const Word matched = (first & ~kBelowCards) - (leader_first ? kCard : 0);
  play.opening = first + matched;
  play.turns += play.opening >> kCardShift;
  play.last = first & kAddress;
  play.demand = first & kDemand;
  play.payer = second - matched;
  play.payer_tail = second_tail;
  play.other = memory.load(play.last);
  play.other_tail = first_tail;
}

/// The owner of `front` pays. True if a court was laid, false if the payment is complete.
template <class Memory>
RATCHET_HD inline bool pay(Play& play, Word& front, const Memory& memory) {
  const Word rest = front - play.demand * kDemandToCards;
  if (static_cast<std::int32_t>(rest) >= static_cast<std::int32_t>(kCard)) {
    front = rest;
    return false;
  }
  memory.store(play.last, front);
  play.last = front & kAddress;
  play.demand = front & kDemand;
  play.turns += front >> kCardShift;
  front = memory.load(play.last);
  return true;
}

template <class T>
RATCHET_HD inline void exchange(bool really, T& a, T& b) {
  const T old = a;
  a = really ? b : a;
  b = really ? old : b;
}

/// Up to `kPays` payments in turn. True if the last one is complete; `payer` made it, or, if not,
/// is to make the next.
template <unsigned kPays, class Memory>
RATCHET_HD inline bool pay_in_turn(Play& play, const Memory& memory) {
  static_assert(kPays >= 1 && kPays <= 4);
  bool complete = true, odd = false;  // an odd number of courts was laid
  if (pay(play, play.payer, memory)) {
    odd = true;
    if (kPays < 2) {
      complete = false;
    } else if (pay(play, play.other, memory)) {
      odd = false;
      if (kPays < 3) {
        complete = false;
      } else if (pay(play, play.payer, memory)) {
        odd = true;
        if (kPays < 4) {
          complete = false;
        } else if (pay(play, play.other, memory)) {
          odd = complete = false;
        }
      }
    }
  }
  exchange(odd, play.payer, play.other);
  exchange(odd, play.payer_tail, play.other_tail);
  return complete;
}

/// After a complete payment: the other player takes the pile. True if the game is over.
template <class Memory>
RATCHET_HD inline bool collect(Play& play, const Memory& memory, Word end) {
  const Word paid = play.demand * kDemandToCards;
  const bool over = play.demand == 0 || play.payer == end;
  play.turns += play.demand >> kDemandShift;
  play.tricks += 1;
  memory.store(play.last, paid + end);
  if ((play.other & kDemand) == 0)
    play.other += play.opening - end;  // no court held: the number cards held come before the pile
  else
    memory.store(play.other_tail & kAddress, play.opening + (play.other_tail & ~kBelowCards));
  play.other_tail = (play.other_tail & kSecond) | (paid + play.last);
  return over;
}

/// The outcome of a game that collect() called over, without regard to a cap.
RATCHET_HD inline Outcome outcome_of(const Play& play) {
  // If the end of a hand was laid, its owner "takes the pile", and no card was turned for it.
  const Word nobody = play.demand == 0;
  const Word second = (play.other_tail & kSecond) != 0;
  return {play.turns - nobody, play.tricks, second ^ nobody};
}

/// The word behind the last card of a hand, whose end node is at `address`.
RATCHET_HD inline Word end_at(Word address) { return kCard | address; }

/// Puts a hand into memory: `courts` as in Deal, with the bit behind the last card set; its courts
/// get the nodes from `node` on, `stride` apart, and take their ranks from `ranks`. Returns the
/// word at the front and sets the tail, without kSecond.
template <class Memory, class Mask>
RATCHET_HD inline Word lay_out(Mask courts, std::uint32_t& ranks, Word& node, Word stride, Word end,
                               Word& tail, const Memory& memory) {
  const Word end_node = end & kAddress;  // takes the front word for a moment
  Word before = end_node;
  while (true) {
#if defined(__CUDA_ARCH__)
    const unsigned up_to = static_cast<unsigned>(
        sizeof(Mask) == 8 ? __ffsll(static_cast<long long>(courts)) : __ffs(static_cast<int>(courts)));
#else
    const unsigned up_to = static_cast<unsigned>(__builtin_ctzll(courts)) + 1;
#endif
    courts = courts >> (up_to - 1) >> 1;
    const Word cards = up_to << kCardShift;
    if (courts == 0) {
      memory.store(before, cards - kCard + end);
      tail = before + cards - kCard;
      return memory.load(end_node);
    }
    memory.store(before, cards | ((ranks & 3) + 1) << kDemandShift | node);
    ranks >>= 2;
    before = node;
    node += stride;
  }
}

/// Before the opening of the first trick, which player 0 leads. Neither hand may be empty: it is
/// not if its front is not end_at().
RATCHET_HD inline void start(Play& play, const Word (&front)[2], const Word (&tail)[2]) {
  play.other = front[0];
  play.other_tail = tail[0];
  play.payer = front[1];
  play.payer_tail = tail[1] | kSecond;
  play.turns = play.tricks = 0;
}

}  // namespace ratchet::bmn::links
