// What a run launches next, and when it stops.

#include "perf/gate/run/scheduler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "correctness/perf/support/fake_program.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/run/pair_analyses.h"
#include "perf/gate/run/quiet_cpu.h"
#include "perf/gate/run/run.h"
#include "perf/gate/run/run_options.h"
#include "perf/support/clock.h"
#include "perf/support/terminal.h"

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
  std::unique_ptr<gate::Run> new_run(double budget_s, double sample_s = 0) {
    RunOptions options;
    options.budget_s = budget_s;
    options.sample_s = sample_s;
    return std::make_unique<gate::Run>(std::vector<Side>{{"", &program_}}, options,
                                       [this](const std::string& line) { said_ += line + "\n"; });
  }
  FakeProgram program_{1};
  std::string said_;
};

TEST(RoundsLeft, AreBetweenThePlannedOnesAndTheBudget) {
  const auto left = [](const RoundsToCome& rounds) {
    const RoundsLeft found = rounds_left(rounds);
    return std::pair(found.least_s, found.most_s);
  };
  // Rows that stay undecided get more launches while the budget lasts: no 20 s, and then minutes.
  EXPECT_EQ(left({4, 0, 5, 5, 100, 100}), std::pair(20.0, 105.0));
  EXPECT_EQ(left({4, 0, 5, 9, 100, 120}), std::pair(20.0, 129.0)) << "the fastest, the slowest";
  EXPECT_EQ(left({0, 0, 5, 5, 100, 100}), std::pair(0.0, 105.0));
  EXPECT_EQ(left({8, 0, 50, 60, 100, 100}), std::pair(40.0, 160.0));  // ends within a round
  EXPECT_EQ(left({8, 2, 50, 60, -3, -3}), std::pair(100.0, 120.0));   // made in any case
  EXPECT_EQ(left({8, 2, 0, 60, 100, 100}), std::pair(0.0, 160.0)) << "rounds may get faster";
}

/// What a program shows while it runs, at once: nothing waits for seconds of silence.
class Shown {
 public:
  explicit Shown(std::size_t beat_at) : beat_at_(beat_at) {}
  /// To be called at each launch; looks at the one with this number, from 1.
  void launched() {
    if (++launches_ != beat_at_) return;
    late_s_ = 100;
    display_.beat();
  }
  std::string text() {
    std::cerr.flush();
    return testing::internal::GetCapturedStderr();
  }

 private:
  struct Capture {
    Capture() { testing::internal::CaptureStderr(); }
  } capture_;
  std::size_t beat_at_, launches_ = 0;
  double late_s_ = 0;
  ProgressDisplay display_{[this] { return seconds_now() + late_s_; }};
};

TEST_F(SchedulerOfOneSide, WhereEachRowIsLaunchedOnceTheRowsSoFarAreTheBoundAndNotTheBudget) {
  program_.rows = {};
  for (int i = 0; i < 6; ++i) program_.rows[fmt::format("demo/cpu/0{}_a", i)] = {};
  const auto bound = [&](Afterwards afterwards) {
    Shown shown(5);
    program_.weather = [&] {
      shown.launched();
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      return 1.0;
    };
    const auto made = new_run(3000);
    made->scheduler().measure(made->rows(), 1, 1, afterwards);
    return shown.text();
  };
  // The look is 100 s late: of a bound within it nothing is left.
  EXPECT_HAS(bound(Afterwards::nothing), "4 of 6 rows launched once, about to end");
  EXPECT_HAS(bound(Afterwards::more_launches), "4 of 6 rows launched once, at most 4");
}

TEST_F(SchedulerOfOneSide, WhatWasSaidOfRoundsIsNotSaidOfWhatFollows) {
  Shown shown(13);
  program_.weather = [&] {
    shown.launched();
    return 1.0;
  };
  const auto made = new_run(60);
  made->scheduler().measure(made->rows(), 4);
  made->scheduler().measure_short(made->rows(), 1, 0.05, 0.1);
  const std::string text = shown.text();
  EXPECT_HAS(text, "ratchet: launching 3 rows briefly (");
}

TEST_F(SchedulerOfOneSide, S02RowsAreLaunchedForwardsAndBackwards) {
  const auto made = new_run(60);
  made->scheduler().measure(made->rows(), 4);
  EXPECT_EQ(order(), "abccbaabccba");
}

TEST_F(SchedulerOfOneSide, StopsWhenTheBudgetIsOverButNotBeforeTheLeastRounds) {
  const auto made = new_run(0);
  made->scheduler().measure(made->rows(), 9, 2);
  EXPECT_EQ(order(), "abccba");
  EXPECT_HAS(said_, " does not hold 2 launches of each row, which are made in any case, about ");
  made->scheduler().measure_row("demo/cpu/01_a", 3);  // never beyond it
  EXPECT_EQ(order(), "abccba");
}

TEST_F(SchedulerOfOneSide, TheFirstRowsTellThatTheBudgetIsShorterThanTheLeast) {
  program_.rows = {};
  for (const char* row : {"demo/cpu/01_a", "demo/cpu/02_b", "demo/cpu/03_c", "demo/cpu/04_d",
                          "demo/cpu/05_e", "demo/cpu/06_f"})
    program_.rows[row] = {};
  std::string at_fourth;
  program_.weather = [&] {
    if (order().size() == 5) at_fourth = said_;  // the fifth is being launched
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    return 1.0;
  };
  const auto made = new_run(0.8);
  made->scheduler().measure(made->rows(), 1, 1);
  EXPECT_HAS(
      at_fourth,
      " does not hold 1 launch of each row, which is made in any case; judging by the first ");
  EXPECT_HAS(at_fourth, " of 6 rows ");
  EXPECT_EQ(said_.find("does not hold"), said_.rfind("does not hold")) << "once: " << said_;
}

TEST_F(SchedulerOfOneSide, TheLastRoundFitsIntoTheBudget) {
  program_.rows = {{"demo/cpu/01_a", {}}};
  program_.weather = [] {  // a launch takes 0.1 s at least
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return 1.0;
  };
  const auto made = new_run(0.25);
  made->scheduler().measure(made->rows(), 9, 1);
  EXPECT_LE(order().size(), 2u) << "a third would end at 0.3 s";
}

TEST(PairAnalysesTest, ARowThatTheBudgetLeavesOpenKeepsTheIntervalOfItsLastAnalysis) {
  FakeProgram before(1), now(2);
  before.rows["demo/cpu/01_a"] = {};
  now.rows["demo/cpu/01_a"].speed = 0.9e6;
  now.weather = [] {  // so that the second analysis is far beyond the budget
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return 1.0;
  };
  RunOptions options;
  options.budget_s = 60;
  gate::Run run({{"base", &before}, {"new", &now}}, options, [](const std::string&) {});
  const auto facts_at = [&](const std::string& row, const stats::Analysis& analysis) {
    return facts_of(run.ledger().measured(0).rows.at(row), run.ledger().measured(1).rows.at(row),
                    Comparison::paired, 0.01, analysis);
  };
  const auto known = PairAnalyses(
                         run, run.rows(), {{5, 0, 0.04}, {100'000, 1e-4, 1e-4}},
                         [](const std::string&) { return 0.01; }, facts_at)
                         .settle();
  const Facts& facts = known.at("demo/cpu/01_a");
  EXPECT_EQ(judge(facts).verdict, Verdict::undecided) << "the screening calls nothing slower";
  ASSERT_TRUE(facts.by_launches && facts.by_launches->per_comparison);
  EXPECT_LT(facts.by_launches->per_comparison->high, 0.99);
  EXPECT_EQ(to_string(judge(facts).reason),
            "5 pairs are too few to call it slower, at least 14 are needed")
      << "2^-14 is below 1e-4, the error of the next analysis";
}

TEST(PairAnalysesTest, WhereNoAnalysisGaveAnIntervalTheFewestPairsOfOneAreNamed) {
  FakeProgram before(1), now(2);
  before.rows["demo/cpu/01_a"] = now.rows["demo/cpu/01_a"] = {};
  now.contended["demo/cpu/01_a"] = [n = 0]() mutable { return ++n > 3; };  // three pairs stay
  gate::Run run({{"base", &before}, {"new", &now}}, {}, [](const std::string&) {});
  const auto facts_at = [&](const std::string& row, const stats::Analysis& analysis) {
    return facts_of(run.ledger().measured(0).rows.at(row), run.ledger().measured(1).rows.at(row),
                    Comparison::paired, 0.01, analysis);
  };
  const auto known = PairAnalyses(
                         run, run.rows(), {{5, 0, 0.04}, {9, 0.002, 0.002}, {18, 0.002, 0.002}},
                         [](const std::string&) { return 0.01; }, facts_at)
                         .settle();
  EXPECT_EQ(to_string(judge(known.at("demo/cpu/01_a")).reason),
            "3 pairs are too few for an interval, at least 5 are needed");
}

/// What a run of pairs shows while it makes the pair with this number; the first `slow` take 0.3 s.
std::string shown_at_pair(std::size_t number, std::size_t slow,
                          const std::vector<stats::Analysis>& analyses) {
  struct Enough {};
  Shown shown(number);
  FakeProgram before(1), now(2);
  before.rows["demo/cpu/01_a"] = {};
  now.rows["demo/cpu/01_a"].speed = 0.9e6;
  std::size_t launches = 0;
  now.weather = [&] {
    shown.launched();
    if (++launches == number) throw Enough();
    std::this_thread::sleep_for(std::chrono::milliseconds(launches <= slow ? 300 : 0));
    return 1.0;
  };
  RunOptions options;
  options.budget_s = 3000;
  gate::Run run({{"base", &before}, {"new", &now}}, options, [](const std::string&) {});
  const auto facts_at = [&](const std::string& row, const stats::Analysis& analysis) {
    return facts_of(run.ledger().measured(0).rows.at(row), run.ledger().measured(1).rows.at(row),
                    Comparison::paired, 0.01, analysis);
  };
  PairAnalyses pairs(
      run, run.rows(), analyses, [](const std::string&) { return 0.01; }, facts_at);
  EXPECT_THROW(pairs.measure(), Enough);
  return shown.text();
}

TEST(PairAnalysesTest, TheLeastOfTheTimeLeftIsThatOfItsFastestPairs) {
  EXPECT_HAS(shown_at_pair(2, 9, {{2000, 0, 0.04}}), "1 row is undecided, at most 4")
      << "the first pair is often the slowest";
  const std::vector<stats::Analysis> two = {{3, 0, 0.04}, {2000, 1e-4, 1e-4}};
  EXPECT_HAS(shown_at_pair(4, 9, two), "1 row is undecided, 8 min ");  // 1997 of 0.3 s, less 100 s
  EXPECT_HAS(shown_at_pair(4, 2, two), "1 row is undecided, at most 4");
}

TEST(PairBudget, WhereNoNextAnalysisFitsItComesEarlier) {
  std::vector<std::size_t> pairs;
  for (const stats::Analysis& each : earlier(stats::plan_pairs(1))) pairs.push_back(each.launches);
  EXPECT_EQ(pairs, (std::vector<std::size_t>{5, 9, 14, 27, 54, 108}));
}

TEST_F(SchedulerOfOneSide, ARowThatFailsIsLeftOutOfTheNextRounds) {
  program_.rows["demo/cpu/02_b"].fails = "killed by signal 9";
  const auto made = new_run(60);
  made->scheduler().measure(made->rows(), 3);
  EXPECT_EQ(order(), "abccaac");
  EXPECT_EQ(made->ledger().alive().count("demo/cpu/02_b"), 0u);
}

TEST_F(SchedulerOfOneSide, ShortLaunchesTakeOneRoundInAnyCaseAndLeaveThePlanAsItWas) {
  const auto made = new_run(0, 0.5);
  made->scheduler().measure_short(made->rows(), 3, 0.05, 0.1);
  EXPECT_EQ(order(), "abc");
  EXPECT_EQ(program_.processes.size(), 1u) << "nothing is decided by their time";
  EXPECT_EQ(program_.budgets_s, std::vector<double>{0.05});
  EXPECT_EQ(made->launcher().samples().alone, 0.5);
}

TEST(SchedulerOfTwoSides, OneLongCallDoesNotMakeShortLaunchesOfOtherRowsLong) {
  FakeProgram before(1), now(2);
  for (FakeProgram* program : {&before, &now}) {
    program->rows["demo/cpu/01_a"] = {};
    program->rows["demo/cpu/02_b"].units = 1e5;  // 0.1 s a call
  }
  RunOptions options;
  options.budget_s = 60;
  gate::Run run({{"base", &before}, {"new", &now}}, options, [](const std::string&) {});
  run.scheduler().measure_short(run.rows(), 3, 0.05, 0.5);
  EXPECT_EQ(now.budgets_s, std::vector<double>(3, 0.05));
  EXPECT_EQ(before.budgets_s, std::vector<double>(3, 0.05));
}

TEST_F(SchedulerOfOneSide, SamplesAreAsLongAsTheBudgetAllows) {
  const auto rich = new_run(600), poor = new_run(1);
  rich->scheduler().measure(rich->rows(), 1);
  const double long_s = program_.budgets_s.back();
  poor->scheduler().measure(poor->rows(), 1);
  EXPECT_EQ(long_s, 1.0);
  EXPECT_EQ(program_.budgets_s.back(), 0.05);
}

}  // namespace

// The rows of a run whose command line names none.

namespace {

using Rows = std::set<RowId>;

const std::string kOne = "graveler/cpu/12_aes_weyl", kRanked = "graveler/mpi/01_shards/ranks:2";

Rows selected(const std::string& filter, const std::string& backend) {
  Listing listing;
  listing.rows = {kOne, kRanked};
  return Selection({listing}, {filter, backend}).rows();
}

TEST(Selection, RowsOfSeveralProcessesAreMeasuredWhereTheyAreAskedFor) {
  EXPECT_EQ(selected("", ""), Rows{kOne});
  EXPECT_EQ(selected("^graveler/", ""), Rows{kOne});
  EXPECT_EQ(selected("", "mpi"), Rows{kRanked});
  EXPECT_EQ(selected("graveler", "mpi"), Rows{kRanked});
  EXPECT_EQ(selected("/mpi/", ""), Rows{kRanked});
  EXPECT_EQ(selected("graveler/(cpu|mpi)", ""), (Rows{kOne, kRanked}));
  EXPECT_EQ(selected("", "cpu"), Rows{kOne});
}

TEST(Selection, AnotherProgramMayCallItsRowsAsItLikes) {
  Listing listing;
  listing.name = "bench";
  listing.rows = {"bench/send/mpi/64"};
  EXPECT_EQ(Selection({listing}, {"", ""}).rows(), Rows{"bench/send/mpi/64"});
}

}  // namespace

namespace {

TEST(QuietCpu, S24GoesWhereOthersAreNot) {
  QuietCpu cpu({0, 1});
  EXPECT_EQ(cpu.pick({{0, 5.0}, {1, 5.0}}, 0, 0), 1);
  // CPU 1 was busy all second, but with our own worker.
  EXPECT_EQ(cpu.pick({{0, 5.0}, {1, 6.0}}, 1.0, 1), 1);
  // Now half of it is somebody else's.
  EXPECT_EQ(cpu.pick({{0, 5.0}, {1, 7.0}}, 1.5, 2), 0);
  // A difference too small to move for.
  EXPECT_EQ(cpu.pick({{0, 5.95}, {1, 7.0}}, 2.4, 3), 0);
  // The other one frees itself, ours fills.
  EXPECT_EQ(cpu.pick({{0, 6.95}, {1, 7.0}}, 2.5, 4), 1);
}

TEST(QuietCpu, WaitsUntilTheTicksCanTell) {
  QuietCpu cpu({0, 1});
  cpu.pick({{0, 5.0}, {1, 5.0}}, 0, 0);
  EXPECT_EQ(cpu.pick({{0, 5.0}, {1, 5.05}}, 0, 0.05), 1);
  EXPECT_EQ(cpu.pick({{0, 5.0}, {1, 5.2}}, 0, 0.2), 0);
  // A CPU that the file does not mention is never chosen.
  QuietCpu unknown({0, 1, 7});
  unknown.pick({{0, 1.0}, {1, 1.0}}, 0, 0);
  EXPECT_EQ(unknown.pick({{0, 1.0}, {1, 2.0}}, 0, 1), 0);
}

}  // namespace

// Which rows the rest of a budget goes to.

namespace {

const std::vector<stats::Analysis> analyses = {
    {5, 0, 0.03}, {12, 0.0002, 0.005}, {24, 0.0002, 0.005}, {48, 0.0002, 0.005}};

/// Pairs whose middle is `middle`, half of them on either side of it by `spread`.
OpenRow row(const std::string& name, double middle, double spread, double pair_s = 1) {
  OpenRow open{name, {}, 0.01, pair_s, 1};
  for (const double side : {-1.0, -0.5, 0.0, 0.5, 1.0})
    open.differences.push_back(middle + side * spread);
  return open;
}

TEST(PairBudget, TheQuietAreDecidedSoonAndTheWildNever) {
  EXPECT_EQ(likely_analysis(row("a", 0, 0.002), analyses), 1u);
  const auto later = likely_analysis(row("a", 0, 0.03), analyses);
  ASSERT_TRUE(later);
  EXPECT_GT(*later, 1u);
  EXPECT_FALSE(likely_analysis(row("a", 0, 0.2), analyses));
}

TEST(PairBudget, S50QuietCpuTimeOfThreadsMakesThemHopeful) {
  OpenRow threads = row("a", 0, 0.06);
  ASSERT_FALSE(likely_analysis(threads, analyses));
  threads.of_cpu_time = row("a", 0, 0.001).differences;
  EXPECT_EQ(likely_analysis(threads, analyses), 1u);
  threads.of_cpu_time = row("a", 0, 0.06).differences;
  EXPECT_FALSE(likely_analysis(threads, analyses)) << "it is as noisy";
  threads.of_cpu_time = row("a", 0, 0.001).differences;
  threads.differences = row("a", 0, 0.5).differences;
  EXPECT_FALSE(likely_analysis(threads, analyses)) << "wall time may lie anywhere";
}

TEST(PairBudget, WhatLiesAtTheEdgeOfTheToleranceIsHopeless) {
  EXPECT_EQ(likely_analysis(row("a", -0.02, 0.001), analyses), 1u);  // slower
  EXPECT_EQ(likely_analysis(row("a", 0.02, 0.001), analyses), 1u);   // faster
  OpenRow many = row("a", -0.0100, 0.002);
  while (many.differences.size() < 24)
    for (const double side : {-1.0, -0.5, 0.0, 0.5, 1.0})
      many.differences.push_back(-0.01 + side * 0.002);
  many.next_analysis = 3;
  EXPECT_FALSE(likely_analysis(many, analyses));
  EXPECT_EQ(likely_analysis(row("a", -0.0093, 0.002), analyses), 2u)
      << "few may lie there by chance";
}

TEST(PairBudget, TwoPairsTellNothing) {
  OpenRow two = row("a", 0, 0.001);
  two.differences.resize(2);
  EXPECT_FALSE(likely_analysis(two, analyses));
  two.next_analysis = 0;
  EXPECT_EQ(worth_measuring({two}, analyses, 3.5), "a");  // three pairs to the first analysis
  EXPECT_EQ(worth_measuring({two}, analyses, 2.5), std::nullopt);
}

TEST(PairBudget, HopelessRowsDoNotEatWhatSettlesOthers) {
  const OpenRow wild = row("wild", 0, 0.2, 0.1), quiet = row("quiet", 0, 0.002),
                slow = row("slow", 0, 0.002, 20);
  // Seven pairs are missing to the next analysis: 0.7, 7 and 140 s.
  EXPECT_EQ(worth_measuring({wild, quiet, slow}, analyses, 1000), "quiet");
  EXPECT_EQ(worth_measuring({wild, slow}, analyses, 1000), "slow");
  EXPECT_EQ(worth_measuring({wild, slow}, analyses, 20), "wild");  // what is left, is left
  EXPECT_EQ(worth_measuring({wild, slow}, analyses, 0.5), std::nullopt);
  EXPECT_EQ(worth_measuring({}, analyses, 100), std::nullopt);
}

TEST(PairBudget, ANextAnalysisInReachIsTakenWhereTheLikelyOneIsNot) {
  const OpenRow later = row("later", 0, 0.03);
  ASSERT_GT(*likely_analysis(later, analyses), 1u);
  EXPECT_EQ(worth_measuring({later}, analyses, 10), "later");  // seven pairs to the next
  EXPECT_EQ(worth_measuring({later}, analyses, 6), std::nullopt);
}

TEST(PairBudget, WhatLooksSlowerComesBeforeGains) {
  const OpenRow gain = row("gain", 0.2, 0.002, 1), loss = row("loss", -0.2, 0.002, 3);
  EXPECT_EQ(worth_measuring({gain, loss}, analyses, 100), "loss");
  EXPECT_EQ(worth_measuring({gain, loss}, analyses, 10), "gain");  // the other does not fit
}

TEST(PairBudget, TheCheapestComesFirst) {
  const OpenRow a = row("a", 0, 0.002, 3), b = row("b", 0, 0.002, 1), c = row("c", 0, 0.002, 2);
  EXPECT_EQ(worth_measuring({a, b, c}, analyses, 25), "b");
  EXPECT_EQ(worth_measuring({a, c}, analyses, 25), "c");
  OpenRow few = row("few", 0, 0.002, 4);  // unknown, three pairs from its analysis
  few.differences.resize(2);
  few.next_analysis = 0;
  EXPECT_EQ(worth_measuring({few, c}, analyses, 25), "few");
}

}  // namespace

}  // namespace ratchet::gate
