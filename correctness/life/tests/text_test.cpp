// What the text draws and counts: where neighbours lie in words, its counter, operations of the
// networks, cells that turn dirty.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>

#include "correctness/life/checks/checks.h"
#include "kernels/life/grid/rules.h"

namespace ratchet::life {
namespace {

/// Words of a row of one of the text's two tables: "left", "middle" and "right", 16 cells each,
/// with a 1 where `digit` stands.
using RowOfWords = std::array<std::uint64_t, 3>;
RowOfWords words_of(const std::string& row, char digit) {
  RowOfWords words{};
  std::size_t cell = 0;
  for (const char symbol : row) {
    if (symbol == ' ') continue;
    if (symbol == digit) words[cell / 16] |= std::uint64_t{1} << (60 - 4 * (cell % 16));
    ++cell;
  }
  EXPECT_EQ(48u, cell);
  return words;
}

/// The text's eight aligned words, of its listing with the `right` that it meant.
std::uint64_t left_of(const RowOfWords& row) { return row[1] >> 4 | row[0] << 60; }
std::uint64_t right_of(const RowOfWords& row) { return row[1] << 4 | row[2] >> 60; }

/// The counts of neighbours of the middle word.
std::uint64_t counts(const std::array<RowOfWords, 3>& rows) {
  const auto& [above, here, below] = rows;
  return left_of(above) + above[1] + right_of(above) + left_of(here) + right_of(here) +
         left_of(below) + below[1] + right_of(below);
}

/// "The following two tables show the cells 0 through 7 that we want to align with the center
/// node": each of the eight counts there, alone. In the first table they are of the middle word, in
/// the second some are of the word to the left.
TEST(LifeText, TheTwoTablesHaveTheWordsOfTheEightNeighbours) {
  const std::array<std::string, 3> tables[] = {
      {"xxxx xxxx xxxx xxxx xxxx x012 xxxx xxxx xxxx xxxx xxxx xxxx",
       "xxxx xxxx xxxx xxxx xxxx x3c4 xxxx xxxx xxxx xxxx xxxx xxxx",
       "xxxx xxxx xxxx xxxx xxxx x567 xxxx xxxx xxxx xxxx xxxx xxxx"},
      {"xxxx xxxx xxxx xxx0 12xx xxxx xxxx xxxx xxxx xxxx xxxx xxxx",
       "xxxx xxxx xxxx xxx3 c4xx xxxx xxxx xxxx xxxx xxxx xxxx xxxx",
       "xxxx xxxx xxxx xxx5 67xx xxxx xxxx xxxx xxxx xxxx xxxx xxxx"}};
  for (const auto& table : tables) {
    const std::uint64_t centre = words_of(table[1], 'c')[1];
    EXPECT_NE(0u, centre);
    std::uint64_t all = 0;
    for (const char digit : std::string("01234567")) {
      const std::uint64_t count =
          counts({words_of(table[0], digit), words_of(table[1], digit), words_of(table[2], digit)});
      EXPECT_EQ(centre, count & 15 * centre) << digit;
      all += count & 15 * centre;
    }
    EXPECT_EQ(8 * centre, all);
    EXPECT_EQ(0u,
              counts({words_of(table[0], 'c'), words_of(table[1], 'c'), words_of(table[2], 'c')}) &
                  15 * centre)
        << "the cell itself";
  }
}

/// The drawing of the 8-bit counter: "we reduce the 8 neighbours down to count = 4x + 2(y+z) + w".
TEST(LifeText, TheCounterCountsAsItIsDrawn) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    unsigned bit[8], count = 0;
    for (unsigned i = 0; i < 8; ++i) count += bit[i] = bits >> i & 1;
    const auto [i, l] = full_adder(bit[0], bit[1], bit[2]);
    const auto [j, m] = full_adder(bit[3], bit[4], bit[5]);
    const auto [k, n] = half_adder(bit[6], bit[7]);
    const auto [w, y] = full_adder(i, j, k);
    const auto [z, x] = full_adder(l, m, n);
    EXPECT_EQ(count, 4 * x + 2 * (y + z) + w) << bits;
  }
}

/// A word that counts what is done to it.
struct Counted {
  static inline int operations = 0, lookups = 0;
  std::uint64_t bits = 0;
  Counted(std::uint64_t word = 0) : bits(word) {}
  friend Counted operator&(Counted a, Counted b) { return ++operations, a.bits & b.bits; }
  friend Counted operator|(Counted a, Counted b) { return ++operations, a.bits | b.bits; }
  friend Counted operator^(Counted a, Counted b) { return ++operations, a.bits ^ b.bits; }
  friend Counted operator~(Counted a) { return ++operations, ~a.bits; }
  Counted& operator^=(Counted other) { return *this = *this ^ other; }
};
/// More special than that of rules.h, and found by its arguments.
template <unsigned Table>
Counted lop3(Counted a, Counted b, Counted c) {
  return ++Counted::lookups, life::lop3<Table>(a.bits, b.bits, c.bits);
}

struct Cost {
  int operations, lookups;
  bool operator==(const Cost&) const = default;
};
template <class Network>
Cost cost_of(const Network& network) {
  Counted::operations = Counted::lookups = 0;
  network(Neighbourhood<Counted>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  return {Counted::operations, Counted::lookups};
}

/// "59 bitwise instructions, which is a lot more than our 10 lop3 instructions", and 11 before the
/// SAT solver's.
TEST(LifeText, NetworksTakeAsManyOperationsAsTheTextSays) {
  EXPECT_EQ((Cost{59, 0}), cost_of([](const auto& cells) { return square_59(cells); }));
  EXPECT_EQ((Cost{0, 11}), cost_of([](const auto& cells) { return lop3_11(cells); }));
  EXPECT_EQ((Cost{0, 10}), cost_of([](const auto& cells) { return lop3_10(cells); }));
}

/// The text's drawing of 5 x 5 cells: those that are right after 0, 1 and 2 steps whatever lies
/// around them, and X where some surroundings make another cell of it.
TEST(LifeText, FiveByFiveCellsTurnDirtyAsDrawn) {
  const std::string drawn[] = {"OOOOOOOOOOOOOOOOOOOOOOOOO", "XXXXXXOOOXXOOOXXOOOXXXXXX",
                               "XXXXXXXXXXXXOXXXXXXXXXXXX"};
  constexpr std::uint64_t size = 5, around = 4, all = size + 2 * around;
  std::mt19937 random(5);
  for (std::uint64_t steps = 0; steps < 3; ++steps) {
    std::string seen(size * size, 'O');
    for (int trial = 0; trial < 2000; ++trial) {
      Grid one(all, all), other(all, all);
      for (std::uint64_t y = 0; y < all; ++y)
        for (std::uint64_t x = 0; x < all; ++x) {
          const bool inside = x - around < size && y - around < size;
          const bool alive = random() % 2 == 0;
          one.set(x, y, alive);
          other.set(x, y, inside ? alive : random() % 2 == 0);
        }
      const Grid after = reference_run(one, steps, Edge::dead);
      const Grid otherwise = reference_run(other, steps, Edge::dead);
      for (std::uint64_t cell = 0; cell < size * size; ++cell) {
        const std::uint64_t x = around + cell % size, y = around + cell / size;
        if (after.at(x, y) != otherwise.at(x, y)) seen[cell] = 'X';
      }
    }
    EXPECT_EQ(drawn[steps], seen) << "after " << steps << " steps";
  }
}

}  // namespace
}  // namespace ratchet::life
