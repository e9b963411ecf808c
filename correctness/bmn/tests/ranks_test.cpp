// bmn on several ranks: the very games of one process.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "correctness/support/ranks_on_threads.h"
#include "kernels/bmn/bmn.h"

namespace ratchet::bmn {
namespace {

using correctness::ThreadJob;

constexpr const char* kRanked[] = {"bmn/mpi/01_shares", "bmn/mpi/02_gpus"};
constexpr const char* kOneProcess = "bmn/cpu/04_planes";

/// A low cap leaves games that are not over, which are kept one by one.
struct Size {
  std::uint64_t deals, cap;
};
constexpr Size kSizes[] = {{1, 10'000}, {5, 100}, {3000, 10'000}, {3001, 700}};

/// The results of the first three runs.
std::vector<Result> results(const char* stage, const Size& size, std::uint64_t ranks = 0,
                            std::uint64_t seed = 1) {
  const auto& of = dynamic_cast<const BmnStage&>(*find_stage(stage));
  Parameters parameters =
      of.defaults().set("deals", size.deals).set("cap", size.cap).set("seed", seed);
  if (ranks > 0) parameters.set("ranks", ranks);
  const auto table = of.prepare_table(parameters);
  std::vector<Result> found;
  for (int run = 0; run < 3; ++run) {
    table->run();
    found.push_back(table->collect());
  }
  return found;
}

bool equal(const Game& a, const Game& b) {
  return a.index == b.index && a.outcome == b.outcome && a.deal == b.deal;
}

void expect_equal(const Result& seen, const Result& wanted, const std::string& what) {
  EXPECT_EQ(seen.deals, wanted.deals) << what;
  EXPECT_EQ(seen.finished, wanted.finished) << what;
  EXPECT_EQ(seen.capped, wanted.capped) << what;
  EXPECT_EQ(seen.turns, wanted.turns) << what;
  EXPECT_EQ(seen.tricks, wanted.tricks) << what;
  EXPECT_EQ(seen.wins, wanted.wins) << what;
  EXPECT_EQ(seen.digest, wanted.digest) << what;
  EXPECT_EQ(seen.lengths, wanted.lengths) << what;
  if (wanted.finished > 0) {
    EXPECT_TRUE(equal(seen.most_turns, wanted.most_turns)) << what;
    EXPECT_TRUE(equal(seen.most_tricks, wanted.most_tricks)) << what;
  }
  ASSERT_EQ(seen.capped_games.size(), wanted.capped_games.size()) << what;
  for (std::size_t i = 0; i < wanted.capped_games.size(); ++i)
    EXPECT_TRUE(equal(seen.capped_games[i], wanted.capped_games[i])) << what << ", game " << i;
}

/// The stage of one process that plays as the ranks of `stage` do here: of the longest games a GPU
/// keeps less than a CPU does.
const char* one_process_of(const char* stage) {
  return ranks::takes_gpus(*find_stage(stage)) && cuda_availability().ok ? "bmn/cuda/08_lean_links"
                                                                         : kOneProcess;
}

void expect_one_process(std::uint64_t ranks, bool on_threads = false) {
  for (const Size& size : kSizes)
    for (const char* stage : kRanked) {
      if (on_threads && !correctness::runs_on_threads(*find_stage(stage))) continue;
      const std::vector<Result> wanted = results(one_process_of(stage), size);
      const std::vector<Result> seen = results(stage, size, ranks);
      for (std::size_t run = 0; run < wanted.size(); ++run)
        expect_equal(seen[run], wanted[run],
                     std::string(stage) + ", " + std::to_string(ranks) + " ranks, " +
                         std::to_string(size.deals) + " deals");
    }
}

TEST(BmnRanks, AnyNumberOfThemPlaysTheGamesOfOneProcess) {
  EXPECT_GT(results(kOneProcess, kSizes[3])[0].capped, 0u);
  expect_one_process(1);
  for (const std::uint32_t ranks : {2, 3, 7, 32}) {
    const ThreadJob job(ranks);
    expect_one_process(ranks, true);
  }
}

/// Of few games with a low cap the first rank may finish none, and the longest game by turns need
/// not be that by tricks.
TEST(BmnRanks, ARankMayFinishNoGame) {
  const ThreadJob job(2);
  const Size size{10, 100};
  int seen_such = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Result first = results(kOneProcess, {size.deals / 2, size.cap}, 0, seed)[0];
    const Result wanted = results(kOneProcess, size, 0, seed)[0];
    seen_such += first.finished == 0 && wanted.most_turns.index != wanted.most_tricks.index;
    expect_equal(results(kRanked[0], size, 2, seed)[0], wanted, "seed " + std::to_string(seed));
  }
  EXPECT_GT(seen_such, 0);
}

/// Under mpirun, which ctest's entries of several ranks are started by.
TEST(BmnRanks, TheJobsPlayTheGamesOfOneProcess) {
  if (!ranks::job()) GTEST_SKIP() << "no job of several ranks";
  for (std::uint64_t ranks = 2; ranks <= ranks::job()->size(); ++ranks) expect_one_process(ranks);
}

/// A rank that takes another's share plays as many games, but the same ones again.
TEST(BmnRanks, AWrongShareShows) {
  const ThreadJob wrong(3, [](std::uint32_t rank) { return rank == 2 ? 1 : rank; });
  const Result wanted = results(kOneProcess, kSizes[2])[0];
  for (const char* stage : kRanked) {
    if (!correctness::runs_on_threads(*find_stage(stage))) continue;
    const Result seen = results(stage, kSizes[2], 3)[0];
    EXPECT_EQ(seen.deals, wanted.deals);
    EXPECT_NE(seen.digest, wanted.digest) << stage;
  }
}

}  // namespace
}  // namespace ratchet::bmn
