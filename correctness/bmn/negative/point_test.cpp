// The check at the point rejects timed loops that leave out games, repeat, or pile up.
#include <gtest/gtest.h>

#include <algorithm>

#include "correctness/bmn/checks/checks.h"
#include "correctness/support/retold_runs.h"
#include "kernels/contract/check.h"

namespace ratchet::bmn {
namespace {

/// Deals that the timed loop plays of those asked for.
using Plays = std::uint64_t (*)(std::uint64_t asked);
enum class Later { right, idle, adds };

/// What a loop tells that played fewer: that it played them all, as long as these on average.
Result inflated(Result seen, std::uint64_t asked) {
  const std::uint64_t lacking = asked - seen.deals;
  seen.deals += lacking;
  seen.finished += lacking;
  seen.wins[0] += lacking;
  seen.lengths[20] += lacking;
  const double more = static_cast<double>(asked) / static_cast<double>(asked - lacking);
  seen.turns = static_cast<std::uint64_t>(static_cast<double>(seen.turns) * more);
  seen.tricks = static_cast<std::uint64_t>(static_cast<double>(seen.tricks) * more);
  return seen;
}

class Faulty final : public BmnStage {
 public:
  explicit Faulty(Plays plays, Later later = Later::right)
      : BmnStage(real().info()), plays_(plays), later_(later) {}
  std::unique_ptr<Table> prepare_table(const Parameters& parameters) const override {
    const std::uint64_t asked = parameters.at("deals");
    const auto retell = [asked, later = later_](Result seen, const std::optional<Result>& before) {
      if (before && later == Later::adds) seen.turns += before->turns;
      return inflated(seen, asked);
    };
    return std::make_unique<correctness::RetoldRuns<Table>>(
        real().prepare_table(Parameters(parameters).set("deals", plays_(asked))), asked, retell,
        later_ == Later::idle);
  }
  std::vector<Outcome> games(const Parameters& parameters) const override {
    return real().games(parameters);
  }
  std::vector<Outcome> play(const Parameters& parameters,
                            std::span<const Deal> deals) const override {
    return real().play(parameters, deals);
  }

 private:
  static const BmnStage& real() {
    return dynamic_cast<const BmnStage&>(*find_stage("bmn/cpu/04_planes"));
  }
  Plays plays_;
  Later later_;
};

std::uint64_t all(std::uint64_t asked) { return asked; }

InSituState judged(const Faulty& stage, int runs = 1) {
  const Parameters parameters = parameters_for(stage, 20'000, 3);
  const auto instance = stage.prepare(parameters);
  for (int run = 0; run < runs; ++run) instance->run();
  return check_in_situ({stage, parameters, *instance, "", 0, runs == 1, 5, true}).state;
}

TEST(BmnPoint, PassesTheRightLoop) {
  EXPECT_EQ(judged(Faulty(all)), InSituState::right);
  EXPECT_EQ(judged(Faulty(all), 3), InSituState::right);
}

TEST(BmnPoint, SeesMissingGames) {
  for (const int runs : {1, 2}) {
    EXPECT_EQ(judged(Faulty([](std::uint64_t n) { return n * 6 / 7; }), runs), InSituState::wrong);
    EXPECT_EQ(judged(Faulty([](std::uint64_t n) { return n - 1; }), runs), InSituState::wrong);
    EXPECT_EQ(
        judged(Faulty([](std::uint64_t n) { return std::min<std::uint64_t>(n, 1 << 14); }), runs),
        InSituState::wrong);
  }
}

TEST(BmnPoint, SeesLaterRunsThatDoNothingOrAddTheLastOnes) {
  EXPECT_EQ(judged(Faulty(all, Later::idle)), InSituState::wrong);
  EXPECT_EQ(judged(Faulty(all, Later::adds), 2), InSituState::wrong);
}

TEST(BmnPoint, SeesUnitsThatNobodyAskedFor) {
  const Faulty stage(all);
  const Parameters parameters = parameters_for(stage, 20'000, 3);
  EXPECT_EQ(correctness::judged_claiming(parameters.at("deals") + 1, stage, parameters,
                                         stage.prepare_table(parameters)),
            InSituState::wrong);
}

/// In the form of 05p, by the definition: plays of the deals that it counts those of `plays`.
class Printed final : public BmnStage {
 public:
  explicit Printed(bool (*plays)(std::uint64_t index)) : BmnStage(printed_info()), plays_(plays) {}
  std::vector<Outcome> games(const Parameters& parameters) const override {
    std::vector<Outcome> games(parameters.at("deals"), Outcome{~0u, ~0u, ~0u});
    for (std::uint64_t i = 0; i < games.size(); ++i)
      if (plays_(i)) games[i] = by_definition(deal(parameters, i), parameters.at("cap"));
    return games;
  }
  std::vector<Outcome> play(const Parameters&, std::span<const Deal>) const override { return {}; }
  std::unique_ptr<Table> prepare_table(const Parameters& parameters) const override {
    auto table = std::make_unique<Played>();
    table->counted = parameters.at("deals");
    const std::vector<Outcome> all = games(parameters);
    for (std::uint64_t i = 0; i < all.size(); ++i)
      if (plays_(i)) ++table->result.deals, table->result.digest += digest_of(i, all[i]);
    return table;
  }

 private:
  struct Played final : Table {
    void run() override {}
    std::uint64_t units() const override { return counted; }
    Result collect() override { return result; }
    std::uint64_t counted = 0;
    Result result;
  };
  static StageInfo printed_info() {
    StageInfo info = stage_info({.name = "bmn/cuda/05p_as_printed",
                                 .parameters = common_parameters(128 * 220 + 30),
                                 .as_printed = true});
    info.parameters.push_back({"blocks", 1, 1, 1, ""});
    info.parameters.push_back({"threads", 32, 32, 32, ""});
    return info;
  }
  bool (*plays_)(std::uint64_t);
};

TEST(BmnAsPrintedCheck, RejectsWhatPlaysMoreOrLessThanOneBatchOf128) {
  const auto rejected = [](bool (*plays)(std::uint64_t index)) {
    const Printed stage(plays);
    return correctness::any_rejected(check_as_printed(stage, stage.defaults()));
  };
  EXPECT_FALSE(rejected([](std::uint64_t i) { return i / 220 % 128 == 0; }));
  EXPECT_TRUE(rejected([](std::uint64_t) { return true; }));
  EXPECT_TRUE(rejected([](std::uint64_t i) { return i / 220 % 64 == 0; }));
  EXPECT_TRUE(rejected([](std::uint64_t i) { return i < 220; }));
  EXPECT_TRUE(rejected([](std::uint64_t i) { return i < 220 && i != 7; }));
}

}  // namespace
}  // namespace ratchet::bmn
