// What the CUDA stages keep of their games (kernels/bmn/record/record.cuh) on a CPU: the threads of
// a block report theirs in many orders.
#include "correctness/emulator/grid_on_host.h"
// After it:
#include "kernels/bmn/record/record.cuh"

// And the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "correctness/bmn/checks/checks.h"

namespace ratchet::bmn {
namespace {

constexpr unsigned kThreads = 64, kEach = 5, kGames = kThreads * kEach;
constexpr std::uint64_t kRunFirst = 400, kFirst = 1000;  // a later launch of a run

/// A thread's games, in its order.
void report(const Job& job, BlockRecord* block, Totals* totals, const Outcome* outcomes,
            const unsigned* order) {
  Record record(*block, job, kRunFirst, totals);
  for (unsigned i = 0; i < kEach; ++i) {
    const unsigned index = order[threadIdx.x * kEach + i];
    record.game(index, outcomes[index]);
  }
  record.finish();
}

std::uint64_t key(std::uint32_t length, const Game& game) {
  return std::uint64_t{length} << kKeyShift | (kKeyIndex - (game.index - kRunFirst));
}

/// Few lengths, so that many games share each, the longest too; some are past the cap.
void expect_sums(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Outcome> outcomes(kGames);
  for (Outcome& outcome : outcomes) {
    outcome.turns = 90 + static_cast<std::uint32_t>(random() % 12);
    outcome.tricks = 10 + static_cast<std::uint32_t>(random() % 6);
    outcome.winner = static_cast<std::uint32_t>(random() % 2);
  }
  std::vector<unsigned> order(kGames);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), random);
  Job job;
  job.first = kFirst, job.deals = kGames, job.cap = 99;
  BlockRecord block;
  Totals seen{};
  on_host::grid.random.seed(seed);
  on_host::launch(report, 1, kThreads, 0, job, &block, &seen, outcomes.data(), order.data());

  for (Outcome& outcome : outcomes)
    if (outcome.turns > job.cap) outcome = Outcome{};
  const Result wanted = sum_of(outcomes, kFirst);
  EXPECT_EQ(wanted.turns, seen.turns);
  EXPECT_EQ(wanted.tricks, seen.tricks);
  EXPECT_EQ(wanted.wins[1], seen.second_wins);
  EXPECT_EQ(wanted.digest, seen.digest);
  EXPECT_EQ(key(wanted.most_turns.outcome.turns, wanted.most_turns), seen.most_turns);
  EXPECT_EQ(key(wanted.most_tricks.outcome.tricks, wanted.most_tricks), seen.most_tricks);
  EXPECT_TRUE(std::equal(wanted.lengths.begin(), wanted.lengths.end(), seen.lengths));
  std::vector<std::uint64_t> capped;
  for (unsigned i = 0; i < kGames; ++i)
    if (outcomes[i].winner == kNobody) capped.push_back(kFirst + i - kRunFirst);
  ASSERT_EQ(capped.size(), seen.capped);
  std::sort(seen.capped_index, seen.capped_index + seen.capped);
  EXPECT_TRUE(std::equal(capped.begin(), capped.end(), seen.capped_index));
}

TEST(BmnRecord, IsThatOfItsGamesInWhateverOrderTheyEnd) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    expect_sums(seed);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace ratchet::bmn
