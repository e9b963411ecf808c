// The stored facts of the values are those that are counted.
#include "correctness/officers/checks/facts.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "correctness/officers/checks/oracle.h"
#include "correctness/support/data_file.h"

namespace ratchet::officers {
namespace {

std::string stored(const char* name) {
  std::ifstream in(correctness::data_file(std::string("officers/oracles/") + name));
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(OfficersFacts, StoredOnesAreThoseCounted) {
  EXPECT_EQ(stored("rounds.tsv"), rounds_table(oracle_values()));
  EXPECT_EQ(stored("places.tsv"), places_table(oracle_values()));
  EXPECT_EQ(stored("sums.tsv"), sums_table(oracle_values()));
}

/// The text: "the chance of a block being done after n rounds was 0%, 10%, 62%, 84%, 96%, 99%".
TEST(OfficersFacts, RoundsAreThoseOfTheText) {
  const Rounds rounds = rounds_of(oracle_values(), 65536, 256, 256);
  const double published[] = {0, 10, 62, 84, 96, 99};
  std::uint64_t right = 0;
  for (int k = 1; k <= 6; ++k) {
    right += rounds.after[k];
    // 256 blocks: three standard deviations of a share are 9 per cent at most.
    EXPECT_NEAR(published[k - 1], 100.0 * static_cast<double>(right) / 256, 9) << k;
  }
}

}  // namespace
}  // namespace ratchet::officers
