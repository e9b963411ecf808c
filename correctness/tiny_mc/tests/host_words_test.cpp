// The words that the counted walks draw on a GPU, against the generators' definitions on the host.
//
// There a generator is written in the instructions of the device: what the host's form of it
// passes, known answers and PractRand, is nothing that the device has passed. Statistics of photons
// would miss a carry that is lost between two halves of a word.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "correctness/tiny_mc/checks/checks.h"
#include "kernels/support/rng/cross64.h"
#include "kernels/support/rng/gpu_seed.h"
#include "kernels/support/rng/mcg64.h"

namespace ratchet::tiny_mc {
namespace {

using Words = std::function<std::uint32_t()>;

struct Walker {
  std::string stage;
  /// The words of a stream of a seed, from the first on.
  std::function<Words(std::uint64_t seed, std::uint64_t stream)> words;
};

template <class Source>
Words words_of(std::uint64_t seed, std::uint64_t stream) {
  return [source = Source(seed, stream)]() mutable { return source.next(); };
}

constexpr std::uint64_t kSeed = 0x9876543210fedcba;

bool built_with_cuda() {
  return std::ranges::any_of(
      registry(), [](const Stage* stage) { return stage->info().backend == Backend::cuda; });
}

class HostWordsCuda : public testing::TestWithParam<Walker> {
 protected:
  void SetUp() override {
    if (!built_with_cuda()) GTEST_SKIP() << "built without CUDA";
    stage_ = dynamic_cast<const PhotonStage*>(find_stage(GetParam().stage));
    ASSERT_NE(stage_, nullptr) << GetParam().stage;
    const Availability available = stage_->availability();
    if (!available.ok) GTEST_SKIP() << stage_->info().name << ": " << available.reason;
  }
  /// Up to the first game of roulette. Photons few enough for each to be a thread's first: its
  /// stream is its number.
  void expect_the_devices(const Medium& medium, std::uint64_t photons) const {
    const Parameters parameters = parameters_for(*stage_, medium, photons, kSeed);
    const std::uint32_t first_round = schedule_of(medium).rounds.at(0).collisions;
    const Trace trace = stage_->trace(parameters, first_round);
    ASSERT_EQ(trace.photons, photons);
    for (std::uint64_t photon = 0; photon < photons; ++photon) {
      const Words next = GetParam().words(run_seed(kSeed, 0), photon);
      const auto path = trace.of(photon);
      ASSERT_EQ(path.size(), first_round);
      for (std::uint32_t k = 0; k < first_round; ++k) {
        std::vector<std::uint32_t> drawn = {path[k].step_word};
        drawn.insert(drawn.end(), path[k].direction_word,
                     path[k].direction_word + path[k].direction_words);
        if (path[k].roulettes > 0) drawn.push_back(path[k].roulette_word);
        for (const std::uint32_t word : drawn)
          ASSERT_EQ(word, next()) << "photon " << photon << ", collision " << k;
      }
      ASSERT_EQ(path[first_round - 1].roulettes, 1u) << "photon " << photon;
    }
  }

 private:
  const PhotonStage* stage_ = nullptr;
};

TEST_P(HostWordsCuda, AreTheDevices) { expect_the_devices(Medium{}, 4'099); }

/// A thousand collisions to the first game: words of one stream, for long.
TEST_P(HostWordsCuda, AreTheDevicesForAThousandCollisions) {
  const Medium medium{.absorption_per_cm = 1, .scattering_per_cm = 145};
  ASSERT_GE(schedule_of(medium).rounds.at(0).collisions, 1'000u);
  expect_the_devices(medium, 521);
}

INSTANTIATE_TEST_SUITE_P(Walks, HostWordsCuda,
                         testing::Values(Walker{"tiny_mc/cuda/08_full_walk", words_of<Mcg64>},
                                         Walker{"tiny_mc/cuda/09_radial_walk", words_of<Mcg64>},
                                         Walker{"tiny_mc/cuda/10_full_cross64", words_of<Cross64>},
                                         Walker{"tiny_mc/cuda/11_radial_cross64",
                                                words_of<Cross64>}),
                         [](const testing::TestParamInfo<Walker>& info) {
                           std::string name = info.param.stage;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

}  // namespace
}  // namespace ratchet::tiny_mc
