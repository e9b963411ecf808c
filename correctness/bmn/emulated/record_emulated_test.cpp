// What the CUDA stages keep of their games (kernels/bmn/record/record.cuh) on a CPU: the threads of
// a block report theirs in many orders.
#include "correctness/support/grid_on_host.h"
// After it:
#include "kernels/bmn/record/record.cuh"

// And the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

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

std::uint64_t key(std::uint32_t length, unsigned index) {
  return std::uint64_t{length} << kKeyShift | (kKeyIndex - (kFirst + index - kRunFirst));
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
  Totals seen{}, wanted{};
  on_host::grid.random.seed(seed);
  on_host::launch(report, 1, kThreads, 0, job, &block, &seen, outcomes.data(), order.data());

  for (unsigned i = 0; i < kGames; ++i) {
    const Outcome outcome = outcomes[i].turns > job.cap ? Outcome{} : outcomes[i];
    wanted.digest += digest_of(kFirst + i, outcome);
    if (outcomes[i].turns > job.cap) {
      ++wanted.capped;
      continue;
    }
    wanted.turns += outcome.turns, wanted.tricks += outcome.tricks;
    wanted.second_wins += outcome.winner;
    ++wanted.lengths[bin_of(outcome.turns)];
    wanted.most_turns = std::max<unsigned long long>(wanted.most_turns, key(outcome.turns, i));
    wanted.most_tricks = std::max<unsigned long long>(wanted.most_tricks, key(outcome.tricks, i));
  }
  EXPECT_EQ(wanted.turns, seen.turns);
  EXPECT_EQ(wanted.tricks, seen.tricks);
  EXPECT_EQ(wanted.second_wins, seen.second_wins);
  EXPECT_EQ(wanted.digest, seen.digest);
  EXPECT_EQ(wanted.most_turns, seen.most_turns);
  EXPECT_EQ(wanted.most_tricks, seen.most_tricks);
  EXPECT_TRUE(std::equal(wanted.lengths, wanted.lengths + kBins, seen.lengths));
  ASSERT_EQ(wanted.capped, seen.capped);
  std::sort(seen.capped_index, seen.capped_index + seen.capped);
  unsigned next = 0;
  for (unsigned i = 0; i < kGames; ++i) {
    if (outcomes[i].turns > job.cap) ASSERT_EQ(seen.capped_index[next++], kFirst + i - kRunFirst);
  }
}

TEST(BmnRecord, IsThatOfItsGamesInWhateverOrderTheyEnd) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    expect_sums(seed);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace ratchet::bmn
