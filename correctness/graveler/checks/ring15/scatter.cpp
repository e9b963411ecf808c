#include "correctness/graveler/checks/ring15/scatter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>

#include "correctness/graveler/checks/ring15/ring_lanes.h"
#include "kernels/graveler/cage/cage.h"

namespace ratchet::graveler {
namespace {

// Of 32 rolls at one in four: 8 come up, with a variance of 6.
constexpr int kMean = 8;
constexpr double kVariance = 6;

/// By how many more rolls than expected each word comes up, a lane a stream.
using Deviations = std::array<std::array<std::int16_t, kLanes>, kCageOutcomes>;

void deviations_of(const std::array<Lanes, kCageWords>& pool, Deviations& deviations) {
  for (unsigned y = 0; y < kCageOutcomes; ++y)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      deviations[y][lane] = static_cast<std::int16_t>(
          std::popcount(all_equal(pool[cage_word(y, 0)][lane], pool[cage_word(y, 1)][lane],
                                  pool[cage_word(y, 2)][lane])) -
          kMean);
}

using Sums = std::array<std::array<std::int64_t, kCageOutcomes>, kCageOutcomes>;

void add_products(const Deviations& first, const Deviations& second, Sums& sums) {
  for (unsigned y = 0; y < kCageOutcomes; ++y)
    for (unsigned z = 0; z < kCageOutcomes; ++z) {
      std::int32_t sum = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane) sum += first[y][lane] * second[z][lane];
      sums[y][z] += sum;
    }
}

}  // namespace

std::vector<WordPair> pairs_that_scatter_together(const RingSchedule& schedule, std::uint64_t seed,
                                                  std::uint64_t rounds, double limit) {
  const auto sums = std::make_unique<std::array<Sums, kRoundsApart>>();
  std::array<double, kRoundsApart> products{};
  RingLanes ring(schedule, seed);
  std::array<Lanes, kCageWords> pool;
  std::array<Deviations, kRoundsApart> last{};  // of round r at r % kRoundsApart
  for (std::uint64_t round = 0; round < rounds / kLanes; ++round) {
    ring.round(pool.data());
    const Deviations& here = last[round % kRoundsApart];
    deviations_of(pool, last[round % kRoundsApart]);
    for (unsigned apart = 0; apart < std::min<std::uint64_t>(round + 1, kRoundsApart); ++apart) {
      add_products(last[(round - apart) % kRoundsApart], here, (*sums)[apart]);
      products[apart] += kLanes;
    }
  }
  std::vector<WordPair> found;
  for (unsigned apart = 0; apart < kRoundsApart; ++apart)
    for (unsigned y = 0; y < kCageOutcomes; ++y)
      for (unsigned z = apart == 0 ? y + 1 : 0; z < kCageOutcomes; ++z) {
        const double score =
            static_cast<double>((*sums)[apart][y][z]) / (kVariance * std::sqrt(products[apart]));
        if (std::abs(score) > limit) found.push_back({y, z, apart, score});
      }
  return found;
}

}  // namespace ratchet::graveler
