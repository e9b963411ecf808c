// tiny_mc on several ranks: the sums of one process, bit for bit.
#include <gtest/gtest.h>

#include <vector>

#include "correctness/support/ranks_on_threads.h"
#include "correctness/tiny_mc/checks/checks.h"
#include "kernels/support/cuda_device.h"
#include "kernels/support/rng/gpu_seed.h"
#include "kernels/tiny_mc/tiny_mc.h"
#include "kernels/tiny_mc/walks/cpu_stage.h"

namespace ratchet::tiny_mc {
namespace {

using correctness::ThreadJob;

/// The tallies of the first three runs.
std::vector<Tally> tallies(const char* stage, std::uint64_t photons, std::uint64_t ranks = 0) {
  const auto& of = dynamic_cast<const PhotonStage&>(*find_stage(stage));
  Parameters parameters = of.defaults().set("photons", photons).set("seed", std::uint64_t{11});
  if (ranks > 0) parameters.set("ranks", ranks);
  const auto transport = of.prepare_transport(parameters);
  std::vector<Tally> found;
  for (int run = 0; run < 3; ++run) {
    transport->run();
    found.push_back(transport->collect());
  }
  return found;
}

void expect_equal(const std::vector<Tally>& seen, const std::vector<Tally>& wanted,
                  const std::string& what) {
  for (std::size_t run = 0; run < wanted.size(); ++run) {
    EXPECT_EQ(seen[run].photons, wanted[run].photons) << what;
    EXPECT_EQ(seen[run].heat, wanted[run].heat) << what;
    EXPECT_EQ(seen[run].heat2, wanted[run].heat2) << what;
  }
}

constexpr const char* kRanked = "tiny_mc/mpi/01_tasks";
/// None, a chunk and one more, more tasks than ranks and fewer.
constexpr std::uint64_t kPhotons[] = {0, 2049, 5 * 2048, 300'000};

TEST(TinyMcRanks, AnyNumberOfThemAddsUpToOneProcess) {
  for (const std::uint64_t photons : kPhotons) {
    const std::vector<Tally> wanted = tallies("tiny_mc/cpu/02_simd", photons);
    expect_equal(tallies(kRanked, photons, 1), wanted, "1 rank");
    for (const std::uint32_t ranks : {2, 3, 7, 32}) {
      const ThreadJob job(ranks);
      expect_equal(tallies(kRanked, photons, ranks), wanted,
                   std::to_string(ranks) + " ranks, " + std::to_string(photons) + " photons");
    }
  }
}

/// Under mpirun, which ctest's entries of several ranks are started by.
TEST(TinyMcRanks, TheJobsAddUpToOneProcess) {
  if (!ranks::job()) GTEST_SKIP() << "no job of several ranks";
  for (const std::uint64_t photons : kPhotons)
    for (std::uint64_t ranks = 2; ranks <= ranks::job()->size(); ++ranks)
      expect_equal(tallies(kRanked, photons, ranks), tallies("tiny_mc/cpu/02_simd", photons),
                   std::to_string(ranks) + " ranks");
}

constexpr const char* kGpus = "tiny_mc/mpi/02_radial_gpus";

/// What 02 adds up, by a stage that knows nothing of ranks: 16 shards, each under its seed.
std::vector<Tally> tallies_of_shards(std::uint64_t photons) {
  std::vector<Tally> sums(3, Tally(101));
  const auto& plays = dynamic_cast<const PhotonStage&>(*find_stage(
      cuda_availability().ok ? "tiny_mc/cuda/11_radial_cross64" : "tiny_mc/cpu/05_radial"));
  for (std::uint64_t shard = 0; shard < 16; ++shard) {
    const auto transport =
        plays.prepare_transport(plays.defaults()
                                    .set("photons", photons / 16 + (shard < photons % 16 ? 1 : 0))
                                    .set("seed", run_seed(11, shard)));
    for (Tally& sum : sums) {
      transport->run();
      sum += transport->collect();
    }
  }
  return sums;
}

/// Counters are integers, but shards are added as doubles here.
void expect_close(const std::vector<Tally>& seen, const std::vector<Tally>& wanted) {
  for (std::size_t run = 0; run < wanted.size(); ++run) {
    EXPECT_EQ(seen[run].photons, wanted[run].photons);
    for (std::size_t shell = 0; shell < 101; ++shell) {
      EXPECT_NEAR(seen[run].heat[shell], wanted[run].heat[shell], 1e-12 * wanted[run].photons);
      EXPECT_NEAR(seen[run].heat2[shell], wanted[run].heat2[shell], 1e-12 * wanted[run].photons);
    }
  }
}

TEST(TinyMcRanks, ShardsAreRunsOfOneProcess) {
  for (const std::uint64_t photons : {std::uint64_t{5}, std::uint64_t{100'003}})
    expect_close(tallies(kGpus, photons, 1), tallies_of_shards(photons));
}

TEST(TinyMcRanks, AnyNumberOfThemAddsUpTheSameShards) {
  if (!correctness::runs_on_threads(*find_stage(kGpus)))
    GTEST_SKIP() << "ranks on threads have no GPU each";
  for (const std::uint64_t photons : kPhotons) {
    const std::vector<Tally> alone = tallies(kGpus, photons, 1);
    for (const std::uint32_t ranks : {2, 3, 7, 32}) {
      const ThreadJob job(ranks);
      expect_equal(tallies(kGpus, photons, ranks), alone, std::to_string(ranks) + " ranks");
    }
  }
}

/// On GPUs where each rank of the job has one.
TEST(TinyMcRanks, TheJobsAddUpTheSameShards) {
  if (!ranks::job()) GTEST_SKIP() << "no job of several ranks";
  for (const std::uint64_t photons : {std::uint64_t{5}, std::uint64_t{300'000}}) {
    const std::vector<Tally> alone = tallies(kGpus, photons, 1);
    for (std::uint64_t ranks = 2; ranks <= ranks::job()->size(); ++ranks)
      expect_equal(tallies(kGpus, photons, ranks), alone, std::to_string(ranks) + " ranks");
  }
}

/// A rank that takes another's share simulates as many photons, but the same ones again.
TEST(TinyMcRanks, AWrongShareShows) {
  const std::uint64_t photons = 3 * 100 * 2048;
  const ThreadJob wrong(3, [](std::uint32_t rank) { return rank == 2 ? 1 : rank; });
  const Tally seen = tallies(kRanked, photons, 3)[0];
  const Tally wanted = tallies("tiny_mc/cpu/02_simd", photons)[0];
  EXPECT_EQ(seen.photons, wanted.photons);
  EXPECT_NE(seen.heat, wanted.heat);
}

// How a run on a CPU is cut into tasks, at sizes too large to run in a test.

/// What a body that walks nowhere was asked for.
struct Asked {
  std::uint64_t photons = 0, chunks = 0, next_stream = 0;
  bool in_order = true;
} asked;

void walk_nowhere(const Job&, std::uint64_t stream, std::uint32_t photons, Tally&) {
  asked.photons += photons;
  ++asked.chunks;
  asked.in_order &= stream == asked.next_stream && photons > 0 && photons <= kChunk;
  asked.next_stream = stream + 1;
}

TEST(TinyMcTasks, CoverEveryPhotonOnce) {
  const auto& stage = dynamic_cast<const PhotonStage&>(*find_stage("tiny_mc/cpu/01_scalar"));
  const Job job(parameters_for(stage, 1, 1));
  const Body body{walk_nowhere, nullptr};
  constexpr std::uint64_t kStream = 77;
  for (const std::uint64_t photons :
       {std::uint64_t{1}, std::uint64_t{2'048}, std::uint64_t{2'049}, std::uint64_t{2'097'153},
        std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 5'000, (std::uint64_t{3} << 33) + 1}) {
    asked = {.next_stream = kStream};
    const Tasks tasks(photons);
    EXPECT_LE(tasks.size(), Tasks::kTasks);
    std::uint64_t told = 0;
    Tally tally;
    for (std::uint32_t task = 0; task < tasks.size(); ++task) {
      tasks.simulate(body, job, kStream, task, tally);
      told += tally.photons;
    }
    EXPECT_EQ(asked.photons, photons);
    EXPECT_EQ(told, photons);
    EXPECT_EQ(asked.chunks, tasks.chunks());
    EXPECT_TRUE(asked.in_order) << photons;
  }
}

}  // namespace

}  // namespace ratchet::tiny_mc
