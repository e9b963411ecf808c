// Beggar-My-Neighbour by its definition: one game, card by card; the deal of a shuffle; the rank of
// a deal among all deals of its kind.
//
// Scalar, one card at a time, never optimized: the stages of kernels/bmn are held against this.
// Source: Innes, "Beggar My Neighbour: a learning exercise in speeding up a C++ program by CUDA
// GPUs" (https://github.com/acinnes/bmn); its 36 printed deals fix the conventions:
//   one card laid is one turn; J, Q, K, A demand 1, 2, 3, 4 cards; a court card passes the demand
//   on. When payment ends, or the player to move has no card, the opponent puts the pile, in the
//   order it was laid, under the hand, leads, and one trick is counted (the last, unfinished one
//   too). The end is tested between tricks only. Player 0 leads the first trick.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ratchet::reference::bmn {

/// A card is what it demands: 0 a number card, 1 to 4 J, Q, K, A.
using Card = std::uint8_t;
/// Front (the card played next) first.
using Hand = std::vector<Card>;

/// "-" a number card, "J", "Q", "K", "A", or the digits 0 to 4. Throws std::invalid_argument for any
/// other character.
Hand hand_of(std::string_view text);
std::string text_of(const Hand& hand);

/// A game between tricks.
struct State {
  std::array<Hand, 2> hand;
  unsigned leader = 0;
  std::uint64_t turns = 0, tricks = 0;

  bool over() const { return hand[0].empty() || hand[1].empty(); }
};

/// Plays one trick of a game that is not over.
void play_trick(State& state);

inline constexpr unsigned kNobody = 2;
/// How a game ended. One that is not over after `cap` turns is capped: 0 turns, 0 tricks, won by
/// kNobody.
struct Outcome {
  std::uint32_t turns = 0, tricks = 0;
  unsigned winner = kNobody;  ///< the player who is left with cards; 1 where nobody is

  bool capped() const { return winner == kNobody; }
  bool operator==(const Outcome&) const = default;
};
Outcome play(Hand first, Hand second, std::uint64_t cap);

/// What becomes of a game, with no cap: exact, by comparing whole states between tricks.
struct Fate {
  bool endless = false;
  std::uint64_t turns = 0, tricks = 0;  ///< of a game that ends
  unsigned winner = kNobody;
  /// Of an endless game: the first state that comes again, and after how long.
  std::uint64_t transient_turns = 0, transient_tricks = 0;
  std::uint64_t period_turns = 0, period_tricks = 0;
};
Fate fate(Hand first, Hand second);

/// The deal that four random words shuffle, 26 cards a player. Uniform over all
/// 52!/(4!^4 36!) deals if the words are, up to a total variation below 2^-23 (thresholds of 32
/// bits) + 2^-26 (digits from 96 bits):
///   w[0] / 2^32 says how many court cards lie in each quarter of 13 cards: the first of the
///   compositions, in lexicographic order, whose cumulated share of all C(52, 16) exceeds it;
///   the fraction (w[1] 2^64 + w[2] 2^32 + w[3]) / 2^96 is read as mixed-radix digits, the first
///   one the most significant: which of the C(13, h) places of each quarter, in increasing order
///   of the number whose bit i is card i; which of C(16, 8) patterns gives the courts that are K or
///   A; which of 70 tells A from K among these; which of 70 tells Q from J among the others.
std::array<Hand, 2> shuffled(const std::array<std::uint32_t, 4>& w);

/// Ranks of 52 cards go beyond 64 bits.
__extension__ using Wide = unsigned __int128;

/// Lexicographic rank of the cards `deal` among all arrangements of the same cards, symbols in the
/// order given. Exact below 2^128.
Wide rank_of(const Hand& deal, std::string_view order);
/// The arrangement of `count[s]` cards of each symbol order[s] with that rank.
Hand unrank(Wide rank, const std::vector<unsigned>& count, std::string_view order);

}  // namespace ratchet::reference::bmn
