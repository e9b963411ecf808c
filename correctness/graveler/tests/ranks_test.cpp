// Graveler on several ranks: the same battles whatever their number.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "correctness/graveler/checks/checks.h"
#include "correctness/support/ranks_on_threads.h"
#include "kernels/graveler/stages/cpu_stage.h"
#include "kernels/graveler/stages/cpu_workers.h"
#include "kernels/support/cuda_device.h"
#include "kernels/support/rng/gpu_seed.h"

namespace ratchet::graveler {
namespace {

using correctness::ThreadJob;

const GravelerStage& stage(const std::string& name) {
  return dynamic_cast<const GravelerStage&>(*find_stage("graveler/mpi/" + name));
}

/// The maxima of the first three runs under each of some seeds.
std::vector<std::uint32_t> maxima(const std::string& name, std::uint64_t ranks,
                                  std::uint64_t battles) {
  std::vector<std::uint32_t> found;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto simulation = stage(name).prepare_simulation(
        parameters_for(stage(name), battles, seed).set("ranks", ranks));
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

/// By runs of a stage that knows nothing of ranks: what 02 plays a shard with here.
std::uint32_t maximum_of_shards(std::uint64_t seed, std::uint64_t battles) {
  const auto& plays = dynamic_cast<const GravelerStage&>(*find_stage(
      cuda_availability().ok ? "graveler/cuda/06_tensor_count" : "graveler/cpu/12_aes_weyl"));
  std::uint32_t most = 0;
  for (std::uint32_t shard = 0; shard < std::min<std::uint64_t>(16, battles); ++shard) {
    const auto simulation = plays.prepare_simulation(
        parameters_for(plays, even_share(battles, 16, shard), run_seed(seed, shard)));
    simulation->run();
    most = std::max(most, simulation->collect().max_ones);
  }
  return most;
}

using MaximumOf = std::uint32_t (*)(std::uint64_t seed, std::uint64_t battles);
struct Ranked {
  std::string name;
  MaximumOf maximum;
};
const std::vector<Ranked> kStages = {{"01_shards", maximum_of_workers},
                                     {"02_gpus", maximum_of_shards}};

TEST(GravelerRanks, AnyNumberOfThemPlaysTheSameBattles) {
  for (const Ranked& each : kStages)
    // Fewer battles than ranks, too.
    for (const std::uint64_t battles : {1, 7, 5041, 30'011}) {
      const std::vector<std::uint32_t> alone = maxima(each.name, 1, battles);
      for (std::uint64_t seed = 1; seed <= 20; ++seed)
        EXPECT_EQ(alone[3 * (seed - 1)], each.maximum(seed, battles)) << each.name;
      for (const std::uint32_t ranks : {2, 3, 7, 32}) {
        if (!correctness::runs_on_threads(stage(each.name))) break;
        const ThreadJob job(ranks);
        EXPECT_EQ(maxima(each.name, ranks, battles), alone)
            << each.name << ", " << ranks << " ranks, " << battles << " battles";
      }
    }
}

/// Under mpirun, which ctest's entries of several ranks are started by.
TEST(GravelerRanks, TheJobsPlayTheSameBattles) {
  if (!ranks::job()) GTEST_SKIP() << "no job of several ranks";
  for (const Ranked& each : kStages) {
    const std::vector<std::uint32_t> alone = maxima(each.name, 1, 30'011);
    for (std::uint64_t ranks = 2; ranks <= ranks::job()->size(); ++ranks)
      EXPECT_EQ(maxima(each.name, ranks, 30'011), alone) << each.name << ", " << ranks << " ranks";
  }
}

/// A rank that takes another's share plays as many battles, but others.
TEST(GravelerRanks, AWrongShareShows) {
  for (const Ranked& each : kStages) {
    if (!correctness::runs_on_threads(stage(each.name))) continue;
    const std::uint64_t battles = 6 * 5040;
    const std::vector<std::uint32_t> alone = maxima(each.name, 1, battles);
    const ThreadJob wrong(3, [](std::uint32_t rank) { return rank == 2 ? 1 : rank; });
    EXPECT_NE(maxima(each.name, 3, battles), alone) << each.name;
  }
}

}  // namespace
}  // namespace ratchet::graveler
