// The check at the point rejects timed loops that leave out generations or rows.
#include <gtest/gtest.h>

#include <algorithm>

#include "correctness/life/checks/checks.h"
#include "correctness/support/retold_runs.h"
#include "kernels/contract/check.h"

namespace ratchet::life {
namespace {

/// Generations that the timed loop makes of those asked for.
using Makes = std::uint64_t (*)(std::uint64_t asked);

class Faulty final : public LifeStage {
 public:
  explicit Faulty(Makes makes, bool idle = false, bool stale_row = false)
      : LifeStage(real().info()), makes_(makes), idle_(idle), stale_row_(stale_row) {}

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    const auto retell = [start, stale = stale_row_](Grid seen, const std::optional<Grid>& before) {
      const Grid& old = before ? *before : start;
      const std::uint64_t last = seen.height() - 1;
      if (stale) std::copy_n(old.row(last), old.words_per_row(), seen.row(last));
      return seen;
    };
    return std::make_unique<correctness::RetoldRuns<Universe>>(
        real().prepare_universe(Parameters(parameters).set("steps", makes_(parameters.at("steps"))),
                                start),
        cell_updates(parameters), retell, idle_);
  }

 private:
  static const LifeStage& real() {
    return dynamic_cast<const LifeStage&>(*find_stage("life/cpu/04_packed_bits"));
  }
  Makes makes_;
  bool idle_, stale_row_;
};

std::uint64_t all(std::uint64_t asked) { return asked; }

InSituState judged(const Faulty& stage, int runs = 1) {
  const Parameters parameters = parameters_for(stage, 517, 301, 96);
  const auto instance = stage.prepare(parameters);
  for (int run = 0; run < runs; ++run) instance->run();
  return check_in_situ({stage, parameters, *instance, "", 0, runs == 1, 1, true}).state;
}

TEST(LifePoint, PassesTheRightLoop) {
  EXPECT_EQ(judged(Faulty(all)), InSituState::right);
  EXPECT_EQ(judged(Faulty(all), 30), InSituState::right);
}

TEST(LifePoint, SeesMissingGenerations) {
  for (const int runs : {1, 30}) {
    EXPECT_EQ(judged(Faulty([](std::uint64_t n) { return n * 6 / 7; }), runs), InSituState::wrong);
    EXPECT_EQ(judged(Faulty([](std::uint64_t n) { return n - 2; }), runs), InSituState::wrong);
    EXPECT_EQ(judged(Faulty([](std::uint64_t n) { return std::min<std::uint64_t>(n, 64); }), runs),
              InSituState::wrong);
  }
}

TEST(LifePoint, SeesLaterRunsThatDoNothing) {
  EXPECT_EQ(judged(Faulty(all, true), 1), InSituState::wrong);
  EXPECT_EQ(judged(Faulty(all, true), 2), InSituState::wrong);
}

TEST(LifePoint, SeesARowThatStandsStill) {
  EXPECT_EQ(judged(Faulty(all, false, true)), InSituState::wrong);
}

TEST(LifePoint, LeavesWhatTakesTooLongUncheckedUnlessPatient) {
  const Faulty stage(all);
  const Parameters parameters = parameters_for(stage, 517, 301, 96);
  const auto instance = stage.prepare(parameters);
  instance->run();
  TimedRow row{stage, parameters, *instance, "", 0, true, 1e-9};
  EXPECT_EQ(check_in_situ(row).state, InSituState::unchecked);
  row.patient = true;
  EXPECT_EQ(check_in_situ(row).state, InSituState::right);
}

// A universe at rest hides what its next run does; the first run at this point does not.
TEST(LifePoint, SeesMissingGenerationsOfAUniverseAtRest) {
  EXPECT_EQ(judged(Faulty([](std::uint64_t n) { return n * 6 / 7; }), 2000), InSituState::wrong);
}

TEST(LifePoint, SeesUnitsThatNobodyAskedFor) {
  const Faulty stage(all);
  const Parameters parameters = parameters_for(stage, 517, 301, 96);
  EXPECT_EQ(
      correctness::judged_claiming(cell_updates(parameters) + 1, stage, parameters,
                                   stage.prepare_universe(parameters, soup(517, 301, 1, 128))),
      InSituState::wrong);
}

}  // namespace
}  // namespace ratchet::life
