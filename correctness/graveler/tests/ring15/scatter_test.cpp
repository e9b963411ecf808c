// No two outcome words of ring15 scatter together, in one round or in rounds close by.
#include "correctness/graveler/checks/ring15/scatter.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ratchet::graveler {
namespace {

// 2235 pairs: beyond 5.5 by chance with a probability of 8.5e-5; the seed is fixed.
constexpr double kLimit = 5.5;
constexpr std::uint64_t kRounds = 1 << 21, kSeed = 20261122;

TEST(Scatter, NoTwoWordsScatterTogether) {
  for (const WordPair& pair :
       pairs_that_scatter_together(shipped_schedule(), kSeed, kRounds, kLimit))
    ADD_FAILURE() << "outcomes " << pair.first << " and, " << pair.rounds << " rounds later, "
                  << pair.second << ": z = " << pair.z;
}

// The first taps that algebra found free at bit 0: outcome 22 and, a round later, outcome 10 shared
// what a carry hands on, and so did the ones of battles close by, as a GPU's 1e10 battles showed.
TEST(Scatter, OfTapsThatAreFreeAtBit0TwoDid) {
  const RingSchedule first = chosen_schedule(
      "9,6,5,4,0,13,5,8,9,14,4,8,1,14,6,8,14,9,0,6,14,10,13,9,4,6,1,2,10,0,4,12,3,12,9,7,2,6,9,13,"
      "7,5,1,10,4",
      "0,0,0,7,0,0,17,0,0,0,19,0,26,24,0,8,0,4,0,20,0,25,31,9,0,0,0,2,0,29,3,0,18,6,30,21,0,13,1,0,"
      "12,15,16,5,23");
  const auto pairs = pairs_that_scatter_together(first, kSeed, kRounds, kLimit);
  EXPECT_TRUE(std::any_of(pairs.begin(), pairs.end(), [](const WordPair& pair) {
    return pair.first == 22 && pair.second == 10 && pair.rounds == 1;
  }));
}

}  // namespace
}  // namespace ratchet::graveler
