// What the text tells of the game, of Nim and of the values themselves: by play and by the rules,
// where every other test rests on the recurrence.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <utility>

#include "correctness/officers/checks/facts.h"
#include "correctness/officers/checks/oracle.h"
#include "correctness/support/data_file.h"
#include "correctness/support/expect_has.h"
#include "kernels/contract/program.h"
#include "kernels/officers/values/compressed.h"
#include "perf/study/run/run.h"
#include "perf/support/error.h"

namespace ratchet::officers {
namespace {

/// Heaps, ascending, without those that no move can touch.
using Position = std::vector<std::uint32_t>;
using Moves = std::function<std::vector<Position>(std::uint32_t heap)>;

std::uint32_t mex(const std::vector<std::uint32_t>& options) {
  std::uint32_t least = 0;
  while (std::count(options.begin(), options.end(), least) > 0) ++least;
  return least;
}

/// One coin taken, the rest in one heap or in two; a lone coin stays where it is.
std::vector<Position> officers_moves(std::uint32_t heap) {
  std::vector<Position> moves;
  if (heap < 2) return moves;
  moves.push_back({heap - 1});
  for (std::uint32_t one = 1; one <= (heap - 1) / 2; ++one) moves.push_back({one, heap - 1 - one});
  return moves;
}

/// A heap split into two, except that one of 2 is not.
std::vector<Position> couples_moves(std::uint32_t heap) {
  std::vector<Position> moves;
  for (std::uint32_t one = 1; heap != 2 && one <= heap / 2; ++one)
    moves.push_back({one, heap - one});
  return moves;
}

Position after(const Position& position, std::size_t heap, const Position& move) {
  Position next = position;
  next.erase(next.begin() + static_cast<std::ptrdiff_t>(heap));
  next.insert(next.end(), move.begin(), move.end());
  std::sort(next.begin(), next.end());
  return next;
}

/// Whether who moves next can force the other to be without a move.
bool wins(const Position& position, const Moves& moves, std::map<Position, bool>& known) {
  const auto found = known.find(position);
  if (found != known.end()) return found->second;
  bool won = false;
  for (std::size_t i = 0; i < position.size() && !won; ++i)
    for (const Position& move : moves(position[i]))
      if (!wins(after(position, i, move), moves, known)) {
        won = true;
        break;
      }
  return known[position] = won;
}

std::uint32_t sum_of_values(const Position& position) {
  std::uint32_t sum = 0;
  for (const std::uint32_t heap : position) sum ^= oracle_values()[heap];
  return sum;
}

/// Every position of at most `coins` coins: by search, and by the values of its heaps.
TEST(OfficersTheory, APositionIsWonWhereTheXorOfItsValuesIsNotZero) {
  std::map<Position, bool> known;
  std::uint64_t positions = 0, won = 0;
  const std::function<void(Position, std::uint32_t)> try_all = [&](Position position,
                                                                   std::uint32_t coins) {
    const bool winner = wins(position, officers_moves, known);
    ASSERT_EQ(sum_of_values(position) != 0, winner) << testing::PrintToString(position);
    ++positions, won += winner;
    for (std::uint32_t heap = position.empty() ? 1 : position.back(); heap <= coins; ++heap) {
      Position more = position;
      more.push_back(heap);
      try_all(more, coins - heap);
    }
  };
  try_all({}, 18);
  EXPECT_EQ(1597u, positions) << "the partitions of 0 to 18";
  EXPECT_GT(won, 0u);
  EXPECT_LT(won, positions);
}

/// The game that the text plays from a heap of 10: legal, over, and won by the strategy.
TEST(OfficersTheory, TheTextsPlayIsLegalAndFollowsTheStrategy) {
  const std::vector<Position> play = {{10},         {3, 6},          {1, 3, 4},
                                      {1, 1, 1, 4}, {1, 1, 1, 1, 2}, {1, 1, 1, 1, 1}};
  for (std::size_t turn = 1; turn < play.size(); ++turn) {
    bool legal = false;
    for (std::size_t i = 0; i < play[turn - 1].size(); ++i)
      for (const Position& move : officers_moves(play[turn - 1][i]))
        legal = legal || after(play[turn - 1], i, move) == play[turn];
    EXPECT_TRUE(legal) << "turn " << turn;
    if (turn % 2 == 1) {
      EXPECT_EQ(0u, sum_of_values(play[turn])) << "left's move " << turn;
    }
  }
  for (const std::uint32_t heap : play.back()) EXPECT_TRUE(officers_moves(heap).empty());
}

/// "The outcome of the game is not determined simply by the parity of the starting number of
/// coins."
TEST(OfficersTheory, TheParityOfTheCoinsDecidesNothing) {
  std::map<Position, bool> known;
  for (const std::uint32_t heap : {1, 4}) EXPECT_FALSE(wins({heap}, officers_moves, known)) << heap;
  for (const std::uint32_t heap : {3, 2}) EXPECT_TRUE(wins({heap}, officers_moves, known)) << heap;
}

/// "An Officers heap of size n is equivalent to a Couples-are-Forever heap of size n + 1."
TEST(OfficersTheory, CouplesAreForeverIsTheSameGame) {
  std::vector<std::uint32_t> couples = {0};  // no heap of 0 coins comes up
  for (std::uint32_t heap = 1; heap <= 512; ++heap) {
    std::vector<std::uint32_t> options;
    for (const Position& move : couples_moves(heap))
      options.push_back(couples[move[0]] ^ couples[move[1]]);
    couples.push_back(mex(options));
    EXPECT_EQ(oracle_values()[heap - 1], couples[heap]) << "a heap of " << heap;
  }
}

/// The value of two Nim heaps by their options alone.
std::uint32_t nim_sum(std::uint32_t x, std::uint32_t y,
                      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>& known) {
  const auto found = known.find({x, y});
  if (found != known.end()) return found->second;
  std::vector<std::uint32_t> options;
  for (std::uint32_t less = 0; less < x; ++less) options.push_back(nim_sum(less, y, known));
  for (std::uint32_t less = 0; less < y; ++less) options.push_back(nim_sum(x, less, known));
  return known[{x, y}] = mex(options);
}

TEST(OfficersTheory, NimSumsAreXor) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
  EXPECT_EQ(3u, nim_sum(1, 2, known));
  EXPECT_EQ(2u, nim_sum(1, 3, known));
  EXPECT_EQ(1u, nim_sum(2, 3, known));
  for (std::uint32_t x = 0; x < 64; ++x)
    for (std::uint32_t y = 0; y < 64; ++y) EXPECT_EQ(x ^ y, nim_sum(x, y, known)) << x << " " << y;
}

/// A heap from which one moves to a Nim heap of 0, 1, 4 or 5 is one of 2. Next to a heap of 2, and
/// to no other, the player to move loses.
TEST(OfficersTheory, AFalseHeapIsTheLeastItCannotMoveTo) {
  EXPECT_EQ(2u, mex({0, 1, 4, 5}));
  constexpr std::uint32_t kFalse = 1000;
  const Moves moves = [](std::uint32_t heap) {
    std::vector<Position> options;
    if (heap == kFalse) return std::vector<Position>{{0}, {1}, {4}, {5}};
    for (std::uint32_t less = 0; less < heap; ++less) options.push_back({less});
    return options;
  };
  std::map<Position, bool> known;
  for (std::uint32_t heap = 0; heap < 12; ++heap)
    EXPECT_EQ(heap != 2, wins({heap, kFalse}, moves, known)) << heap;
}

/// The terms that the On-Line Encyclopedia of Integer Sequences shows of A046695 (oeis.org,
/// "Sprague-Grundy values for the game Couples-are-Forever"), there from n = 0 on.
TEST(OfficersTheory, ValuesAreThoseOfTheEncyclopedia) {
  const std::uint16_t terms[] = {0, 0, 1, 2, 0, 1, 2, 3, 1, 2, 3, 4, 0, 3, 4, 2, 1, 3, 2, 1, 0,
                                 2, 1, 4, 5, 1, 4, 5, 1, 2, 0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 2,
                                 3, 4, 2, 1, 0, 2, 8, 4, 5, 3, 4, 5, 6, 2, 5, 1, 2, 3, 1, 2, 3,
                                 4, 2, 3, 4, 2, 3, 4, 2, 3, 0, 2, 3, 4, 5, 3, 4, 5, 6, 4, 5, 6,
                                 2, 3, 1, 2, 3, 4, 2, 3, 4, 2, 3, 4, 2, 3, 0, 2, 3, 4};
  for (std::size_t n = 0; n < std::size(terms); ++n) EXPECT_EQ(terms[n], oracle_values()[n]) << n;
}

/// "It ... bounces around, mostly in the range [0, 256]."
TEST(OfficersTheory, ValuesAreMostlyAtMost256) {
  const auto& values = oracle_values();
  EXPECT_EQ(125'766, std::count_if(values.begin(), values.end(), [](auto v) { return v <= 256; }))
      << "of 131072: 96 %";
  EXPECT_EQ(285, *std::max_element(values.begin(), values.end()));
}

/// No period of up to 2^15 that has begun by 2^16.
TEST(OfficersTheory, NoPeriodIsSeen) {
  const auto& values = oracle_values();
  const auto tail = values.begin() + 65536;
  for (std::ptrdiff_t period = 1; period <= 32768; ++period)
    EXPECT_FALSE(std::equal(tail + period, values.end(), tail)) << period;
}

TEST(OfficersTheory, RareAndCommonXorAsTheTextSays) {
  for (std::uint32_t one = 0; one < kValues; ++one)
    for (std::uint32_t other = 0; other < kValues; ++other)
      EXPECT_EQ(is_rare(one) == is_rare(other), is_rare(one ^ other)) << one << " " << other;
}

/// As the article lists them: the positions of value 0, the number of rare ones below 256, the last
/// one, and where the sequence of rare numbers begins.
TEST(OfficersTheory, RarePositionsAreThoseThatTheTextLists) {
  std::vector<std::uint64_t> zeros;
  for (const Rare& rare : oracle_rares())
    if (rare.value == 0) zeros.push_back(rare.position);
  EXPECT_EQ((std::vector<std::uint64_t>{0, 1, 4, 12, 20, 30, 46, 72, 98, 124, 150, 176, 314, 408}),
            zeros);
  EXPECT_EQ(51, std::count_if(oracle_rares().begin(), oracle_rares().end(),
                              [](const Rare& rare) { return rare.position < 256; }));
  EXPECT_EQ((Rare{20627, 277}), oracle_rares().back());
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t value = 0; value < 30; ++value)
    if (is_rare(value)) numbers.push_back(value);
  EXPECT_EQ(
      (std::vector<std::uint32_t>{0, 1, 6, 7, 10, 11, 12, 13, 16, 17, 22, 23, 26, 27, 28, 29}),
      numbers);
}

/// "As x becomes large, the values G(i) xor G(x - i - 1) will be dominated by ... rare values."
TEST(OfficersTheory, SumsAreMoreAndMoreRare) {
  const auto& values = oracle_values();
  const auto rare_of = [&](std::size_t x) {
    std::size_t rare = 0;
    for (std::size_t i = 0; i < x; ++i) rare += is_rare(values[i] ^ values[x - 1 - i]);
    return rare;
  };
  EXPECT_EQ(674u, rare_of(1000)) << "67 %";
  EXPECT_EQ(38'088u, rare_of(41'256)) << "92 %";
  EXPECT_EQ(127'903u, rare_of(131'071)) << "97.6 %";
}

/// Both printed ways to the bit left out, for common values, which is all that they are for.
TEST(OfficersTheory, ThePrintedUncompressIsThatOfCommonValues) {
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const auto pop = static_cast<std::uint32_t>(std::popcount(byte & 0b11110110u));
    const std::uint32_t by_condition = pop % 2 == 0 ? 0b10 : 0, by_shift = (~pop & 1) << 1;
    EXPECT_EQ(by_condition, by_shift);
    const std::uint32_t printed = (byte & 0b11111110u) << 1 | by_shift | (byte & 1);
    EXPECT_EQ(uncompress(byte, false), printed) << byte;
  }
}

// The stored facts of the values are those that are counted.

void expect_stored(const char* name, const std::string& counted) {
  const std::string path = correctness::data_file(std::string("officers/oracles/") + name);
  if (std::getenv("RATCHET_WRITE_FACTS")) std::ofstream(path) << counted;
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), counted)
      << "run RATCHET_WRITE_FACTS=1 build/correctness/officers_test "
         "--gtest_filter='OfficersFacts.*'";
}

TEST(OfficersFacts, StoredOnesAreThoseCounted) {
  expect_stored("rounds.tsv", rounds_table(oracle_values()));
  expect_stored("facts.tsv", places_table(oracle_values()) + sums_table(oracle_values()));
}

/// The text: "the chance of a block being done after n rounds was 0%, 10%, 62%, 84%, 96%, 99%".
TEST(OfficersFacts, RoundsAreThoseOfTheText) {
  const Rounds rounds = rounds_of(oracle_values(), 65536, 256, 256);
  const double published[] = {0, 10, 62, 84, 96, 99};
  std::uint64_t right = 0;
  for (int k = 1; k <= 6; ++k) {
    right += rounds.after[k];
    // 256 blocks: three standard deviations of a share are 9 per cent at most.
    EXPECT_NEAR(published[k - 1], 100.0 * static_cast<double>(right) / 256, 9) << k;
  }
}

std::string move_of(const Position& heaps) {
  std::vector<std::string> words;
  for (const std::uint32_t heap : heaps) words.push_back(std::to_string(heap));
  std::ostringstream out;
  run::run_short_program(dynamic_cast<const ShortProgram&>(*find_program("officers", "move")),
                         words, out);
  return out.str();
}

/// Each position of up to three heaps of up to 12: the move that is named is legal, and leads to a
/// position that is lost by search; where none is named, all positions that follow are won.
TEST(OfficersMove, PlaysPerfectly) {
  static const std::regex form("take a coin of the heap of (\\d+), leave (\\d+)( and (\\d+))?\n$");
  std::map<Position, bool> known;
  int won = 0, lost = 0;
  for (std::uint32_t a = 0; a <= 12; ++a)
    for (std::uint32_t b = a; b <= 12; ++b)
      for (std::uint32_t c = b; c <= 12; ++c) {
        const Position position = {a, b, c};
        const std::string said = move_of(position);
        EXPECT_HAS(said,
                   fmt::format("Grundy value of the position: {}\n", sum_of_values(position)));
        if (!wins(position, officers_moves, known)) {
          EXPECT_TRUE(said.ends_with(c > 1 ? "every move loses\n" : "has lost\n")) << said;
          ++lost;
          continue;
        }
        ++won;
        std::smatch match;
        ASSERT_TRUE(std::regex_search(said, match, form)) << said;
        const auto number = [&](int i) { return static_cast<std::uint32_t>(std::stoul(match[i])); };
        Position left = {number(2)};
        if (match[4].matched) left.insert(left.begin(), number(4));
        const auto moves = officers_moves(number(1));
        std::sort(left.begin(), left.end());
        ASSERT_TRUE(std::find(moves.begin(), moves.end(), left) != moves.end()) << said;
        const auto which = std::find(position.begin(), position.end(), number(1));
        ASSERT_TRUE(which != position.end()) << said;
        const auto index = static_cast<std::size_t>(which - position.begin());
        EXPECT_FALSE(wins(after(position, index, left), officers_moves, known)) << said;
      }
  EXPECT_GT(won, 300);
  EXPECT_GT(lost, 30);
}

TEST(OfficersMove, TakesLargeHeapsUpToALimit) {
  const std::string said = move_of({100'000, 100'000, 5});
  EXPECT_HAS(said, fmt::format("G(100000) = {}\n", oracle_values()[100'000]));
  EXPECT_HAS(said, "take a coin of the heap of ");
  EXPECT_THROW(move_of({4'194'305}), Error);
}

}  // namespace

}  // namespace ratchet::officers
