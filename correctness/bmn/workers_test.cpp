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

}  // namespace
}  // namespace ratchet::bmn
