// The check of neighbouring seeds tells XORWOW seeded as the text seeds it from mixed seeds.
#include <gtest/gtest.h>

#include <bit>

#include "correctness/graveler/checks/checks.h"
#include "kernels/support/rng/gpu_seed.h"
#include "kernels/support/rng/xorwow.h"

namespace ratchet::graveler {
namespace {

/// What a thread of graveler/cuda/02_xorwow plays, on a CPU: nothing but its trace.
class Xorwows final : public GravelerStage {
 public:
  explicit Xorwows(bool mixed)
      : GravelerStage(stage_info({.name = "graveler/cuda/02_xorwow",
                                  .summary = "traces of it on a CPU",
                                  .source = "ratchet",
                                  .parameters = common_parameters(kBillion)})),
        mixed_(mixed) {}
  Trace trace(const Parameters& parameters, Stream, std::uint32_t groups,
              std::uint32_t rounds) const override {
    Trace trace;
    trace.groups = groups;
    trace.rounds = rounds;
    const std::uint64_t first = run_seed(parameters.at("seed"), 0);
    for (std::uint32_t thread = 0; thread < groups; ++thread) {
      Xorwow words(mixed_ ? mix64(first + thread) : first + thread);
      for (std::uint32_t round = 0; round < rounds; ++round) trace.ones.push_back(battle(words));
    }
    return trace;
  }
  std::unique_ptr<Simulation> prepare_simulation(const Parameters&) const override { return {}; }
  Histogram histogram(const Parameters&) const override { return {}; }
  Layout layout() const override { return paired_words_layout(32); }

 private:
  static std::uint16_t battle(Xorwow& words) {
    int ones = 0;
    for (int pair = 0; pair < 8; ++pair) {
      const std::uint32_t a = words.next32(), both = a & words.next32();
      ones += std::popcount(pair < 7 ? both : both & ~((1u << 25) - 1));
    }
    return static_cast<std::uint16_t>(ones);
  }
  bool mixed_;
};

TEST(GravelerNeighbouringSeeds, LeanAtFirstUnlessMixed) {
  const TestResults printed = check_neighbouring_seeds(Xorwows(false));
  EXPECT_FALSE(any_rejected(printed)) << summary(printed);
  const TestResults mixed = check_neighbouring_seeds(Xorwows(true));
  ASSERT_EQ(mixed.size(), 2u);
  EXPECT_TRUE(mixed[0].rejected()) << summary(mixed);
  EXPECT_FALSE(mixed[1].rejected()) << summary(mixed);
}

}  // namespace
}  // namespace ratchet::graveler
