// What becomes of the facts of a row: its verdict and remarks, sentence by sentence of
// perf/gate/README.md. The numbers behind them are in rule_test.cpp.

#include "perf/gate/rule/facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "correctness/support/expect_has.h"
#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {
namespace {

TEST(RuleOnFacts, S30ContendedLaunchesAloneDecideNothing) {
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

TEST(RuleOnFacts, OfIdenticalWorkNoClockIsSaidToJudge) {
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

TEST(RuleOnFacts, AMovedRowWhoseCodeWasNotComparedSaysSo) {
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

TEST(RuleOnFacts, S50CpuTimeDecidesWhatWallTimeOfThreadsLeavesOpen) {
  const stats::Analysis analysis{12, 0.0005, 0.03};
  const Row before = row_of_threads([](int) { return 40.0; }, [](int) { return 150.0; });
  // The wall time of each pair is `wall` times that of before, give or take `scatter`.
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

TEST(RuleOnFacts, S50CpuTimeCountsOnlyWhereItIsThatOfAllThreads) {
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
  // Of two rows the rates count.
  const Row one = row_of_threads([](int) { return 40.0; }, [](int) { return 150.0; });
  Row twice = row_of_threads([](int) { return 80.0; }, [](int) { return 300.0; });
  for (Launch& launch : twice.launches) launch.counters["units"] = 2;
  EXPECT_DOUBLE_EQ(
      facts_of(one, twice, Comparison::rows, 0.01, {12, 0.0005, 0.03}).by_cpu_time->ratio, 1);
}

TEST(RuleOnFacts, S48LaunchesOfTwoSpeedsAreNamed) {
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

TEST(RuleOnFacts, S12ColdAndWarmRowsAreNotCompared) {
  const Row warm = on_gpu(1), cold = on_gpu(1, true);
  EXPECT_EQ(judgement_of(cold, cold).verdict, Verdict::same);
  for (const Comparison how : {Comparison::paired, Comparison::stored}) {
    EXPECT_EQ(judgement_of(warm, cold, how).verdict, Verdict::changed);
    EXPECT_EQ(to_string(judgement_of(warm, cold, how).reason),
              "samples begin with a cold L2 cache, before with a warm one");
    EXPECT_EQ(to_string(judgement_of(cold, warm, how).reason),
              "samples begin with a warm L2 cache, before with a cold one");
  }
  // Two rows of one build are compared by request.
  EXPECT_EQ(judgement_of(warm, cold, Comparison::rows).verdict, Verdict::same);
}

TEST(RuleOnFacts, S51LongGapsBetweenKernelsAreNamed) {
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

TEST(RuleOnFacts, MemoryBelowWhatIsToldIsSaid) {
  const auto remarks = [](const std::string& name, double before_mb, double now_mb) {
    Facts facts;
    facts.name = RowId(name);
    facts.basis = "MB (smaller is better)";
    facts.before.throughput = 1 / before_mb;
    facts.now.throughput = 1 / now_mb;
    return texts(judge(facts).remarks);
  };
  const std::vector<std::string> said = {
      "less than 8 MB is not seen: both sides take at most that"};
  EXPECT_EQ(remarks("bench/a/memory", 8, 8), said);
  EXPECT_EQ(remarks("bench/a/memory", 8, 8.5), std::vector<std::string>());
  EXPECT_EQ(remarks("bench/a/memory", 8.5, 8), std::vector<std::string>());
  EXPECT_EQ(remarks("bench/a/heap", 8, 8), std::vector<std::string>());
}

TEST(RuleOnFacts, S26WhatRanSideBySideShowsNoDriftSinceTheBaseline) {
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

TEST(RuleOnFacts, S25LayoutIsSaidOnlyWhereTheLaunchesShowIt) {
  const auto layout_of = [](const std::vector<double>& now, const std::string& basis = "") {
    std::vector<Facts> rows(7, identical(nine, {0.99e6, 1e6, 1.01e6}, basis));
    rows.push_back(identical(nine, now, basis));
    find_layouts(rows);
    return rows.back().layout;
  };
  const auto layout = layout_of({0.40e6, 0.41e6, 0.42e6});
  ASSERT_TRUE(layout);
  EXPECT_EQ(to_string(Remark(*layout)),
            "layout: the same code ran 59.0 % slower than before, and other rows did not: it lies "
            "at another place in memory, or another process ran during its 3 launches");
  EXPECT_FALSE(layout_of({0.40e6, 0.41e6, 1e6})) << "its own launches do not show it";
  EXPECT_FALSE(layout_of({0.41e6})) << "one launch";
  EXPECT_FALSE(layout_of({0.40e6, 0.41e6, 0.42e6}, "items_per_second"))
      << "the program is the same";
}

/// What pairs for the record show has no interval: all of them must lie apart.
TEST(RuleOnFacts, S25LayoutOfAThirdPartyRowWhoseProgramDiffers) {
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
  EXPECT_HAS(to_string(Remark(*layout)), "layout: the same code ran 17.9 % slower");
  EXPECT_FALSE(layout_of(0.70, 1)) << "one pair is as fast as the other rows";
  EXPECT_FALSE(layout_of(0.98, 0.99)) << "within the tolerance";
}

TEST(RuleOnFacts, S26AMachineMovesOnlyWhereTheLaunchesShowIt) {
  const auto moved = [](const std::vector<double>& now) {
    return machine_moved(judged({identical(nine, now), identical(nine, now)})).has_value();
  };
  EXPECT_TRUE(moved({0.80e6, 0.85e6, 0.90e6}));
  EXPECT_FALSE(moved({0.80e6, 0.90e6, 0.99e6})) << "they scatter by more than they moved";
}

TEST(RuleOnFacts, S49SizesAndCountsShowNoDriftOfTheMachine) {
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

}  // namespace
}  // namespace ratchet::gate
