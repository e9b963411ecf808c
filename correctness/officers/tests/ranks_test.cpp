// officers on several ranks: the values of one process, whoever verifies which of them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "correctness/officers/checks/planted.h"
#include "correctness/support/error_of.h"
#include "correctness/support/ranks_on_threads.h"
#include "kernels/officers/officers.h"

namespace ratchet::officers {
namespace {

using correctness::ThreadJob;

constexpr const char* kRanked = "officers/mpi/01_spread_verification";
constexpr const char* kOneProcess = "officers/cpu/07_simd";

/// The results of the first two runs.
std::vector<Result> results(const char* stage, const State& from, std::uint64_t count,
                            std::uint64_t ranks = 0, std::uint64_t piece = 1024) {
  const auto& of = dynamic_cast<const OfficersStage&>(*find_stage(stage));
  Parameters parameters = of.defaults().set("count", count);
  if (ranks > 0) parameters.set("ranks", ranks).set("piece", piece);
  const auto run = of.prepare_run(parameters, from);
  std::vector<Result> found;
  for (int i = 0; i < 2; ++i) {
    run->run();
    found.push_back(run->collect());
  }
  return found;
}

struct Point {
  std::string what;
  State from;
  std::uint64_t count, piece;
};

/// Pieces of one value, and less than there are ranks; across the first values; a rare value that a
/// rank must find, in its share of the first piece or of a later one.
const std::vector<Point>& points() {
  static const std::vector<Point> all = {
      {"none", oracle_state(70'001), 0, 1024},
      {"one", oracle_state(70'001), 1, 1024},
      {"a value a piece", oracle_state(70'001), 65, 1},
      {"five values a piece", oracle_state(70'001), 503, 5},
      {"many", oracle_state(90'000), 12'345, 1024},
      {"from the first ones on", oracle_state(40'900), 1'500, 1024},
      {"the first ones alone", oracle_state(0), 300, 64},
      {"up to where vectors begin", oracle_state(41'250), 6, 64},
      {"rare at once", planted_state(120'000, 1), 6, 1024},
      {"rare in the middle of a piece", planted_state(120'009, 1), 20, 1024},
      {"rare in a later piece", planted_state(120'040, 7), 50, 8},
      {"far down the candidates", far_value_state(64), 300, 128},
  };
  return all;
}

void expect_one_process(std::uint64_t ranks) {
  for (const Point& point : points()) {
    const Result wanted = results(kOneProcess, point.from, point.count)[0];
    for (const Result& seen : results(kRanked, point.from, point.count, ranks, point.piece)) {
      EXPECT_EQ(seen.start, wanted.start) << point.what;
      EXPECT_EQ(seen.values, wanted.values) << point.what << ", " << ranks << " ranks";
    }
  }
}

TEST(OfficersRanks, AnyNumberOfThemFindsTheValuesOfOneProcess) {
  EXPECT_EQ(results(kOneProcess, planted_state(120'009, 1), 10)[0].values[9], 1u);
  EXPECT_EQ(results(kOneProcess, planted_state(120'040, 7), 41)[0].values[40], 7u);
  expect_one_process(1);
  for (const std::uint32_t ranks : {2, 3, 7, 32}) {
    const ThreadJob job(ranks);
    expect_one_process(ranks);
  }
}

/// Under mpirun, which ctest's entries of several ranks are started by.
TEST(OfficersRanks, TheJobsFindTheValuesOfOneProcess) {
  if (!ranks::job()) GTEST_SKIP() << "no job of several ranks";
  for (std::uint64_t ranks = 2; ranks <= ranks::job()->size(); ++ranks) expect_one_process(ranks);
}

/// As many sums as one process takes, whoever adds them: none left out, and none twice.
TEST(OfficersRanks, CountTheWorkOfOneProcess) {
  const State from = oracle_state(90'000);
  const Work wanted = results(kOneProcess, from, 10'000)[1].work;
  EXPECT_GT(wanted.verifying, 0u);
  for (const std::uint32_t ranks : {2, 5}) {
    const ThreadJob job(ranks);
    const Work work = results(kRanked, from, 10'000, ranks, 500)[1].work;
    EXPECT_EQ(work.verifying, wanted.verifying) << ranks;
    EXPECT_EQ(work.deepest, wanted.deepest) << ranks;
    EXPECT_EQ(work.options, wanted.options) << ranks;
    EXPECT_EQ(work.exact, wanted.exact) << ranks;
  }
}

/// A rank that takes another's share leaves values unverified, which are right all the same.
TEST(OfficersRanks, AWrongShareShows) {
  const ThreadJob wrong(4, [](std::uint32_t rank) { return rank == 3 ? 1 : rank; });
  const std::string said = error_of([] { results(kRanked, oracle_state(90'000), 3'000, 4); });
  EXPECT_NE(said.find("verified other values than rank 0 has found"), said.npos) << said;
}

/// No fault of a rank: the job goes on, and the next run is right.
TEST(OfficersRanks, AValueOf512LeavesTheJobAlive) {
  const ThreadJob job(3);
  const std::string said = error_of([] { results(kRanked, too_large_state(), 40, 3); });
  EXPECT_NE(said.find("position 120000 is 512 or more"), said.npos) << said;
  EXPECT_EQ(results(kRanked, oracle_state(70'001), 100, 3)[1].values,
            results(kOneProcess, oracle_state(70'001), 100)[1].values);
}

}  // namespace
}  // namespace ratchet::officers
