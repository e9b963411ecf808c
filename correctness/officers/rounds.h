// How many rounds of speculation blocks of values take. A fact of the values, not of a device.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ratchet::officers {

struct Rounds {
  /// Blocks all of whose values were right after so many evaluations, the first guess counted; the
  /// last counts those that took more, too.
  std::array<std::uint64_t, 64> after{};
  std::uint64_t total = 0;  ///< evaluations after the first guess, with the one that changes nothing
};

/// Of `blocks` blocks of `block` values, the first of which begins at `start` >= kCommonFrom;
/// `values` are those of all positions from 0 to the end of the last. All values of a block are
/// evaluated at once from what they were before, the first time from earlier blocks alone, until none
/// changes.
Rounds rounds_of(const std::vector<std::uint16_t>& values, std::uint64_t start, std::uint64_t block,
                 std::uint64_t blocks);

}  // namespace ratchet::officers
