// Whether outcome words of a ring scatter together: the covariance of how many rolls of two words
// come up. Algebra at bit 0 sees what is exact there; a carry that ties neighbouring bits of two
// words is none of that, and moves the variance of a battle's ones all the same.
#pragma once

#include <cstdint>
#include <vector>

#include "correctness/graveler/checks/ring15/schedule.h"

namespace ratchet::graveler {

/// Two outcome words of the cage, the second `rounds` later.
struct WordPair {
  unsigned first, second, rounds;
  double z;  ///< the sum of products of their deviations over its standard deviation
};

inline constexpr unsigned kRoundsApart = 3;  ///< in the same round, one later, two later

/// Every pair with |z| beyond `limit`, over `rounds` rounds of streams under `seed`. Of a million
/// rounds a correlation of 0.001 is a z of 1.
std::vector<WordPair> pairs_that_scatter_together(const RingSchedule& schedule, std::uint64_t seed,
                                                  std::uint64_t rounds, double limit);

}  // namespace ratchet::graveler
