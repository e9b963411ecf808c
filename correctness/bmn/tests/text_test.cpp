// The article's log of results against arithmetic and our own structures. Its deals a search, the
// sizes that its programs print, and what a backlog for each block costs.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

#include "correctness/bmn/checks/checks.h"
#include "kernels/bmn/text/game.h"

namespace ratchet::bmn::text {
namespace {

constexpr std::uint64_t kBacklog = std::uint64_t{1} << 20;  // deals, as kLargeBacklog
constexpr std::uint64_t kSharedBytes = 48 * 1024;

/// "945 deals * 128 batches * 16 blocks == 1935360 deals per search", and in the other three
/// listings a backlog of 2^20.
std::uint64_t deals_a_search(const std::string& listing) {
  return listing == "1" ? std::uint64_t{945} * 128 * 16 : kBacklog;
}

TEST(BmnText, LogLinesAreOfWholeSearchesAndAtTheirRates) {
  EXPECT_EQ(1'935'360u, deals_a_search("1"));
  const auto lines = oracle("text_log.tsv");
  EXPECT_EQ(37u, lines.size());
  for (const OracleRow& line : lines) {
    const std::uint64_t deals = std::stoull(line.at("deals"));
    EXPECT_EQ(0u, deals % deals_a_search(line.at("listing"))) << deals;
    const double rate = static_cast<double>(deals) / std::stod(line.at("seconds"));
    // Six digits are printed, and the seconds of the first listing to the millisecond.
    EXPECT_NEAR(1, rate / std::stod(line.at("rate")), 5e-6) << deals;
  }
}

/// "sizeof(StackOfCards) is 72 bytes", 264 with ints; "sizeof(StandardDeck) is 52 bytes",
/// "sizeof(action_table) is 1008 bytes", 2016 with ints. Of the original, whose stacks have a mask
/// each, the log has no line.
TEST(BmnText, StructuresAreAsLargeAsTheLogs) {
  EXPECT_EQ(72u, sizeof(StackOfCards<std::uint8_t>));
  EXPECT_EQ(264u, sizeof(StackOfCards<int>));
  EXPECT_EQ(268u, sizeof(StackOfCards<int, OwnMask>));
  EXPECT_EQ(52u, sizeof(StandardDeck<std::uint8_t>));
  EXPECT_EQ(1008u, sizeof(ActionTable<PackedPlay>));
  EXPECT_EQ(2016u, sizeof(ActionTable<WidePlay>));
}

/// The log's sizes of a searcher are those of its backlog and of less than 68 KB beside it; its 945
/// deals are what 48 KB hold.
TEST(BmnText, BacklogsAreWhatTheSizesOfTheLogAreMadeOf) {
  EXPECT_EQ(945u, kSharedBytes / sizeof(StandardDeck<std::uint8_t>));
  EXPECT_EQ(41'120u, 75'538'592 - kBacklog * sizeof(StackOfCards<std::uint8_t>));
  EXPECT_EQ(41'504u, 276'865'568 - kBacklog * sizeof(StackOfCards<int>));
  EXPECT_EQ(66'080u, 276'890'144 - kBacklog * sizeof(StackOfCards<int>));
}

/// Cards that the machine moves in a game: what a thread does for it.
std::uint64_t steps_of(const Deal& deal, const ActionTable<PackedEntry>& table) {
  static Machine<std::uint8_t> machine;
  deal_out(deal, machine.stack);
  machine.start();
  std::uint64_t steps = 0;
  for (bool over = machine.over(); !over; ++steps) over = machine.step(table.entry, 100'000);
  return steps;
}

/// The share of its time that a block of 128 threads has games for. Each thread takes the next of
/// `backlog` games when its own is over, and all wait for the last.
double share_with_games(unsigned backlog, unsigned blocks) {
  const auto table = action_table<PackedEntry>();
  std::uint64_t deal = 0, worked = 0, passed = 0;
  for (unsigned block = 0; block < blocks; ++block) {
    std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> free;
    for (unsigned thread = 0; thread < 128; ++thread) free.push(0);
    std::uint64_t last = 0;
    for (unsigned game = 0; game < backlog; ++game) {
      const std::uint64_t steps = steps_of(shuffled_deal(1, deal++), table);
      worked += steps;
      last = std::max(last, free.top() + steps);
      free.push(free.top() + steps);
      free.pop();
    }
    passed += 128 * last;
  }
  return static_cast<double>(worked) / static_cast<double>(passed);
}

/// "Individual threads run out of games to play more often", the text's minor drawback of a backlog
/// for each block: with as many as 05 and 06 hold.
TEST(BmnText, ThreadsOfASmallBacklogAreLeftWithoutGames) {
  EXPECT_NEAR(0.326, share_with_games(220, 400), 0.001);
  EXPECT_NEAR(0.657, share_with_games(885, 100), 0.001);
}

}  // namespace
}  // namespace ratchet::bmn::text
