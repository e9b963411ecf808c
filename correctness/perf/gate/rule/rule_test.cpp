// The decision rule on numbers, sentence by sentence of perf/gate/README.md; what needs runs of the
// program is in gate_test.cpp.

#include "perf/gate/rule/rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <variant>
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

TEST(RuleOnNumbers, S30ContendedLaunchesAloneDecideNothing) {
  for (const Verdict verdict : {Verdict::same, Verdict::slower, Verdict::faster}) {
    Facts facts;
    facts.name = "demo/cpu/01_a";
    facts.by_launches.emplace().verdict = verdict;
    facts.contended = 3;
    EXPECT_EQ(judge(facts).verdict, verdict);
    facts.only_contended = true;
    EXPECT_EQ(judge(facts).verdict, Verdict::undecided);
  }
}

TEST(RuleOnNumbers, OfIdenticalWorkNoClockIsSaidToJudge) {
  Facts facts;
  facts.name = "demo/cpu/01_a";
  facts.waits = Waits{false, 0.4};
  const auto says_so = [&] {
    const auto remarks = judge(facts).remarks;
    return std::any_of(remarks.begin(), remarks.end(),
                       [](const Remark& remark) { return std::holds_alternative<Waits>(remark); });
  };
  EXPECT_TRUE(says_so());
  facts.same_work = true;
  EXPECT_FALSE(says_so());
}

TEST(RuleOnNumbers, AMovedRowWhoseCodeWasNotComparedSaysSo) {
  Facts facts;
  facts.name = "demo/cpu/01_a";
  facts.by_launches.emplace().verdict = Verdict::same;
  const auto says_so = [&] {
    const auto remarks = judge(facts).remarks;
    return std::any_of(remarks.begin(), remarks.end(), [](const Remark& remark) {
      return std::holds_alternative<NotFollowed>(remark);
    });
  };
  facts.not_followed = true;
  EXPECT_FALSE(says_so()) << "of what is the same nothing is explained";
  facts.by_launches->verdict = Verdict::slower;
  EXPECT_TRUE(says_so());
  facts.not_followed = false;
  EXPECT_FALSE(says_so());
}

/// Twelve launches of a row of several threads; call i takes these milliseconds of wall time, and
/// of CPU time.
Row row_of_threads(const std::function<double(int)>& wall_ms,
                   const std::function<double(int)>& cpu_ms) {
  Row row{"demo/cpu/01_a", std::vector<Launch>(12), {}};
  for (int i = 0; i < 12; ++i) {
    Launch& launch = row.launches[static_cast<std::size_t>(i)];
    launch.real_ms = wall_ms(i), launch.cpu_ms = cpu_ms(i);
    launch.counters = {
        {"units", 1}, {"units_per_second", 1e3 / wall_ms(i)}, {"timer", 3}, {"slices", 9}};
  }
  return row;
}

TEST(RuleOnNumbers, S50CpuTimeDecidesWhatWallTimeOfThreadsLeavesOpen) {
  const stats::Analysis analysis{12, 0.0005, 0.03};
  const Row before = row_of_threads([](int) { return 40.0; }, [](int) { return 150.0; });
  // Pair by pair wall time lies up to `scatter` on either side of `wall` times that of before.
  const auto judged_with = [&](double wall, double scatter, double cpu) {
    const auto side = [](int i) { return (i - 5.5) / 5.5; };
    return judge(
        facts_of(before,
                 row_of_threads([&](int i) { return 40 * wall * (1 + scatter * side(i)); },
                                [&](int i) { return 150 * cpu * (1 + 0.001 * side(7 * i % 12)); }),
                 Comparison::paired, 0.01, analysis));
  };
  const auto said = [](const Judgement& made) {
    for (const Remark& remark : made.remarks)
      if (std::holds_alternative<ByCpuTime>(remark)) return to_string(remark);
    return std::string();
  };
  const Judgement same = judged_with(1, 0.04, 1);
  EXPECT_EQ(same.verdict, Verdict::same);
  EXPECT_HAS(said(same), "by the CPU time of all threads; by wall time the change is -");
  EXPECT_GT(same.decision->per_comparison->low, 0.999) << "that of CPU time is shown";
  EXPECT_EQ(judged_with(1, 0.3, 1).verdict, Verdict::undecided) << "beyond five tolerances";
  const Judgement slower = judged_with(1.03, 0.04, 1.03);
  EXPECT_EQ(slower.verdict, Verdict::slower);
  EXPECT_HAS(said(slower), "by the CPU time");
  EXPECT_EQ(judged_with(0.98, 0.06, 1.03).verdict, Verdict::undecided) << "wall time is shorter";
  EXPECT_EQ(judged_with(0.97, 0.04, 0.97).verdict, Verdict::faster);
  EXPECT_EQ(judged_with(1.02, 0.06, 0.97).verdict, Verdict::undecided);
  const Judgement by_wall = judged_with(1.1, 0.001, 1);
  EXPECT_EQ(by_wall.verdict, Verdict::slower) << "threads that wait for each other";
  EXPECT_EQ(said(by_wall), "");
}

TEST(RuleOnNumbers, S50CpuTimeCountsOnlyWhereItIsThatOfAllThreads) {
  const auto by_cpu_time = [](const std::function<void(Row&)>& change, Comparison comparison) {
    Row row = row_of_threads([](int i) { return 40.0 + i; }, [](int) { return 150.0; });
    change(row);
    return facts_of(row, row, comparison, 0.01, {12, 0.0005, 0.03}).by_cpu_time.has_value();
  };
  const auto nothing = [](Row&) {};
  EXPECT_TRUE(by_cpu_time(nothing, Comparison::paired));
  EXPECT_FALSE(by_cpu_time(nothing, Comparison::stored));
  EXPECT_FALSE(by_cpu_time([](Row& row) { row.basis = "real_time"; }, Comparison::paired));
  EXPECT_FALSE(
      by_cpu_time([](Row& row) { row.launches[3].counters["one_cpu"] = 1; }, Comparison::paired));
  EXPECT_FALSE(by_cpu_time([](Row& row) { row.launches[3].cpu_ms = 0; }, Comparison::paired));
  EXPECT_FALSE(by_cpu_time([](Row& row) { row.name = "demo/cuda/01_a"; }, Comparison::paired));
}

TEST(RuleOnNumbers, S48LaunchesOfTwoSpeedsAreNamed) {
  const auto row = [](std::size_t slow, double speed) {
    Row row;
    row.name = "demo/cpu/01_a";
    row.launches.resize(20);
    for (std::size_t i = 0; i < row.launches.size(); ++i)
      row.launches[i].counters = {
          {counter::units_per_second,
           1e6 * (i < slow ? speed : 1) * (1 + 1e-5 * static_cast<double>(i % 5))}};
    return row;
  };
  const auto remarks = [&](const Row& before, const Row& now) {
    return texts(judge(facts_of(before, now, Comparison::paired, 0.01, {20, 0.005, 0.05})).remarks);
  };
  const Row plain = row(0, 1), two = row(6, 0.9), near = row(6, 0.995);
  EXPECT_EQ(remarks(plain, plain), std::vector<std::string>());
  EXPECT_EQ(remarks(plain, near), std::vector<std::string>()) << "within the tolerance";
  EXPECT_EQ(remarks(plain, two),
            std::vector<std::string>{
                "two modes: 900 k units/s in 6 launches, 1.00 M units/s in 14 launches"});
  EXPECT_EQ(remarks(two, two).front(),
            "two modes before: 900 k units/s in 6 launches, 1.00 M units/s in 14 launches");
}

/// A row of a GPU of 1 ms a call, whose kernels' span is so long.
Row on_gpu(double span_ms, bool cold = false) {
  Row row;
  row.name = "demo/cuda/01_a";
  row.launches.resize(9);
  for (Launch& launch : row.launches) {
    launch.real_ms = 1;
    launch.counters = {{counter::units_per_second, 1e6},
                       {counter::units, 1000},
                       {counter::samples, 30},
                       {counter::kernels, 2},
                       {counter::span_ms, span_ms}};
    if (cold) launch.counters[counter::cold] = 1;
  }
  return row;
}

Judgement judgement_of(const Row& before, const Row& now,
                       Comparison comparison = Comparison::paired) {
  return judge(facts_of(before, now, comparison, 0.01, {9, 0.005, 0.05}));
}

TEST(RuleOnNumbers, S12ColdAndWarmRowsAreNotCompared) {
  const Row warm = on_gpu(1), cold = on_gpu(1, true);
  EXPECT_EQ(judgement_of(cold, cold).verdict, Verdict::same);
  for (const Comparison how : {Comparison::paired, Comparison::stored}) {
    EXPECT_EQ(judgement_of(warm, cold, how).verdict, Verdict::changed);
    EXPECT_EQ(to_string(judgement_of(warm, cold, how).reason),
              "samples begin with a cold L2 cache, in the baseline with a warm one");
    EXPECT_EQ(to_string(judgement_of(cold, warm, how).reason),
              "samples begin with a warm L2 cache, in the baseline with a cold one");
  }
  // Two rows of one build are compared by request.
  EXPECT_EQ(judgement_of(warm, cold, Comparison::rows).verdict, Verdict::same);
}

TEST(RuleOnNumbers, S51LongGapsBetweenKernelsAreNamed) {
  const auto remarks = [](const Row& before, const Row& now) {
    return texts(judgement_of(before, now).remarks);
  };
  const Row close = on_gpu(1.05), apart = on_gpu(1.6);
  EXPECT_EQ(remarks(close, close), std::vector<std::string>());
  EXPECT_EQ(remarks(close, apart),
            std::vector<std::string>{"not in its time: between its kernels the GPU waits 600 us a "
                                     "call, 38 % of the span, 4.8 % before"});
  EXPECT_EQ(remarks(apart, on_gpu(1)).size(), 1u) << "gaps that went";
  // The time of a row that is its span has them, and a CPU has no kernels.
  Row span = apart, cpu = apart;
  for (Launch& launch : span.launches) launch.real_ms = 1.6;
  for (Launch& launch : cpu.launches) launch.counters[counter::kernels] = 0;
  EXPECT_EQ(remarks(span, span), std::vector<std::string>());
  EXPECT_EQ(remarks(cpu, cpu), std::vector<std::string>());
  // The verdict does not depend on them.
  EXPECT_EQ(judgement_of(close, apart).verdict, Verdict::same);
  // A new row says so, too.
  Facts facts;
  facts.obstacle = {Verdict::added, NotStored{}};
  take_figures(facts, apart);
  EXPECT_EQ(texts(judge(facts).remarks),
            std::vector<std::string>{"not in its time: between its kernels the GPU waits 600 us a "
                                     "call, 38 % of the span"});
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
}

TEST(RuleOnNumbers, S26WhatRanSideBySideShowsNoDriftSinceTheBaseline) {
  std::vector<RowReport> rows(2);
  for (RowReport& row : rows) {
    row.identical_work = true;
    row.tolerance = 0.01;
    row.decision.emplace().ratio = 1.5;
    row.decision->per_comparison = stats::Bounds{1.4, 1.6, 0.05};
  }
  EXPECT_TRUE(machine_moved(rows));
  for (RowReport& row : rows) row.paired = true;
  EXPECT_FALSE(machine_moved(rows));
}

Row launched(const std::vector<double>& throughputs, const std::string& basis = "") {
  Row row{"demo/cpu/01_a", {}, {}};
  row.basis = basis;
  for (const double throughput : throughputs) {
    Launch launch;
    launch.real_ms = 1e6 / throughput;
    launch.counters = {{"units", 1000}, {"units_per_second", throughput}};
    row.launches.push_back(launch);
  }
  return row;
}

/// A row of identical work, by its stored launches and the short ones of a run.
Facts identical(const std::vector<double>& stored, const std::vector<double>& now,
                const std::string& basis = "") {
  Facts facts = facts_of(launched(stored, basis), launched(now, basis), Comparison::stored, 0.03,
                         stats::plan_stored(9, 16).front());
  facts.same_work = true;
  return facts;
}

const std::vector<double> nine = {0.97e6, 0.98e6, 0.99e6, 1e6, 1e6, 1e6, 1.01e6, 1.02e6, 1.03e6};

TEST(RuleOnNumbers, S25LayoutIsSaidOnlyWhereTheLaunchesShowIt) {
  const auto layout_of = [](const std::vector<double>& now, const std::string& basis = "") {
    std::vector<Facts> rows(7, identical(nine, {0.99e6, 1e6, 1.01e6}, basis));
    rows.push_back(identical(nine, now, basis));
    find_layouts(rows);
    return rows.back().layout;
  };
  const auto layout = layout_of({0.40e6, 0.41e6, 0.42e6});
  ASSERT_TRUE(layout);
  EXPECT_EQ(to_string(Remark(*layout)),
            "layout: -59.0 % relative to other rows of identical work, or another process during "
            "its 3 launches");
  EXPECT_FALSE(layout_of({0.40e6, 0.41e6, 1e6})) << "its own launches do not show it";
  EXPECT_FALSE(layout_of({0.41e6})) << "one launch";
  EXPECT_FALSE(layout_of({0.40e6, 0.41e6, 0.42e6}, "items_per_second"))
      << "the program is the same";
}

/// What pairs for the record show has no interval: all of them must lie apart.
TEST(RuleOnNumbers, S25LayoutOfAThirdPartyRowWhoseProgramDiffers) {
  const auto layout_of = [](double least, double greatest) {
    const auto in_another_program = [](double low, double high) {
      Facts facts = identical({1e6, 1e6, 1e6}, {1e6 * low, 1e6 * low, 1e6 * high}, "real_time");
      facts.in_other_program = stats::Bounds{low, high, 0.125};
      return facts;
    };
    std::vector<Facts> rows(3, in_another_program(0.999, 1.001));
    rows.push_back(in_another_program(least, greatest));
    find_layouts(rows);
    EXPECT_FALSE(rows.front().layout);
    return rows.back().layout;
  };
  const auto layout = layout_of(0.82, 0.84);
  ASSERT_TRUE(layout);
  EXPECT_HAS(to_string(Remark(*layout)), "layout: -17.9 %");
  EXPECT_FALSE(layout_of(0.70, 1)) << "one pair is as fast as the other rows";
  EXPECT_FALSE(layout_of(0.98, 0.99)) << "within the tolerance";
}

TEST(RuleOnNumbers, S26AMachineMovesOnlyWhereTheLaunchesShowIt) {
  const auto moved = [](const std::vector<double>& now) {
    return machine_moved(judged({identical(nine, now), identical(nine, now)})).has_value();
  };
  EXPECT_TRUE(moved({0.80e6, 0.85e6, 0.90e6}));
  EXPECT_FALSE(moved({0.80e6, 0.90e6, 0.99e6})) << "they scatter by more than they moved";
}

TEST(RuleOnNumbers, S49SizesAndCountsShowNoDriftOfTheMachine) {
  const std::string bytes = "B (smaller is better)";
  const std::vector<double> moved = {0.80e6, 0.85e6, 0.90e6};
  EXPECT_FALSE(machine_moved(judged({identical(nine, moved, bytes)})));
  const std::vector<double> other(9, 1e6), same(3, 1e6);
  EXPECT_TRUE(machine_moved(judged(
      {identical(nine, moved), identical(other, same, bytes), identical(other, same, bytes)})));
}

TEST(PairsOf, TheClockIsThatOfBothSidesOrNone) {
  const auto row = [](double mhz) {
    Row row;
    row.launches.resize(2);
    for (Launch& launch : row.launches)
      launch.counters = {{"units_per_second", 1}, {"sm_clock_mhz", mhz}};
    return row;
  };
  EXPECT_EQ(pairs_of(row(1980), row(990)).clock, (std::vector<double>(2, std::log(0.5))));
  EXPECT_TRUE(pairs_of(row(1980), row(0)).clock.empty());  // a row of a CPU says 0
}

TEST(PairsOf, ReferencesOfDifferentVersionsAreNotUsed) {
  const auto row = [](double speed, double version) {
    Row row;
    row.launches.resize(2);
    for (Launch& launch : row.launches)
      launch.counters = {
          {"units_per_second", speed}, {"control_per_second", 2}, {"control_version", version}};
    return row;
  };
  EXPECT_EQ(pairs_of(row(1, 1), row(2, 1)).reference.size(), 2u);
  EXPECT_TRUE(pairs_of(row(1, 1), row(2, 2)).reference.empty());
  EXPECT_DOUBLE_EQ(pairs_of(row(1, 1), row(2, 1)).log_ratios.at(1), std::log(2.0));
}

TEST(PairsOf, S29WhatSamplesOfOneMomentSayCountsWhereEveryPairHasIt) {
  Row before, now;
  before.launches.resize(2);
  now.launches.resize(2);
  for (Row* side : {&before, &now})
    for (Launch& launch : side->launches) launch.counters["units_per_second"] = 1;
  now.launches[0].counters[counter::interleaved_ratio] = 0.5;
  EXPECT_EQ(pairs_of(before, now).log_ratios, (std::vector<double>{0, 0}));
  now.launches[1].counters[counter::interleaved_ratio] = 2;
  EXPECT_EQ(pairs_of(before, now).log_ratios, (std::vector<double>{std::log(0.5), std::log(2)}));
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
