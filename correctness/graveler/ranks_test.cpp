// Graveler on several ranks: the same battles whatever their number.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "correctness/graveler/checks.h"
#include "correctness/support/ranks_on_threads.h"
#include "kernels/graveler/stages/cpu_stage.h"
#include "kernels/graveler/stages/cpu_workers.h"

namespace ratchet::graveler {
namespace {

using correctness::ThreadJob;

const GravelerStage& stage() {
  return dynamic_cast<const GravelerStage&>(*find_stage("graveler/mpi/01_shards"));
}

/// The maxima of the first three runs under each of some seeds.
std::vector<std::uint32_t> maxima(std::uint64_t ranks, std::uint64_t battles) {
  std::vector<std::uint32_t> found;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto simulation =
        stage().prepare_simulation(parameters_for(stage(), battles, seed).set("ranks", ranks));
    for (int run = 0; run < 3; ++run) {
      simulation->run();
      const Result result = simulation->collect();
      EXPECT_EQ(result.battles, battles);
      found.push_back(result.max_ones);
    }
  }
  return found;
}

/// By workers that know nothing of ranks.
std::uint32_t maximum_of_workers(std::uint64_t seed, std::uint64_t battles) {
  std::uint32_t most = 0;
  for (std::uint32_t worker = 0; worker < 5040; ++worker)
    most = std::max(
        most, make_aes_weyl_worker(seed, worker)->max_ones(even_share(battles, 5040, worker)));
  return most;
}

TEST(GravelerRanks, AnyNumberOfThemPlaysTheSameBattles) {
  // Fewer battles than ranks, too.
  for (const std::uint64_t battles : {1, 7, 5041, 30'011}) {
    const std::vector<std::uint32_t> alone = maxima(1, battles);
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      EXPECT_EQ(alone[3 * (seed - 1)], maximum_of_workers(seed, battles));
    for (const std::uint32_t ranks : {2, 3, 7, 32}) {
      const ThreadJob job(ranks);
      EXPECT_EQ(maxima(ranks, battles), alone) << ranks << " ranks, " << battles << " battles";
    }
  }
}

/// Under mpirun, which ctest's entries of several ranks are started by.
TEST(GravelerRanks, TheJobsPlayTheSameBattles) {
  if (!ranks::job()) GTEST_SKIP() << "no job of several ranks";
  const std::vector<std::uint32_t> alone = maxima(1, 30'011);
  for (std::uint64_t ranks = 2; ranks <= ranks::job()->size(); ++ranks)
    EXPECT_EQ(maxima(ranks, 30'011), alone) << ranks << " ranks";
}

/// A rank that takes another's share plays as many battles, but others.
TEST(GravelerRanks, AWrongShareShows) {
  const std::uint64_t battles = 6 * 5040;
  const std::vector<std::uint32_t> alone = maxima(1, battles);
  const ThreadJob wrong(3, [](std::uint32_t rank) { return rank == 2 ? 1 : rank; });
  EXPECT_NE(maxima(3, battles), alone);
}

}  // namespace
}  // namespace ratchet::graveler
