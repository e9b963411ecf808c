// Facts of the values that stages are built on, counted: rounds of speculation, places among
// candidates, sums that verify. No device and no clock changes them.
//
//   RATCHET_WRITE_FACTS=1 build/correctness/officers_test --gtest_filter='OfficersFacts.*'
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ratchet::officers {

struct Rounds {
  /// Blocks all of whose values were right after so many evaluations, the first guess counted; the
  /// last counts those that took more, too.
  std::array<std::uint64_t, 64> after{};
  std::uint64_t total =
      0;  ///< evaluations after the first guess, with the one that changes nothing
};

/// Of `blocks` blocks of `block` values, the first of which begins at `start` >= kCommonFrom;
/// `values` are those of all positions from 0 to the end of the last. All values of a block are
/// evaluated at once from what they were before, the first time from earlier blocks alone, until
/// none changes.
Rounds rounds_of(const std::vector<std::uint16_t>& values, std::uint64_t start, std::uint64_t block,
                 std::uint64_t blocks);

/// Places of values among those that the options of far rare positions leave.
struct Places {
  std::uint64_t values = 0, beyond_first = 0, beyond_third = 0, last = 0;
};
/// Of positions `from`, `from` + `step`, ... below `to`, without the options of rare positions
/// below `near`.
Places places_of(const std::vector<std::uint16_t>& values, std::uint64_t near, std::uint64_t from,
                 std::uint64_t to, std::uint64_t step);

/// Sums of two heaps that each of these positions takes until every rare value below its own is
/// seen, ascending. Heads are taken from `descending` - 1 down to 0, then from `descending` up.
std::vector<std::uint64_t> sums_of(const std::vector<std::uint16_t>& values,
                                   std::uint64_t descending, std::uint64_t from, std::uint64_t to,
                                   std::uint64_t step);

/// As tables, tab-separated under a line of names. `values`: the first 2^17; some seconds.
std::string rounds_table(const std::vector<std::uint16_t>& values);
std::string places_table(const std::vector<std::uint16_t>& values);
std::string sums_table(const std::vector<std::uint16_t>& values);

}  // namespace ratchet::officers
