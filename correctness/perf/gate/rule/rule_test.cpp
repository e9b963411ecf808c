// The decision rule on numbers, sentence by sentence of perf/gate/README.md; what needs runs of the
// program is in gate_test.cpp.

#include "perf/gate/rule/rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/support/error.h"

namespace ratchet::gate {
namespace {

/// Nine launches around `centre`, 0.1 % apart.
std::vector<double> launches(double centre, std::size_t count = 9) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(centre *
                     (1 + 0.001 * (static_cast<double>(i) - static_cast<double>(count - 1) / 2)));
  return values;
}

/// Judged at an analysis of a run of `rows` rows.
Decision decide(const std::vector<double>& baseline, const std::vector<double>& current,
                double tolerance, std::size_t rows) {
  return decide_stored(baseline, current, tolerance, stats::plan_stored(9, rows).front());
}

TEST(RuleOnNumbers, S05EstimateIsTheMedianRatio) {
  EXPECT_DOUBLE_EQ(decide({1, 2}, {2, 8}, 0.03, 1).ratio, std::sqrt(8.0));
}

TEST(RuleOnNumbers, S06SlowerAndFasterNeedTheWholeInterval) {
  EXPECT_EQ(decide(launches(1), launches(0.95), 0.03, 20).verdict, Verdict::slower);
  EXPECT_EQ(decide(launches(1), launches(1.05), 0.03, 20).verdict, Verdict::faster);
  // 3.2 % down with an interval of +-0.7 %: its upper end reaches into the tolerance.
  const Decision near = decide(launches(1), launches(0.968), 0.03, 20);
  EXPECT_LT(near.ratio, 0.97);
  EXPECT_GT(near.simultaneous->high, 0.97);
  EXPECT_EQ(near.verdict, Verdict::undecided);
  EXPECT_HAS(to_string(near.reason), "the estimate is slower");
}

TEST(RuleOnNumbers, S07SimultaneousIntervalIsCorrectedForRowsAndAnalyses) {
  // 20 rows, 3 analyses: 0.01 / 60 a side; with nine launches P(U <= 3) = 7 / 48620 = 1.44e-4.
  const Decision decision = decide(launches(1), launches(1), 0.03, 20);
  EXPECT_DOUBLE_EQ(decision.simultaneous->error, 7.0 / 48620);
  // One row: 0.01 / 3 a side: narrower.
  const Decision alone = decide(launches(1), launches(1), 0.03, 1);
  EXPECT_LT(alone.simultaneous->high, decision.simultaneous->high);
  // 200 rows: nine launches cannot speak, and the gate says how many could.
  const Decision many = decide(launches(1), launches(0.5), 0.03, 200);
  EXPECT_FALSE(many.simultaneous);
  EXPECT_EQ(many.verdict, Verdict::undecided);
  EXPECT_HAS(to_string(many.reason),
             "at least 10 are needed");  // 1 / C(19, 9) = 1.1e-5 < 0.01 / 600
  // Against one stored launch 299 could, for 1 / 300 = 0.01 / 3: the baseline needs more.
  const Decision bare = decide({1}, launches(0.5), 0.03, 1);
  EXPECT_FALSE(bare.simultaneous);
  EXPECT_EQ(to_string(bare.reason),
            "the baseline has only 1 launch, too few to compare with; accept more");
}

TEST(RuleOnNumbers, S07UnchangedCodeRarelyAlarms) {
  // 1000 runs of 20 rows whose launches differ by 3 %, as much as the tolerance, at all three
  // analyses: at most 1 % may alarm.
  std::mt19937_64 generator(5);
  std::normal_distribution<> noise(0, 0.03);
  const auto draw = [&](std::size_t n) {
    std::vector<double> values(n);
    for (double& value : values) value = std::exp(noise(generator));
    return values;
  };
  int alarms = 0;
  for (int run = 0; run < 1000; ++run) {
    bool alarm = false;
    for (int row = 0; row < 20; ++row) {
      const auto baseline = draw(9);
      auto current = draw(9);
      for (int analysis = 0; analysis < 3; ++analysis) {
        const Verdict verdict = decide(baseline, current, 1e-9, 20).verdict;
        alarm = alarm || verdict == Verdict::slower;
        const auto more = draw(5);
        current.insert(current.end(), more.begin(), more.end());
      }
    }
    alarms += alarm;
  }
  EXPECT_LE(alarms, 20);  // 10 expected at most; 20 is three standard deviations above
}

TEST(RuleOnNumbers, S08SameNeedsThePlainIntervalInsideTheTolerance) {
  const Decision inside = decide(launches(1), launches(0.99), 0.03, 20);
  EXPECT_EQ(inside.verdict, Verdict::same);
  EXPECT_LE(inside.per_comparison->error, 0.05 / 3);
  EXPECT_GT(inside.per_comparison->error, 0.0125);
  // The same launches under a tolerance that the interval crosses.
  EXPECT_EQ(decide(launches(1), launches(0.99), 0.012, 20).verdict, Verdict::undecided);
}

TEST(RuleOnNumbers, S09EverythingElseIsUndecided) {
  EXPECT_EQ(decide({1, 1.2, 0.8, 1.1}, {1.1, 0.9, 1.3, 0.7}, 0.03, 5).verdict, Verdict::undecided);
  EXPECT_EQ(decide(launches(1, 2), launches(0.5, 9), 0.03, 5).verdict, Verdict::undecided);
}

std::vector<RowReport> reports(std::initializer_list<Verdict> verdicts) {
  std::vector<RowReport> all;
  for (const Verdict verdict : verdicts) {
    all.emplace_back();
    all.back().name = "demo/cpu/0" + std::to_string(all.size()) + "_x";
    all.back().verdict = verdict;
  }
  return all;
}

TEST(RuleOnNumbers, S16ExitCodes) {
  using enum Verdict;
  EXPECT_EQ(exit_code(reports({same, faster}), {.strict = true}), ExitCode::pass);
  EXPECT_EQ(exit_code(reports({same, failed, undecided, slower}), {}), ExitCode::regression);
  for (const Verdict verdict : {failed, unverified, missing, changed}) {
    EXPECT_EQ(exit_code(reports({same, undecided, verdict}), {}), ExitCode::failed);
    EXPECT_EQ(exit_code(reports({same, undecided, verdict}), {.strict = true}), ExitCode::failed);
  }
  for (const Verdict verdict : {undecided, added, uncompared}) {
    EXPECT_EQ(exit_code(reports({verdict}), {}), ExitCode::pass);
    EXPECT_EQ(exit_code(reports({same, verdict}), {}), ExitCode::pass);
    EXPECT_EQ(exit_code(reports({same, verdict}), {.strict = true}), ExitCode::undecided);
  }
  EXPECT_EQ(exit_code(reports({same, added}), {.strict = true, .allow_new = true}), ExitCode::pass);
  EXPECT_EQ(exit_code(reports({undecided}), {.strict = true, .undecided_passes = true}),
            ExitCode::pass);
  EXPECT_EQ(exit_code(reports({undecided}), {.undecided_passes = false}), ExitCode::undecided);
  EXPECT_EQ(exit_code(reports({same, unavailable}), {.strict = true}), ExitCode::pass);
  EXPECT_EQ(exit_code(reports({unavailable}), {}), ExitCode::nothing_ran);
  EXPECT_EQ(exit_code({}, {}), ExitCode::nothing_ran);
}

TEST(RuleOnNumbers, S17WhatTheIntervalOfTheseLaunchesHidesIsNotDetectable) {
  // Two pairs of eleven were disturbed, so that the robust spread of all is small.
  std::vector<double> logs = {-0.5, -0.02, -0.01, -0.01, 0, 0, 0, 0.01, 0.01, 0.02, 0.6};
  const stats::Analysis analysis = {11, 0.001, 0.05};
  const Decision found = decide_pairs({logs, {}}, 0.01, analysis);
  ASSERT_TRUE(found.simultaneous);
  ASSERT_GT(found.detectable, 0.1);
  const auto moved_by = [&](double slowdown) {
    std::vector<double> moved = logs;
    for (double& log : moved) log += std::log1p(-slowdown);
    return decide_pairs({moved, {}}, 0.01, analysis).verdict;
  };
  EXPECT_EQ(moved_by(found.detectable + 0.01), Verdict::slower);
  EXPECT_EQ(moved_by(found.detectable - 0.01), Verdict::undecided);
  // Pairs that were disturbed on one side hide changes to the other alone; a row shows no effect as
  // detectable that is smaller than what its interval leaves possible.
  for (double& log : logs) log = -log;
  for (std::vector<double> one_sided : {logs, std::vector<double>{-0.5, -0.4, -0.3, -0.01, -0.01, 0,
                                                                  0, 0.005, 0.005, 0.01, 0.01}}) {
    const Decision decision = decide_pairs({one_sided, {}}, 0.01, analysis);
    ASSERT_TRUE(decision.simultaneous);
    EXPECT_GE(decision.detectable, 1 - decision.simultaneous->low);
  }
}

TEST(RuleOnNumbers, TooFewPairsForAnIntervalAreTheReason) {
  // 2^-4 is above 0.05, 2^-5 is not; slower and faster would take more.
  const Decision few = decide_pairs({{-0.1, -0.1, -0.1}, {}}, 0.01, {5, 0.005, 0.05});
  EXPECT_EQ(few.verdict, Verdict::undecided);
  EXPECT_FALSE(few.per_comparison || few.simultaneous);
  EXPECT_EQ(to_string(few.reason), "3 pairs are too few for an interval, at least 5 are needed");
  const Decision wide = decide_pairs({std::vector<double>(5, -0.1), {}}, 0.01, {5, 0.005, 0.05});
  EXPECT_TRUE(wide.per_comparison);
  EXPECT_EQ(to_string(wide.reason), "5 pairs are too few to call it slower, at least 8 are needed");
  const Decision screened = decide_pairs({std::vector<double>(5, -0.1), {}}, 0.01, {5, 0, 0.05});
  EXPECT_EQ(to_string(screened.reason), "5 pairs are too few to call it slower");
  // S17: where nothing is called slower, no slowdown is detectable.
  EXPECT_TRUE(std::isinf(screened.detectable));
  EXPECT_TRUE(std::isinf(wide.detectable));
  const Decision enough = decide_pairs({std::vector<double>(8, -0.1), {}}, 0.01, {8, 0.005, 0.05});
  EXPECT_TRUE(std::isfinite(enough.detectable));
}

TEST(RuleOnNumbers, S16ALossIsTwoUnlessARowIsSlower) {
  using enum Verdict;
  const auto lost = [](std::initializer_list<Verdict> verdicts) {
    Ending ending(reports(verdicts));
    ending.loss = true;
    return exit_code(ending, {});
  };
  EXPECT_EQ(lost({same}), ExitCode::failed);
  EXPECT_EQ(lost({undecided}), ExitCode::failed);
  EXPECT_EQ(lost({unavailable}), ExitCode::failed);
  EXPECT_EQ(lost({failed, slower}), ExitCode::regression);
}

TEST(RuleOnNumbers, S42LostNodesAreThreeUnderStrictWhereTheRowsPass) {
  using enum Verdict;
  const auto partial = [](std::initializer_list<Verdict> verdicts, const Policy& policy) {
    Ending ending(reports(verdicts));
    ending.nodes_lost = true;
    return exit_code(ending, policy);
  };
  EXPECT_EQ(partial({same}, {}), ExitCode::pass);
  EXPECT_EQ(partial({same}, {.strict = true}), ExitCode::undecided);
  EXPECT_EQ(partial({slower}, {.strict = true}), ExitCode::regression);
  EXPECT_EQ(partial({failed}, {.strict = true}), ExitCode::failed);
}

TEST(RuleOnNumbers, S17DetectableSlowdownIsDetectedNineTimesInTen) {
  std::mt19937_64 generator(9);
  std::normal_distribution<> noise(0, 0.01);
  const auto draw = [&](double centre) {
    std::vector<double> values(9);
    for (double& value : values) value = centre * std::exp(noise(generator));
    return values;
  };
  double shown = 0;
  for (int run = 0; run < 200; ++run) shown += decide(draw(1), draw(1), 0.03, 20).detectable / 200;
  EXPECT_GT(shown, 0.03);
  int slower = 0;
  for (int run = 0; run < 1000; ++run)
    slower += decide(draw(1), draw(1 - shown), 0.03, 20).verdict == Verdict::slower;
  EXPECT_NEAR(slower / 1000.0, 0.9, 0.05);
}

}  // namespace

// What a command line says of tolerances.

namespace {

std::string refusal(const std::string& text) {
  return error_of([&] { read_tolerance(text); });
}

TEST(Tolerances, AreOfEveryRowOrOfThoseThatAFilterSelects) {
  EXPECT_EQ(read_tolerance("0.03").rows, "");
  EXPECT_EQ(read_tolerance("0.03").share, 0.03);
  EXPECT_EQ(read_tolerance("1e-3").share, 0.001);
  EXPECT_EQ(read_tolerance("Dot=0.1").rows, "Dot");
  EXPECT_EQ(read_tolerance("BM_f<a=1>/64=0.1").rows, "BM_f<a=1>/64") << "the last '='";
  EXPECT_EQ(read_tolerance("BM_f<a=1>/64=0.1").share, 0.1);
  for (const char* bad : {"", "=", "=0.1", "0", "1", "-0.1", "nan", "inf", "3%", "0.03 ",
                          "Dot=", "Dot=much", "Dot", "0x1", "0.00001"})
    EXPECT_NE(refusal(bad).find("\"" + std::string(bad) + "\" is neither a share"),
              std::string::npos)
        << bad;
}

TEST(Tolerances, ANameOfAnotherRowIsNotPartOfALongerOne) {
  const std::set<RowId> rows = {"b/BM_Mul/160", "b/BM_FindAll", "b/BM_Parse/small"};
  for (const char* other : {"b/BM_Mul/16", "BM_Mul/16", "b/BM_Find"})
    EXPECT_HAS(error_of([&] {
                 tolerances_for({{other, 0.5}}, rows);
               }),
               "no row of this run")
        << other;
  for (const char* named :
       {"b/BM_Parse", "BM_Parse/small", "Parse", "Find", "^b/BM_Mul/16", "-all|Find"})
    EXPECT_FALSE(tolerances_for({{named, 0.5}}, rows).empty()) << named;
  const std::set<RowId> two = {"b/map", "b/map_put", "b/map/8"};
  EXPECT_EQ(tolerances_for({{"map", 0.5}}, two),
            (std::map<RowId, double>{{"b/map", 0.5}, {"b/map/8", 0.5}}));
  EXPECT_EQ(tolerances_for({{"ma", 0.5}}, two).size(), 3u);
}

TEST(Tolerances, TheLastThatSelectsARowCounts) {
  const std::set<RowId> rows = {"Add", "Dot", "DotBig"};
  using Expected = std::map<RowId, double>;
  EXPECT_EQ(tolerances_for({}, rows), Expected());
  EXPECT_EQ(tolerances_for({{"Dot", 0.1}}, rows), (Expected{{"Dot", 0.1}})) << "a whole name";
  EXPECT_EQ(tolerances_for({{"", 0.02}, {"Do", 0.1}, {"Dot", 0.3}}, rows),
            (Expected{{"Add", 0.02}, {"Dot", 0.3}, {"DotBig", 0.1}}));
  EXPECT_EQ(tolerances_for({{"Dot", 0.3}, {"", 0.02}}, rows),
            (Expected{{"Add", 0.02}, {"Dot", 0.02}, {"DotBig", 0.02}}));
  EXPECT_EQ(tolerances_for({{"-Dot", 0.1}}, rows), (Expected{{"Add", 0.1}, {"DotBig", 0.1}}));
  EXPECT_THROW(tolerances_for({{"Sub", 0.1}}, rows), Error);
  EXPECT_THROW(tolerances_for({{"(", 0.1}}, rows), Error);
  EXPECT_EQ(tolerances_for({{"Sub", 0.1}}, {}), Expected()) << "nothing runs here at all";
}

}  // namespace

}  // namespace ratchet::gate
