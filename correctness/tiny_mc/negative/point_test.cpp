// The check at the point rejects timed loops that leave out photons, repeat, or pile up.
#include <gtest/gtest.h>

#include <algorithm>

#include "correctness/support/retold_runs.h"
#include "correctness/tiny_mc/checks/checks.h"
#include "kernels/contract/check.h"

namespace ratchet::tiny_mc {
namespace {

/// Photons that the timed loop simulates of those asked for.
using Simulates = std::uint64_t (*)(std::uint64_t asked);
enum class Later { right, idle, adds };

class Faulty final : public PhotonStage {
 public:
  explicit Faulty(Simulates simulates, Later later = Later::right)
      : PhotonStage(real().info(), real().walk()), simulates_(simulates), later_(later) {}
  std::unique_ptr<Transport> prepare_transport(const Parameters& parameters) const override {
    const std::uint64_t asked = parameters.at("photons");
    const auto retell = [asked, later = later_](Tally seen, const std::optional<Tally>& before) {
      if (before && later == Later::adds) seen += *before;
      seen.photons = asked;
      return seen;
    };
    return std::make_unique<correctness::RetoldRuns<Transport>>(
        real().prepare_transport(Parameters(parameters).set("photons", simulates_(asked))), asked,
        retell, later_ == Later::idle);
  }
  Trace trace(const Parameters& parameters, std::uint32_t capacity) const override {
    return real().trace(parameters, capacity);
  }
  double rounding(const Parameters& parameters, double deposits) const override {
    return real().rounding(parameters, deposits);
  }

 private:
  static const PhotonStage& real() {
    return dynamic_cast<const PhotonStage&>(*find_stage("tiny_mc/cpu/05_radial"));
  }
  Simulates simulates_;
  Later later_;
};

std::uint64_t all(std::uint64_t asked) { return asked; }

InSituState judged(const Faulty& stage, int runs = 1) {
  const Parameters parameters = parameters_for(stage, 40'000, 3);
  const auto instance = stage.prepare(parameters);
  for (int run = 0; run < runs; ++run) instance->run();
  return check_in_situ({stage, parameters, *instance, "", 0, runs == 1, 0.2, true}).state;
}

TEST(TinyMcPoint, PassesTheRightLoop) {
  EXPECT_EQ(judged(Faulty(all)), InSituState::right);
  EXPECT_EQ(judged(Faulty(all), 3), InSituState::right);
}

TEST(TinyMcPoint, SeesMissingPhotons) {
  EXPECT_EQ(judged(Faulty([](std::uint64_t n) { return n * 6 / 7; })), InSituState::wrong);
  EXPECT_EQ(judged(Faulty([](std::uint64_t n) { return n - n / 1000; })), InSituState::wrong);
}

TEST(TinyMcPoint, SeesALoopThatTopsOut) {
  EXPECT_EQ(judged(Faulty([](std::uint64_t n) { return std::min<std::uint64_t>(n, 1 << 15); })),
            InSituState::wrong);
}

TEST(TinyMcPoint, SeesLaterRunsThatDoNothingOrAddTheLastOnes) {
  EXPECT_EQ(judged(Faulty(all, Later::idle)), InSituState::wrong);
  EXPECT_EQ(judged(Faulty(all, Later::idle), 2), InSituState::wrong);
  EXPECT_EQ(judged(Faulty(all, Later::adds)), InSituState::wrong);
  EXPECT_EQ(judged(Faulty(all, Later::adds), 2), InSituState::wrong);
}

TEST(TinyMcPoint, SeesUnitsThatNobodyAskedFor) {
  const Faulty stage(all);
  const Parameters parameters = parameters_for(stage, 40'000, 3);
  EXPECT_EQ(correctness::judged_claiming(parameters.at("photons") + 1, stage, parameters,
                                         stage.prepare_transport(parameters)),
            InSituState::wrong);
}

}  // namespace
}  // namespace ratchet::tiny_mc
