// The record of games that a thread on a CPU keeps, beyond what a test can play.
#include "kernels/bmn/workers/workers.h"

#include <gtest/gtest.h>

namespace ratchet::bmn {
namespace {

TEST(BmnHostRecord, SumsGoBeyond32Bits) {
  HostJob job;
  job.cap = kDefaultCap;
  HostRecord record(job);
  constexpr std::uint64_t games = 500'000;
  constexpr Outcome outcome{9'000, 8'999, 1};
  for (std::uint64_t index = 0; index < games; ++index) record.game(index, outcome);
  HostRecord both = record;
  both.merge(record);
  const Result sums = both.result();
  EXPECT_EQ(sums.turns, 2 * games * outcome.turns);
  EXPECT_EQ(sums.tricks, 2 * games * outcome.tricks);
  EXPECT_EQ(record.result().turns, games * outcome.turns);
}

/// The first thread finished none: the longest by turns and by tricks are two games of the
/// second's.
TEST(BmnHostRecord, TheLongestOfASecondThreadAreKeptApart) {
  HostJob job;
  job.cap = kDefaultCap;
  HostRecord first(job), second(job);
  first.game(0, {kDefaultCap + 1, 1, 1});
  second.game(5, {900, 10, 0});
  second.game(6, {100, 90, 1});
  first.merge(second);
  const Result sums = first.result();
  EXPECT_EQ(sums.finished, 2u);
  EXPECT_EQ(sums.capped, 1u);
  EXPECT_EQ(sums.most_turns.index, 5u);
  EXPECT_EQ(sums.most_turns.outcome.turns, 900u);
  EXPECT_EQ(sums.most_tricks.index, 6u);
  EXPECT_EQ(sums.most_tricks.outcome.tricks, 90u);
}

}  // namespace
}  // namespace ratchet::bmn
