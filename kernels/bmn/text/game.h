// The game as the text's programs hold it: stacks of cards, one card laid at a time.
//
// The programs themselves are not in the text; these are its ideas in code of our own:
// the nested branches of "Starting Point" and the state machine of "State Machine with Incremental
// Shuffling". Card is int, as an enum is by default, or std::uint8_t, the text's last step.
#pragma once

#include <cstdint>

#include "kernels/bmn/bmn.h"
#include "kernels/bmn/shuffle/shuffle.h"
#include "kernels/support/host_device.h"

namespace ratchet::bmn::text {

/// What keeps a place within a ring of 64 cards: a number for all stacks, or one in each, as the
/// text's original has it.
struct CommonMask {
  static constexpr int mask = 63;
};
struct OwnMask {
  const int mask = 63;
};

/// Cards in a ring, front first.
template <class Card, class Mask = CommonMask>
struct StackOfCards : Mask {
  Card card[64];
  int front = 0, size = 0;

  RATCHET_HD void clear() { front = size = 0; }
  RATCHET_HD void push(Card c) { card[(front + size++) & this->mask] = c; }
  RATCHET_HD Card pop() {
    const Card c = card[front];
    front = (front + 1) & this->mask;
    --size;
    return c;
  }
};

/// Number of cards and of courts demanded, 0..4, in the order they are dealt, front first.
template <class Card>
struct StandardDeck {
  Card card[kDeck];
};

/// Deals out a Deal to hand[0] and hand[1].
template <class Card, class Mask>
RATCHET_HD void deal_out(const Deal& deal, StackOfCards<Card, Mask>* hand) {
  std::uint32_t ranks = deal.ranks;
  for (int player = 0; player < 2; ++player) {
    hand[player].clear();
    for (unsigned i = 0; i < deal.cards[player]; ++i) {
      const bool court = deal.courts[player] >> i & 1;
      hand[player].push(static_cast<Card>(court ? 1 + (ranks & 3) : 0));
      if (court) ranks >>= 2;
    }
  }
}

RATCHET_HD inline Deal deal_from(const Shuffle& cards) {
  Deal deal;
  deal.courts[0] = cards.courts[0];
  deal.courts[1] = cards.courts[1];
  deal.ranks = cards.ranks;
  deal.cards[0] = deal.cards[1] = kHand;
  return deal;
}

RATCHET_HD inline Deal dealt(std::uint64_t seed, std::uint64_t index, const ShuffleTables& tables) {
  return deal_from(shuffled(counter_block(seed, index), tables));
}

template <class Card, class Mask>
RATCHET_HD void take_pile(StackOfCards<Card, Mask>& hand, StackOfCards<Card, Mask>& pile) {
  while (pile.size > 0) hand.push(pile.pop());
}

/// The text's original: where in its branches the program stands is half of the state.
template <class Card, class Mask>
RATCHET_HD Outcome play_nested(StackOfCards<Card, Mask> (&hand)[2], std::uint32_t cap) {
  StackOfCards<Card, Mask> pile;
  Outcome game{0, 0, 0};
  int player = 0;
  while (hand[0].size > 0 && hand[1].size > 0 && game.turns <= cap) {
    int owed = 0;
    while (hand[player].size > 0) {
      const Card card = hand[player].pop();
      pile.push(card);
      ++game.turns;
      if (card > 0) {
        owed = card;
        player = 1 - player;
      } else if (owed > 0) {
        if (--owed == 0) break;
      } else {
        player = 1 - player;
      }
    }
    player = 1 - player;
    take_pile(hand[player], pile);
    ++game.tricks;
  }
  game.winner = hand[0].size > 0 ? 0 : 1;
  return game;
}

/// The state machine: what is owed, and the input: the card laid, or that there is none.
inline constexpr unsigned kStates = 5, kInputs = 6, kNoCard = 5;

/// An entry as plain ints, 12 bytes.
struct WideEntry {
  static constexpr unsigned kEntries = kStates * kInputs;
  int owed, other_player, take;
  RATCHET_HD static WideEntry of(int owed, int other_player, int take) {
    return {owed, other_player, take};
  }
  RATCHET_HD int owes() const { return owed; }
  RATCHET_HD int changes() const { return other_player; }
  RATCHET_HD int takes() const { return take; }
};

/// The same in one byte.
struct PackedEntry {
  static constexpr unsigned kEntries = kStates * kInputs;
  std::uint8_t bits;
  RATCHET_HD static PackedEntry of(int owed, int other_player, int take) {
    return {static_cast<std::uint8_t>(owed | other_player << 3 | take << 4)};
  }
  RATCHET_HD int owes() const { return bits & 7; }
  RATCHET_HD int changes() const { return bits >> 3 & 1; }
  RATCHET_HD int takes() const { return bits >> 4; }
};

/// The article's own table has three players: the pile plays its cards on the hand of the trick's
/// winner. Its states are what is owed, by whom the pile is taken, and the end, which is no row.
inline constexpr unsigned kPile = 2, kTakenByFirst = 5, kGameOver = 7, kPlayers = 3;
inline constexpr unsigned kPlayEntries = kPlayers * kGameOver * kInputs;

/// An entry of it, 16 bytes: where the card goes, who plays next and in which state, what counts.
struct WidePlay {
  static constexpr unsigned kEntries = kPlayEntries;
  std::uint32_t to, player, state;
  bool turn, trick;
};
/// The same in 8 bytes, as fields of bits in two words.
struct PackedPlay {
  static constexpr unsigned kEntries = kPlayEntries;
  std::uint32_t to : 4, player : 2, state : 4, : 0, turn : 1, trick : 1;
};

template <class Entry>
struct ActionTable {
  Entry entry[Entry::kEntries];
};

/// What a player does with a card in a state; zeros where no game comes.
template <class Play>
Play play_of(unsigned player, unsigned state, unsigned input) {
  if (player == kPile && state >= kTakenByFirst) {
    const unsigned winner = state - kTakenByFirst;
    return input == kNoCard ? Play{winner, winner, 0, false, true}
                            : Play{winner, kPile, state, false, false};
  }
  if (player == kPile || state >= kTakenByFirst) return {};
  const unsigned other = 1 - player;
  if (input == kNoCard) return {kPile, other, kGameOver, false, true};
  if (input > 0) return {kPile, other, input, true, false};
  if (state == 1) return {kPile, kPile, kTakenByFirst + other, true, false};
  return {kPile, state > 1 ? player : other, state > 1 ? state - 1 : 0, true, false};
}

template <class Play>
requires(Play::kEntries == kPlayEntries) ActionTable<Play> action_table() {
  ActionTable<Play> table;
  for (unsigned i = 0; i < kPlayEntries; ++i)
    table.entry[i] = play_of<Play>(i / kInputs / kGameOver, i / kInputs % kGameOver, i % kInputs);
  return table;
}

template <class Entry>
ActionTable<Entry> action_table() {
  ActionTable<Entry> table;
  for (int owed = 0; owed < static_cast<int>(kStates); ++owed) {
    Entry* row = table.entry + owed * static_cast<int>(kInputs);
    row[0] = owed == 1 ? Entry::of(0, 1, 1) : Entry::of(owed > 0 ? owed - 1 : 0, owed == 0, 0);
    for (int court = 1; court <= 4; ++court) row[court] = Entry::of(court, 1, 0);
    row[kNoCard] = Entry::of(0, 1, 1);
  }
  return table;
}

/// A game between two cards. One step moves one card, from a hand to the pile or, when the pile is
/// won, from there to a hand, so that lanes in either state do the same.
template <class Card>
struct Machine {
  StackOfCards<Card> stack[3];  ///< the hands and the pile
  Outcome game;
  int player, owed;
  bool taking;  ///< the player takes the pile

  RATCHET_HD void start() {
    stack[2].clear();
    game = {0, 0, 0};
    player = owed = 0;
    taking = false;
  }
  RATCHET_HD bool over() const { return stack[0].size == 0 || stack[1].size == 0; }

  /// True if the game is over after it, or past the cap.
  template <class Entry>
  RATCHET_HD bool step(const Entry* table, std::uint32_t cap) {
    StackOfCards<Card>& from = stack[taking ? 2 : player];
    StackOfCards<Card>& to = stack[taking ? player : 2];
    unsigned input = kNoCard;
    if (from.size > 0) {
      const Card card = from.pop();
      to.push(card);
      input = static_cast<unsigned>(card);
    }
    if (taking) {
      taking = from.size > 0;
      return !taking && (over() || game.turns > cap);
    }
    game.turns += input != kNoCard;
    const Entry entry = table[static_cast<unsigned>(owed) * kInputs + input];
    owed = entry.owes();
    player ^= entry.changes();
    taking = entry.takes();
    game.tricks += taking;
    return false;
  }
  RATCHET_HD Outcome outcome() const {
    return {game.turns, game.tricks, stack[0].size > 0 ? 0u : 1u};
  }
};

template <class Card, class Entry>
RATCHET_HD Outcome play_machine(Machine<Card>& machine, const Entry* table, std::uint32_t cap) {
  machine.start();
  bool over = machine.over();
  while (!over) over = machine.step(table, cap);
  return machine.outcome();
}

}  // namespace ratchet::bmn::text
