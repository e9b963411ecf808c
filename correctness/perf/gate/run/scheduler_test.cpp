// What a session launches next, and when it stops.
#include "perf/gate/run/scheduler.h"

#include <gtest/gtest.h>

#include "correctness/perf/support/fake_program.h"
#include "perf/gate/run/session.h"

namespace ratchet::gate {
namespace {

class SchedulerOfOneSide : public testing::Test {
 protected:
  SchedulerOfOneSide() {
    for (const char* row : {"demo/cpu/01_a", "demo/cpu/02_b", "demo/cpu/03_c"})
      program_.rows[row] = {};
  }
  /// The rows of all processes so far, in order, by their last letters.
  std::string order() const {
    std::string letters;
    for (const auto& rows : program_.processes)
      for (const std::string& row : rows) letters += row.back();
    return letters;
  }
  std::unique_ptr<Session> session(double budget_s, double sample_s = 0) {
    SessionOptions options;
    options.budget_s = budget_s;
    options.sample_s = sample_s;
    return std::make_unique<Session>(std::vector<Side>{{"", &program_}}, options,
                                     [](const std::string&) {});
  }
  FakeProgram program_{1};
};

TEST_F(SchedulerOfOneSide, S02RowsAreLaunchedForwardsAndBackwards) {
  const auto made = session(60);
  made->scheduler().measure(made->rows(), 4);
  EXPECT_EQ(order(), "abccbaabccba");
}

TEST_F(SchedulerOfOneSide, StopsWhenTheBudgetIsOverButNotBeforeTheLeastRounds) {
  const auto made = session(0);
  made->scheduler().measure(made->rows(), 9, 2);
  EXPECT_EQ(order(), "abccba");
  made->scheduler().measure_row("demo/cpu/01_a", 3);  // never beyond it
  EXPECT_EQ(order(), "abccba");
}

TEST_F(SchedulerOfOneSide, ARowThatFailsIsLeftOutOfTheNextRounds) {
  program_.rows["demo/cpu/02_b"].fails = "killed by signal 9";
  const auto made = session(60);
  made->scheduler().measure(made->rows(), 3);
  EXPECT_EQ(order(), "abccaac");
  EXPECT_EQ(made->ledger().alive().count("demo/cpu/02_b"), 0u);
}

TEST_F(SchedulerOfOneSide, ShortLaunchesTakeOneRoundInAnyCaseAndLeaveThePlanAsItWas) {
  const auto made = session(0, 0.5);
  made->scheduler().measure_short(made->rows(), 3, 0.05, 0.1);
  EXPECT_EQ(order(), "abc");
  EXPECT_EQ(program_.budgets_s, std::vector<double>(3, 0.05));
  EXPECT_EQ(made->launcher().samples().alone, 0.5);
}

TEST_F(SchedulerOfOneSide, SamplesAreAsLongAsTheBudgetAllows) {
  const auto rich = session(600), poor = session(1);
  rich->scheduler().measure(rich->rows(), 1);
  const double long_s = program_.budgets_s.back();
  poor->scheduler().measure(poor->rows(), 1);
  EXPECT_EQ(long_s, 1.0);
  EXPECT_EQ(program_.budgets_s.back(), 0.05);
}

}  // namespace
}  // namespace ratchet::gate
