// How a run on a CPU is cut into tasks, at sizes that nobody wants to wait for.
#include <gtest/gtest.h>

#include "correctness/tiny_mc/checks/checks.h"
#include "kernels/tiny_mc/walks/cpu_stage.h"

namespace ratchet::tiny_mc {
namespace {

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
