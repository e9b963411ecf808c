#include "reference/graveler.h"

#include <random>

namespace ratchet::reference::graveler {

Roll fair_die(std::uint64_t seed) {
  return [engine = std::mt19937_64(seed)]() mutable { return static_cast<unsigned>(engine() % 4); };
}

unsigned battle_ones(const Roll& roll) {
  unsigned ones = 0;
  for (unsigned turn = 0; turn < kTurns; ++turn) {
    if (roll() == 0) ++ones;
  }
  return ones;
}

Outcome most_ones(std::uint64_t battles, const Roll& roll) {
  Outcome outcome;
  while (outcome.battles < battles) {
    const unsigned ones = battle_ones(roll);
    if (ones > outcome.max_ones) outcome.max_ones = ones;
    ++outcome.battles;
  }
  return outcome;
}

unsigned replay_roll(unsigned turn, const TurnBitsOf& bits_of, const WordOf& word_of) {
  const TurnBits bits = bits_of(turn);
  const std::uint64_t a = word_of(bits.generator, bits.word_a) >> bits.bit_a & 1;
  const std::uint64_t b = word_of(bits.generator, bits.word_b) >> bits.bit_b & 1;
  return static_cast<unsigned>(2 * a + b);
}

unsigned replay_ones(const TurnBitsOf& bits_of, const WordOf& word_of, unsigned hit) {
  unsigned ones = 0;
  for (unsigned turn = 0; turn < kTurns; ++turn) {
    if (replay_roll(turn, bits_of, word_of) == hit) ++ones;
  }
  return ones;
}

}  // namespace ratchet::reference::graveler
