// Which rows a run is about, where nobody names them.
#include "perf/gate/run/selection.h"

#include <gtest/gtest.h>

namespace ratchet::gate {
namespace {

using Rows = std::set<std::string>;

const std::string kOne = "graveler/cpu/12_aes_weyl", kRanked = "graveler/mpi/01_shards/ranks:2";

Rows selected(const std::string& filter, const std::string& backend) {
  Listing listing;
  listing.rows = {kOne, kRanked};
  return Selection({listing}, {filter, backend}).rows();
}

TEST(Selection, RowsOfSeveralProcessesAreMeasuredWhereTheyAreAskedFor) {
  EXPECT_EQ(selected("", ""), Rows{kOne});
  EXPECT_EQ(selected("^graveler/", ""), Rows{kOne});
  EXPECT_EQ(selected("", "mpi"), Rows{kRanked});
  EXPECT_EQ(selected("graveler", "mpi"), Rows{kRanked});
  EXPECT_EQ(selected("/mpi/", ""), Rows{kRanked});
  EXPECT_EQ(selected("graveler/(cpu|mpi)", ""), (Rows{kOne, kRanked}));
  EXPECT_EQ(selected("", "cpu"), Rows{kOne});
}

TEST(Selection, AnotherProgramMayCallItsRowsAsItLikes) {
  Listing listing;
  listing.name = "bench";
  listing.rows = {"bench/send/mpi/64"};
  EXPECT_EQ(Selection({listing}, {"", ""}).rows(), Rows{"bench/send/mpi/64"});
}

}  // namespace
}  // namespace ratchet::gate
