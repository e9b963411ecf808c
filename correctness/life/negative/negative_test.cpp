// The quick check of the life family rejects stages with planted faults, and passes a right one.
#include <gtest/gtest.h>

#include "kernels/contract/check.h"
#include "correctness/life/checks/checks.h"
#include "correctness/life/oracles/oracle.h"

namespace ratchet::life {
namespace {

/// The universe after a run of `steps` generations, as some stage computes it.
using Run = Grid (*)(const Grid& start, std::uint64_t steps, Edge edge);

class FakeUniverse final : public Universe {
 public:
  FakeUniverse(const Parameters& parameters, const Grid& start, Run run)
      : grid_(start),
        steps_(parameters.at("steps")),
        edge_(edge_of(parameters)),
        units_(cell_updates(parameters)),
        run_(run) {}
  void run() override { grid_ = run_(grid_, steps_, edge_); }
  std::uint64_t units() const override { return units_; }
  Grid collect() override { return grid_; }

 private:
  Grid grid_;
  std::uint64_t steps_;
  Edge edge_;
  std::uint64_t units_;
  Run run_;
};

class FakeStage final : public LifeStage {
 public:
  explicit FakeStage(Run run)
      : LifeStage(stage_info({.name = "life/cpu/99_fake",
                              .summary = "a fake",
                              .source = "ratchet",
                              .parameters = parameters()})),
        run_(run) {}

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    return std::make_unique<FakeUniverse>(parameters, start, run_);
  }

 private:
  static std::vector<Parameter> parameters() {
    std::vector<Parameter> all = common_parameters(64, 1);
    all.push_back(torus_parameter());
    return all;
  }
  Run run_;
};

CheckResult check_of(Run run) { return quick_check(FakeStage(run)); }

TEST(LifeNegative, ARightStagePasses) {
  const CheckResult result = check_of(&oracle_run);
  EXPECT_TRUE(result.passed) << result.detail;
}

TEST(LifeNegative, AMissingStepIsSeen) {
  EXPECT_FALSE(check_of([](const Grid& start, std::uint64_t steps, Edge edge) {
                 return oracle_run(start, steps > 16 ? steps - 1 : steps, edge);
               }).passed);
}

TEST(LifeNegative, ATorusThatIsNoneIsSeen) {
  const CheckResult result = check_of([](const Grid& start, std::uint64_t steps, Edge) {
    return oracle_run(start, steps, Edge::dead);
  });
  EXPECT_FALSE(result.passed) << result.detail;
}

TEST(LifeNegative, OneWrongCellIsSeen) {
  const CheckResult result = check_of([](const Grid& start, std::uint64_t steps, Edge edge) {
    Grid end = oracle_run(start, steps, edge);
    if (end.width() == 1031) end.set(999, 500, !end.at(999, 500));
    return end;
  });
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.detail.find("first at (x 999, y 500)"), std::string::npos) << result.detail;
}

/// The rule with one of the 512 answers wrong, and only where a word ends.
TEST(LifeNegative, OneWrongAnswerAtTheEndOfAWordIsSeen) {
  const CheckResult result = check_of([](const Grid& start, std::uint64_t steps, Edge edge) {
    Grid end = oracle_run(start, steps, edge);
    for (std::uint64_t y = 1; y + 1 < end.height() && end.width() > 64; ++y) {
      bool all = true;  // nine live cells
      for (const std::uint64_t x : {62, 63, 64})
        all = all && start.at(x, y - 1) && start.at(x, y) && start.at(x, y + 1);
      if (all && steps == 1) end.set(63, y, true);
    }
    return end;
  });
  EXPECT_FALSE(result.passed);
  EXPECT_TRUE(result.detail.starts_with("all neighbourhoods")) << result.detail;
}

TEST(LifeNegative, LivePaddingIsSeen) {
  const CheckResult result = check_of([](const Grid& start, std::uint64_t steps, Edge edge) {
    Grid end = oracle_run(start, steps, edge);
    end.row(0)[end.words_per_row() - 1] |= ~end.last_word_mask();
    return end;
  });
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.detail.find("padding"), std::string::npos) << result.detail;
}

}  // namespace
}  // namespace ratchet::life
