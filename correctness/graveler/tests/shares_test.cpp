// How battles reach the workers of a CPU stage: exactly as many as were asked for, whatever the
// number. More than 2^32 of them, which no test could play, are handed to a player that only
// counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "correctness/graveler/checks/checks.h"
#include "kernels/graveler/stages/cpu_stage.h"
#include "perf/support/error.h"

namespace ratchet::graveler {
namespace {

#include "kernels/graveler/rounds/cpu_rounds-inl.h"

constexpr std::uint64_t kBeyond32Bits = std::uint64_t{1} << 32;
constexpr std::uint32_t kThreads = 13;  // 2^32 is no multiple of it

std::vector<const CpuStage*> cpu_stages() {
  std::vector<const CpuStage*> stages;
  for (const Stage* stage : registry())
    if (const auto* one = dynamic_cast<const CpuStage*>(stage)) stages.push_back(one);
  return stages;
}

/// What each worker was told to play, call by call.
std::vector<std::vector<std::uint64_t>> shares(const CpuStage& stage, std::uint64_t battles) {
  Parameters parameters = stage.defaults();
  if (parameters.has("threads")) parameters.set("threads", std::uint64_t{kThreads});
  if (parameters.has("grain")) parameters.set("grain", std::uint64_t{1'000'000'000});
  const auto crew = stage.crew(parameters);
  std::vector<std::vector<std::uint64_t>> told(crew->workers());
  std::mutex mutex;
  crew->spread(battles, [&](std::uint32_t worker, std::uint64_t share) {
    const std::lock_guard lock(mutex);
    told.at(worker).push_back(share);
  });
  return told;
}

TEST(GravelerShares, AddUpWhateverTheNumber) {
  ASSERT_FALSE(cpu_stages().empty());
  for (const CpuStage* stage : cpu_stages())
    for (const std::uint64_t battles :
         {std::uint64_t{1}, std::uint64_t{17}, kBeyond32Bits - 1, kBeyond32Bits, kBeyond32Bits + 5,
          2 * kBeyond32Bits + 11, 300 * kBeyond32Bits + 7}) {
      std::uint64_t sum = 0;
      for (const auto& calls : shares(*stage, battles))
        for (const std::uint64_t share : calls) sum += share;
      EXPECT_EQ(sum, battles) << stage->info().name;
    }
}

/// Not as many as the machine has processors: what a seed gives on so many threads is the same
/// anywhere.
TEST(GravelerShares, WorkersAreAsManyAsTheThreadsAskedFor) {
  int threaded = 0;
  for (const CpuStage* stage : cpu_stages()) {
    if (!stage->info().threaded()) continue;
    ++threaded;
    for (const std::uint64_t threads : {1, 2, 13, 64, 257, 1024})
      EXPECT_EQ(stage->crew(stage->defaults().set("threads", threads))->workers(), threads)
          << stage->info().name;
  }
  EXPECT_GT(threaded, 0);
}

/// A run that lost a share is no run, whoever lost it; and the crew plays on.
TEST(GravelerShares, AFailureOfAnyWorkerReachesTheCaller) {
  constexpr std::uint64_t kBattles = 1000;
  for (const CpuStage* stage : cpu_stages()) {
    Parameters parameters = stage->defaults();
    if (parameters.has("threads")) parameters.set("threads", std::uint64_t{kThreads});
    const auto crew = stage->crew(parameters);
    for (std::uint32_t failing = 0; failing < crew->workers(); ++failing) {
      // With work stealing a worker may be left without a share, and then has not failed.
      std::atomic<bool> failed{false};
      bool reached = false;
      try {
        crew->spread(kBattles, [&](std::uint32_t worker, std::uint64_t) {
          if (worker != failing) return;
          failed = true;
          throw Error("out of words");
        });
      } catch (const Error& error) {
        reached = error.what() == std::string("out of words");
      }
      EXPECT_EQ(reached, failed) << stage->info().name << ", worker " << failing;
      EXPECT_TRUE(failed || parameters.has("grain"))
          << stage->info().name << " left out worker " << failing;
    }
    std::atomic<std::uint64_t> sum{0};
    crew->spread(kBattles, [&](std::uint32_t, std::uint64_t share) { sum += share; });
    EXPECT_EQ(sum, kBattles) << stage->info().name;
  }
}

/// Where the task owns the worker, and not the thread that runs it, each worker is called once,
/// with its even share. With work stealing which worker plays how much is luck.
TEST(GravelerShares, AreEvenAndOneAWorker) {
  for (const CpuStage* stage : cpu_stages()) {
    if (stage->defaults().has("grain")) continue;
    for (const std::uint64_t battles : {std::uint64_t{1000}, 3 * kBeyond32Bits + 13}) {
      const auto told = shares(*stage, battles);
      for (std::uint32_t worker = 0; worker < told.size(); ++worker) {
        ASSERT_EQ(told[worker].size(), 1u) << stage->info().name << ", worker " << worker;
        EXPECT_LE(told[worker][0] - battles / told.size(), 1u) << stage->info().name;
      }
    }
  }
}

/// A body whose rounds cost nothing, so that 2^32 of them can be asked for.
struct CountedRounds {
  static constexpr std::uint32_t kLanes = 1, kWords = 1, kBattles = 2;
  struct Generator {
    Generator(std::uint64_t, std::uint64_t) {}
  };
  using Replay = Generator;
  struct Ignored {};
  struct Kept {
    void copy(std::uint32_t, std::uint32_t*) {}
  };
  struct Best {
    std::uint64_t rounds = 0;
    void fold(std::uint32_t) { ++rounds; }
    std::uint32_t value() const { return static_cast<std::uint32_t>(rounds >> 24); }
  };
  template <class Outcome>
  static std::uint32_t round(Generator&, Outcome&) {
    return 0;
  }
  static void unpack(std::uint32_t, std::uint16_t* ones) { std::fill_n(ones, kBattles, 0); }
};

TEST(GravelerShares, AWorkerPlaysMoreThan32BitsOfRounds) {
  const auto worker = make_round_worker<CountedRounds>(1, 0);
  EXPECT_EQ(worker->max_ones(2 * (kBeyond32Bits + (3 << 24))), 256u + 3u);
}

}  // namespace
}  // namespace ratchet::graveler
