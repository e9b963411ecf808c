// All 2^9 neighbourhoods: through every stage's run(), and through every network of rules.h.
#include "correctness/life/tests/support/scenes.h"
#include "correctness/life/tests/support/stage_tests.h"
#include "kernels/life/grid/rules.h"
#include "reference/life.h"

namespace ratchet::life {
namespace {

constexpr std::uint64_t kColumns = 1024;  // every bit of every word and tile: see truth_table()

TEST_P(Life, AllNeighbourhoodsAtAllPlaces) {
  static const Grid start = truth_table(kColumns);
  for (const Edge edge : edges()) {
    const Grid next = stage_run(stage(), start, 1, 1, edge);
    ASSERT_EQ("", wrong_neighbourhood(next, kColumns)) << to_string(edge);
    ASSERT_EQ("", difference(oracle_run(start, 1, edge), next)) << to_string(edge);
  }
}

/// The text's example of neighbour counts ("A Packed Representation Using Nibbles"): the counts
/// printed below its middle word are those of the cells, and decide what every stage makes of it.
TEST_P(Life, TheTextsExampleOfNeighbourCounts) {
  constexpr std::uint64_t left = 100;  // away from any edge, across words
  const std::string rows[] = {
      "0"
      "1001101110000011"
      "1",
      "1"
      "1111100000100110"
      "1",
      "0"
      "1001100011000011"
      "1"};
  const std::string counts = "4446542444111358";
  Grid start(256, 9);
  for (unsigned y = 0; y < 3; ++y)
    for (unsigned x = 0; x < 18; ++x) start.set(left + x, 3 + y, rows[y][x] == '1');
  const Grid next = stage_run(stage(), start, 1, 1, Edge::dead);
  for (unsigned i = 0; i < 16; ++i) {
    const std::uint64_t x = left + 1 + i;
    int neighbours = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        if (dx != 0 || dy != 0) neighbours += start.at(x + dx, 4 + dy);
    EXPECT_EQ(neighbours, counts[i] - '0') << i;
    EXPECT_EQ(next.at(x, 4), neighbours == 3 || (neighbours == 2 && start.at(x, 4))) << i;
  }
}

/// The same in the last step of several at a time, which other code may compute.
TEST_P(Life, AllNeighbourhoodsInLaterSteps) {
  static const Grid start = truth_table(200);
  expect_equal(start, 2);
  expect_equal(start, 20);
}

/// Neighbourhood `first` + i in bit i of every word.
template <class Word>
Neighbourhood<Word> neighbourhoods_from(unsigned first) {
  Word words[9] = {};
  for (unsigned cell = 0; cell < 9; ++cell)
    for (unsigned i = 0; i < 8 * sizeof(Word); ++i)
      words[cell] |= static_cast<Word>(Word{(first + i) >> cell & 1} << i);
  return {words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8]};
}

template <class Word, class Network>
void expect_network(const Network& network, const char* name) {
  for (unsigned first = 0; first < 512; first += 8 * sizeof(Word)) {
    const Word next = network(neighbourhoods_from<Word>(first));
    for (unsigned i = 0; i < 8 * sizeof(Word); ++i)
      EXPECT_EQ(next >> i & 1, reference::life::next_of_neighbourhood(first + i))
          << name << ", words of " << 8 * sizeof(Word) << " bits, neighbourhood " << first + i;
  }
}

#define EXPECT_NETWORK(network)                                                              \
  expect_network<std::uint32_t>([](const auto& cells) { return network(cells); }, #network); \
  expect_network<std::uint64_t>([](const auto& cells) { return network(cells); }, #network)

TEST(LifeRules, EveryNetworkKnowsAllNeighbourhoods) {
  EXPECT_NETWORK(adder_network);
  EXPECT_NETWORK(lop3_11);
  EXPECT_NETWORK(lop3_10);
  EXPECT_NETWORK(strided_8);
  EXPECT_NETWORK(square_59);
}

/// Bit 4a + 2b + c of the table, whichever operations evaluate it.
template <unsigned Table>
void expect_table() {
  for (unsigned index = 0; index < 8; ++index) {
    const std::uint32_t a = index & 4 ? ~0u : 0, b = index & 2 ? ~0u : 0, c = index & 1 ? ~0u : 0;
    EXPECT_EQ(lop3<Table>(a, b, c), Table >> index & 1 ? ~0u : 0) << Table << ", index " << index;
  }
}
template <unsigned... Tables>
void expect_tables(std::integer_sequence<unsigned, Tables...>) {
  (expect_table<Tables>(), ...);
}

TEST(LifeRules, Lop3IsItsTable) { expect_tables(std::make_integer_sequence<unsigned, 256>{}); }

}  // namespace
}  // namespace ratchet::life
