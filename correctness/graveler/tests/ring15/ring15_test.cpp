// The words of ring15 behind the masks of the cage. One, two and three rolls of two neighbouring
// rounds are independent at the bits where a lagged generator would fail first and last.
#include "kernels/support/rng/ring15.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "correctness/graveler/checks/ring15/schedule.h"
#include "correctness/support/bit_columns.h"
#include "kernels/graveler/cage/cage.h"

namespace ratchet::graveler {
namespace {

constexpr unsigned kRolls = 2 * kCageOutcomes;  ///< of one round and the next
constexpr double kP = 0.25, kPQ = 0.25 * 0.75;

/// What ring15 was at first: one tap, and one rotation for every fifth step. It must not pass.
class RegularRing {
 public:
  RegularRing(std::uint64_t seed, std::uint64_t stream) {
    for (unsigned i = 0; i < 15; ++i)
      w_[i] = static_cast<std::uint32_t>(mix64(seed + 16 * stream + i));
  }
  std::uint32_t step(unsigned n) {
    const unsigned i = n % 15, j = (n + 4) % 15;
    const auto odd = static_cast<std::uint32_t>(mix64(i)) | 1u;
    return w_[i] = (n % 5 == 2 ? std::rotl(w_[i], 13) : w_[i] * odd) + w_[j];
  }

 private:
  std::uint32_t w_[15];
};

/// Column r: bit `bit` of roll r in `streams` streams, 64 to a word.
using Columns = std::array<std::vector<std::uint64_t>, kRolls>;

template <class Ring>
Columns columns(unsigned bit, std::size_t streams) {
  Columns columns;
  for (auto& column : columns) column.resize(streams / 64);
  for (std::size_t stream = 0; stream < streams; ++stream) {
    Ring ring(20261121, stream);
    for (unsigned round = 0; round < 2; ++round) {
      std::array<std::uint32_t, kCageWords> pool{};
      for (unsigned n = 0; n < kCageWords; ++n) pool[n] = ring.step(n);
      for (unsigned y = 0; y < kCageOutcomes; ++y) {
        const std::uint32_t outcome =
            all_equal(pool[cage_word(y, 0)], pool[cage_word(y, 1)], pool[cage_word(y, 2)]);
        columns[round * kCageOutcomes + y][stream / 64] |= std::uint64_t{outcome >> bit & 1}
                                                           << stream % 64;
      }
    }
  }
  return columns;
}

/// The largest |z| of the centred products of one, two and three rolls.
double worst_dependence(const Columns& c) {
  const std::size_t words = c[0].size();
  const auto together = [&](unsigned i, unsigned j, unsigned k) {
    return static_cast<double>(
        correctness::count_all(c[i].data(), c[j].data(), c[k].data(), words));
  };
  const double n = 64.0 * static_cast<double>(words);
  std::vector<double> one(kRolls), two(kRolls * kRolls);
  double worst = 0;
  const auto see = [&worst](double sum, double variance) {
    worst = std::max(worst, std::abs(sum) / std::sqrt(variance));
  };
  for (unsigned i = 0; i < kRolls; ++i) {
    one[i] = together(i, i, i);
    see(one[i] - kP * n, n * kPQ);
  }
  for (unsigned i = 0; i < kRolls; ++i)
    for (unsigned j = i + 1; j < kRolls; ++j) {
      two[i * kRolls + j] = together(i, j, j);
      see(two[i * kRolls + j] - kP * (one[i] + one[j]) + kP * kP * n, n * kPQ * kPQ);
    }
  for (unsigned i = 0; i < kCageOutcomes; ++i)
    for (unsigned j = i + 1; j < kRolls; ++j)
      for (unsigned k = j + 1; k < kRolls; ++k) {
        const double three = together(i, j, k);
        const double pairs = two[i * kRolls + j] + two[i * kRolls + k] + two[j * kRolls + k];
        see(three - kP * pairs + kP * kP * (one[i] + one[j] + one[k]) - kP * kP * kP * n,
            n * kPQ * kPQ * kPQ);
      }
  return worst;
}

// 32 000 z-scores a bit, 1e6 in all: beyond 6.5 by chance with probability 8e-5; the seed is fixed.
// The power: a correlation of 0.025 between three rolls lies 9 standard deviations out.
constexpr double kLimit = 6.5;
constexpr std::size_t kStreams = std::size_t{1} << 17;

TEST(Ring15, ThreeRollsOfNeighbouringRoundsAreIndependent) {
  for (unsigned bit = 0; bit < 32; ++bit) {
    EXPECT_LT(worst_dependence(columns<Ring15>(bit, kStreams)), kLimit) << "bit " << bit;
    EXPECT_LT(worst_dependence(columns<Ring15Rows>(bit, kStreams)), kLimit) << "rows, bit " << bit;
  }
}

TEST(Ring15, TheCheckSeesARegularRing) {
  EXPECT_GT(worst_dependence(columns<RegularRing>(0, kStreams / 8)), 5 * kLimit);
}

TEST(Ring15, CompileTimeAndRunTimeStepsAgree) {
  Ring15 one(7, 8), other(7, 8);
  EXPECT_EQ(one.step<0>(), other.step(0));
  EXPECT_EQ(one.step<1>(), other.step(1));
  EXPECT_EQ(one.step<2>(), other.step(2));
  EXPECT_NE(Ring15(7, 8).step(0), Ring15(7, 9).step(0));
  Ring15Rows rows(7, 8), other_rows(7, 8);
  EXPECT_EQ(rows.step<0>(), other_rows.step(0));
  EXPECT_EQ(rows.step<1>(), other_rows.step(1));
  EXPECT_EQ(rows.step<2>(), other_rows.step(2));
}

// No two outcome words of ring15 scatter together, in one round or in rounds close by.

// 2235 pairs: beyond 5.5 by chance with a probability of 8.5e-5; the seed is fixed.
constexpr double kMostTogether = 5.5;
constexpr std::uint64_t kRounds = 1 << 21, kSeed = 20261122;

TEST(Scatter, NoTwoWordsScatterTogether) {
  for (const RingSchedule& schedule : {shipped_schedule(), rows_schedule()})
    for (const WordPair& pair :
         pairs_that_scatter_together(schedule, kSeed, kRounds, kMostTogether))
      ADD_FAILURE() << "outcomes " << pair.first << " and, " << pair.rounds << " rounds later, "
                    << pair.second << ": z = " << pair.z;
}

// The first taps that algebra found free at bit 0. Outcome 22 and, a round later, outcome 10 shared
// what a carry hands on. So did the ones of battles close by, as a GPU's 1e10 battles showed.
TEST(Scatter, OfTapsThatAreFreeAtBit0TwoDid) {
  const RingSchedule first = chosen_schedule(
      "9,6,5,4,0,13,5,8,9,14,4,8,1,14,6,8,14,9,0,6,14,10,13,9,4,6,1,2,10,0,4,12,3,12,9,7,2,6,9,13,"
      "7,5,1,10,4",
      "0,0,0,7,0,0,17,0,0,0,19,0,26,24,0,8,0,4,0,20,0,25,31,9,0,0,0,2,0,29,3,0,18,6,30,21,0,13,1,0,"
      "12,15,16,5,23");
  const auto pairs = pairs_that_scatter_together(first, kSeed, kRounds, kMostTogether);
  EXPECT_TRUE(std::any_of(pairs.begin(), pairs.end(), [](const WordPair& pair) {
    return pair.first == 22 && pair.second == 10 && pair.rounds == 1;
  }));
}

}  // namespace

}  // namespace ratchet::graveler
