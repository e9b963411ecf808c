// Every registered life stage against the definition, bit for bit: sizes and numbers of steps.
// Further themes of the same suite are in correctness/life/*_test.cpp.
#include "reference/life.h"

#include <algorithm>

#include "correctness/life/tests/support/scenes.h"
#include "correctness/life/tests/support/stage_tests.h"
#include "correctness/support/paths.h"
#include "kernels/contract/check.h"
#include "kernels/life/grid/rules.h"

namespace ratchet::life {
namespace {

std::vector<const LifeStage*> stages() {
  std::vector<const LifeStage*> found;
  for (const Stage* stage : registry())
    if (const auto* life = dynamic_cast<const LifeStage*>(stage)) found.push_back(life);
  return found;
}

std::string test_name(const testing::TestParamInfo<const LifeStage*>& info) {
  std::string name = info.param->info().name;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

/// One below, at and above words of 32 and 64, and vectors.
TEST_P(Life, SoupsOfAwkwardSizes) {
  for (const std::uint64_t width :
       {1,   2,   3,   7,   15,  16,  17,  31,  32,  33,  47,  48,  49,  63,  64,   65,   95,  97,
        127, 128, 129, 159, 161, 239, 240, 241, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025})
    for (const std::uint64_t height : {1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 65, 130}) {
      const std::uint64_t seed = width * 1000 + height;
      expect_equal(Soup{width, height, seed, 100}, 1);
      expect_equal(Soup{width, height, seed + 1, 100}, 7, 2);
    }
}

/// One below, at and above tiles, and what is kept of them: 96 of 128 rows (cuda/00), 480 of 512
/// (opencl/02 and 03), 608 of 640 (cuda/04), 992 of 1024 (opencl/04), 4064 of 4096 (cuda/01 to 03).
TEST_P(Life, TallSoupsOfAwkwardSizes) {
  for (const std::uint64_t width : {1, 33, 64, 130})
    for (const std::uint64_t height :
         {95,  96,   97,   127,  128,  129,  239,  240,  241,  255,  256,  257,  479,
          480, 481,  511,  512,  513,  607,  608,  609,  639,  640,  641,  991,  992,
          993, 1023, 1024, 1025, 2047, 2048, 2049, 4063, 4064, 4065, 4096, 4097, 4100})
      expect_equal(Soup{width, height, width * 1000 + height, 100}, 5);
}

/// Strips of 30 lanes of 4 and of 8 words, strided: 3840 and 7680 cells.
TEST_P(Life, WideSoupsOfAwkwardSizes) {
  for (const std::uint64_t width : {3839, 3840, 3841, 7679, 7680, 7681, 8191, 8193})
    for (const std::uint64_t height : {1, 2, 19, 40})
      expect_equal(Soup{width, height, width * 1000 + height, 100}, 9);
}

/// More than caches and shared memory hold; cuda/08 changes to other tiles from here up.
TEST_P(Life, ALargeSoup) { expect_equal(Soup{9216, 9300, 1, 110}, 3); }

/// One below, at and above the steps that a kernel can do at a time, and many.
TEST_P(Life, EveryNumberOfSteps) {
  for (std::uint64_t steps = 1; steps <= 35; ++steps) expect_equal(Soup{150, 90, steps, 90}, steps);
  for (const std::uint64_t steps : {47, 48, 49, 63, 64, 65, 100, 127, 255, 300})
    expect_equal(Soup{203, 121, steps, 90}, steps);
}

TEST_P(Life, EveryDensity) {
  for (unsigned density = 0; density <= 256; ++density)
    expect_equal(Soup{131, 41, density, density}, 5);
}

/// Against the definition itself, with nothing in between.
TEST_P(Life, EqualsTheReference) {
  for (const Edge edge : edges())
    for (const std::uint64_t width : {1, 2, 3, 31, 33, 64, 65, 129})
      for (const std::uint64_t height : {1, 2, 3, 33, 64}) {
        const Grid start = soup(width, height, width + height, 110);
        ASSERT_EQ("",
                  difference(reference_run(start, 9, edge), stage_run(stage(), start, 9, 1, edge)))
            << width << " x " << height << ", " << to_string(edge);
      }
}

/// Every kernel of the stage once, small enough for compute-sanitizer and for the mutation script.
TEST_P(Life, SmallRunForSanitizers) {
  const Parameters small = stage().sanitizer_run();
  const Grid start = soup(small.at("width"), small.at("height"), 1, 128);
  expect_equal(start, 1);
  expect_equal(start, small.at("steps"), 2);
  EXPECT_TRUE(correctness::runs_on_many_threads(stage()));
}

TEST_P(Life, PassesItsQuickCheck) {
  const CheckResult result = quick_check(stage());
  EXPECT_TRUE(result.passed) << result.detail;
}

/// The comparison that all of these rest on.
TEST(LifeDifference, CountsTheCellsAndNamesTheFirst) {
  Grid expected(130, 3), actual(130, 3);
  EXPECT_EQ(difference(expected, actual), "");
  EXPECT_EQ(difference(expected, Grid(130, 4)), "expected 130 x 3 cells, is 130 x 4");
  actual.set(129, 1, true);
  EXPECT_EQ(difference(expected, actual),
            "1 of 390 cells differ, first at (x 129, y 1): expected dead, is alive");
  expected.set(64, 1, true);
  expected.set(65, 1, true);
  expected.set(0, 2, true);
  EXPECT_EQ(difference(expected, actual),
            "4 of 390 cells differ, first at (x 64, y 1): expected alive, is dead");
  actual = expected;
  actual.row(0)[2] |= 4;  // the first bit behind the row
  EXPECT_EQ(difference(expected, actual), "a padding bit of the packed grid is set");
}

INSTANTIATE_TEST_SUITE_P(Stages, Life, testing::ValuesIn(stages()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Life);

// All 2^9 neighbourhoods: through every stage's run(), and through every network of rules.h.

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
