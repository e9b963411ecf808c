// The check at the point rejects timed loops that leave out battles which the probes play.
#include <gtest/gtest.h>

#include <algorithm>

#include "correctness/graveler/checks/checks.h"
#include "correctness/support/retold_runs.h"
#include "kernels/contract/check.h"

namespace ratchet::graveler {
namespace {

/// Battles that the timed loop plays of those asked for.
using Plays = std::uint64_t (*)(std::uint64_t asked);
enum class Later { right, idle, keeps_the_old };

/// A real stage, probes and all, with another timed loop.
class Faulty final : public GravelerStage {
 public:
  explicit Faulty(Plays plays, Later later = Later::right)
      : GravelerStage(real().info()), plays_(plays), later_(later) {}
  std::unique_ptr<Simulation> prepare_simulation(const Parameters& parameters) const override {
    const std::uint64_t asked = parameters.at("battles");
    const auto retell = [asked, later = later_](Result seen, const std::optional<Result>& before) {
      seen.battles = asked;
      if (before && later == Later::keeps_the_old)
        seen.max_ones = std::max(seen.max_ones, before->max_ones);
      return seen;
    };
    return std::make_unique<correctness::RetoldRuns<Simulation>>(
        real().prepare_simulation(Parameters(parameters).set("battles", plays_(asked))), asked,
        retell, later_ == Later::idle);
  }
  Histogram histogram(const Parameters& parameters) const override {
    return real().histogram(parameters);
  }
  Trace trace(const Parameters& parameters, Stream stream, std::uint32_t groups,
              std::uint32_t rounds) const override {
    return real().trace(parameters, stream, groups, rounds);
  }
  Layout layout() const override { return real().layout(); }

 private:
  static const GravelerStage& real() {
    return dynamic_cast<const GravelerStage&>(*find_stage("graveler/cpu/05_wyrand"));
  }
  Plays plays_;
  Later later_;
};

std::uint64_t all(std::uint64_t asked) { return asked; }

InSituState judged(const Faulty& stage) {
  const Parameters parameters = parameters_for(stage, 20'000, 3);
  const auto instance = stage.prepare(parameters);
  instance->run();
  // Enough for some 100 seeds and 1000 runs on any machine.
  const InSituResult result = check_in_situ({stage, parameters, *instance, "", 0, true, 3, true});
  return result.state;
}

TEST(GravelerPoint, PassesTheRightLoop) { EXPECT_EQ(judged(Faulty(all)), InSituState::right); }

TEST(GravelerPoint, SeesMissingBattles) {
  EXPECT_EQ(judged(Faulty([](std::uint64_t n) { return n * 6 / 7; })), InSituState::wrong);
  EXPECT_EQ(judged(Faulty([](std::uint64_t n) { return n * 9 / 10; })), InSituState::wrong);
  EXPECT_EQ(judged(Faulty([](std::uint64_t) { return std::uint64_t{1}; })), InSituState::wrong);
}

TEST(GravelerPoint, SeesALoopThatTopsOut) {
  EXPECT_EQ(judged(Faulty([](std::uint64_t n) { return std::min<std::uint64_t>(n, 1 << 14); })),
            InSituState::wrong);
}

TEST(GravelerPoint, SeesLaterRunsThatPlayNothingOrKeepTheOldMaximum) {
  EXPECT_EQ(judged(Faulty(all, Later::idle)), InSituState::wrong);
  EXPECT_EQ(judged(Faulty(all, Later::keeps_the_old)), InSituState::wrong);
}

TEST(GravelerPoint, TheQuickCheckSeesLaterRunsToo) {
  EXPECT_FALSE(quick_check(Faulty(all, Later::idle)).passed);
  EXPECT_FALSE(quick_check(Faulty(all, Later::keeps_the_old)).passed);
}

TEST(GravelerPoint, SeesUnitsThatNobodyAskedFor) {
  const Faulty stage(all);
  const Parameters parameters = parameters_for(stage, 20'000, 3);
  EXPECT_EQ(correctness::judged_claiming(parameters.at("battles") + 1, stage, parameters,
                                         stage.prepare_simulation(parameters)),
            InSituState::wrong);
}

}  // namespace
}  // namespace ratchet::graveler
