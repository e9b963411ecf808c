// Whether the parity of some differences of rolls leans, by sampling: what linear algebra
// (relations.h) cannot settle, because above bit 0 carries make relations likely and not certain.
//
// A sample is the differences at one bit of one window of rounds, as an index. The Walsh transform
// of the counts gives, for every set of differences at once, how many more samples have even than
// odd parity.
#pragma once

#include <cstdint>
#include <vector>

#include "correctness/graveler/checks/ring15/schedule.h"

namespace ratchet::graveler {

/// The exclusive or of two words, numbered from the first of the window's first round.
struct WordDifference {
  unsigned a, b;
  unsigned round, outcome;  ///< of the roll that shows it
};

/// Two differences an outcome word, less those that are sums of others for any words (cycles of the
/// cage). Bits in use are left out of account.
std::vector<WordDifference> independent_differences(const RollWords& rolls);

struct Sample {
  std::uint64_t seed = 1;
  std::uint64_t windows = 0;  ///< samples at each bit
};

/// The most differences whose parities are counted at once: 2^28 counts are 1 GiB.
inline constexpr unsigned kMostDifferences = 28;

/// counts[i][index]: windows in which bit `bits[i]` of difference k is bit k of the index.
std::vector<std::vector<std::int32_t>> count_differences(
    const RingSchedule& schedule, const std::vector<WordDifference>& differences,
    const std::vector<unsigned>& bits, const Sample& sample);

/// In place; its size a power of two.
void walsh_transform(std::vector<std::int32_t>& values);

/// The parity of the differences in `mask`: windows of even less windows of odd parity, in standard
/// deviations.
struct Parity {
  std::uint32_t mask = 0;
  double z = 0;
};

/// One parity, at one bit.
Parity measure_parity(const RingSchedule& schedule, const std::vector<WordDifference>& differences,
                      std::uint32_t mask, unsigned bit, const Sample& sample);

/// The parities beyond `z` of the counts, the farthest first, at most `most` of them; the first of
/// all if there is none beyond.
std::vector<Parity> leaning_parities(std::vector<std::int32_t> counts, double z, std::size_t most);

}  // namespace ratchet::graveler
