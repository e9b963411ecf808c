// The graveler problem by its definition: a battle is 231 rolls of a four-sided die, its score the
// number of ones rolled, and the answer the highest score of any battle.
//
// Scalar, one roll at a time, never optimized: the stages of kernels/graveler are held against
// this. Source: Barr, "Exploding Pokemon As Fast As Possible"
// (https://github.com/CattoFace/graveler-sim), "The Challenge".
#pragma once

#include <cstdint>
#include <functional>

namespace ratchet::reference::graveler {

inline constexpr unsigned kTurns = 231;

/// One roll of the die: 0, 1, 2 or 3, equally likely. Face 0 is the one that counts, as in the
/// text's `next_u32() % 4 == 0`, and is called "a one".
using Roll = std::function<unsigned()>;

/// A fair die: the two low bits of std::mt19937_64 under `seed`.
Roll fair_die(std::uint64_t seed);

/// Rolls 231 times and returns the number of ones, 0..231.
unsigned battle_ones(const Roll& roll);

struct Outcome {
  std::uint64_t battles = 0;  ///< battles played
  unsigned max_ones = 0;      ///< the most ones in any of them; 0 when none was played
};

/// Plays `battles` battles one after the other.
Outcome most_ones(std::uint64_t battles, const Roll& roll);

/// Where a turn of a recorded battle has its two bits: bit `bit_a` of word `word_a` and bit `bit_b`
/// of word `word_b`, both drawn by the generator numbered `generator`.
struct TurnBits {
  std::uint32_t generator = 0;
  std::uint32_t word_a = 0, bit_a = 0;
  std::uint32_t word_b = 0, bit_b = 0;
};
using TurnBitsOf = std::function<TurnBits(unsigned turn)>;
using WordOf = std::function<std::uint64_t(std::uint32_t generator, std::uint32_t word)>;

/// The value 2*a + b, 0..3, of the roll of turn `turn`.
unsigned replay_roll(unsigned turn, const TurnBitsOf& bits_of, const WordOf& word_of);

/// Ones of a recorded battle: its turns whose roll equals `hit`.
unsigned replay_ones(const TurnBitsOf& bits_of, const WordOf& word_of, unsigned hit);

}  // namespace ratchet::reference::graveler
