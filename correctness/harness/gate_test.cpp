// The decision rule, sentence by sentence of perf/gate/README.md, and the program around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "correctness/harness/gate_fixture.h"
#include "kernels/support/error.h"
#include "perf/baseline/json_file.h"
#include "perf/gate/output.h"
#include "perf/gate/rule.h"
#include "perf/gate/verdicts.h"
#include "perf/gate/worker.h"

namespace ratchet::gate {
namespace {

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_LACKS(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

class Rule : public GateFixture {
 protected:
  /// The line of the terminal table that speaks of this row.
  static std::string line_of(const ProcessResult& result, const std::string& row) {
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(" " + row + " ") != std::string::npos) return line;
    }
    return "no line of " + row + " in\n" + result.output;
  }
  std::size_t launches_of(const std::string& row) const {
    std::string file = plan().string() + "." + row;
    std::replace(file.begin() + static_cast<long>(plan().string().size()), file.end(), '/', '_');
    const std::string lines = read(file);
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  }
};

/// Nine launches around `centre`, 0.1 % apart.
std::vector<double> launches(double centre, std::size_t count = 9) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(centre *
                     (1 + 0.001 * (static_cast<double>(i) - static_cast<double>(count - 1) / 2)));
  return values;
}

TEST_F(Rule, S01LaunchesAreTheReplicates) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  ASSERT_EQ(gate({"--launches", "7"}).exit_code, 0);
  EXPECT_EQ(launches_of("demo/cpu/01_a"), 7u);
  const Measurements left = read_measurements(results());
  EXPECT_EQ(left.rows.at("demo/cpu/01_a").launches.size(), 7u);
}

TEST_F(Rule, S02RowsAreLaunchedInTurnForwardsAndBackwards) {
  plan({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 1e6 1000"});
  ASSERT_EQ(gate({"--launches", "3"}).exit_code, 0);
  EXPECT_EQ(
      read(plan().string() + ".order"),
      "demo/cpu/01_a\ndemo/cpu/02_b\ndemo/cpu/02_b\ndemo/cpu/01_a\ndemo/cpu/01_a\ndemo/cpu/02_b\n");
}

TEST_F(Rule, S03StagesThatFailTheirCheckAreNotTimed) {
  plan({"demo/cpu/01_a failcheck 1e6 1000", "demo/cpu/01_a/threads:2 ok 1e6 1000",
        "demo/cpu/02_b crashcheck 1e6 1000", "demo/cpu/03_c ok 1e6 1000",
        "demo/cpu/04_d checkteardown 1e6 1000"});
  const ProcessResult result = gate({"--launches", "2"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_HAS(line_of(result, "demo/cpu/04_d"), "the check ended badly: exit code 3");
  EXPECT_HAS(line_of(result, "demo/cpu/01_a"), "failed");
  EXPECT_HAS(line_of(result, "demo/cpu/01_a"), "counted 3 of 4");
  EXPECT_HAS(line_of(result, "demo/cpu/01_a/threads:2"), "failed");
  EXPECT_HAS(line_of(result, "demo/cpu/02_b"), "signal 11");
  EXPECT_EQ(launches_of("demo/cpu/01_a") + launches_of("demo/cpu/01_a/threads:2") +
                launches_of("demo/cpu/02_b"),
            0u);
  EXPECT_EQ(launches_of("demo/cpu/03_c"), 2u);
  EXPECT_EQ(accept({"demo/cpu/01_a"}).exit_code, 2);
}

TEST_F(Rule, S04OnlyTheSameFingerprintIsCompared) {
  store({"demo/cpu/01_a ok 1e6 1000"});
  plan({"demo/cpu/01_a ok 0.5e6 1000"});
  setenv("RATCHET_FAKE_CPU", "Slower Box", 1);
  const ProcessResult other = gate();
  EXPECT_EQ(other.exit_code, 0);
  EXPECT_HAS(line_of(other, "demo/cpu/01_a"), "uncompared");
  // A GPU beside the CPU changes nothing for the CPU's rows.
  unsetenv("RATCHET_FAKE_CPU");
  setenv("RATCHET_FAKE_GPU", "Big GPU", 1);
  EXPECT_EQ(gate().exit_code, 1);
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
  EXPECT_GT(near.alarm->high, 0.97);
  EXPECT_EQ(near.verdict, Verdict::undecided);
  EXPECT_HAS(near.reason, "looks slower");
}

TEST(RuleOnNumbers, S07AlarmIntervalIsCorrectedForRowsAndLooks) {
  // 20 rows, 3 looks: 0.01 / 60; with nine launches a side k is 3: 2 * 4 / 48620 = 1.646e-4.
  const Decision decision = decide(launches(1), launches(1), 0.03, 20);
  EXPECT_DOUBLE_EQ(decision.alarm->coverage, 1 - 8.0 / 48620);
  // One row: 0.01 / 3, rank 9 or so: narrower.
  const Decision alone = decide(launches(1), launches(1), 0.03, 1);
  EXPECT_LT(alone.alarm->high, decision.alarm->high);
  // 200 rows: nine launches cannot speak, and the gate says how many could.
  const Decision many = decide(launches(1), launches(0.5), 0.03, 200);
  EXPECT_FALSE(many.alarm);
  EXPECT_EQ(many.verdict, Verdict::undecided);
  EXPECT_HAS(many.reason, "11 are the least");  // 2 / C(20, 9) = 1.2e-5 < 0.01 / 600
}

TEST(RuleOnNumbers, S07UnchangedCodeRarelyAlarms) {
  // 1000 runs of 20 rows whose launches differ by 3 %, as much as the tolerance, at all three
  // looks: at most 1 % may alarm.
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
      for (int look = 0; look < 3; ++look) {
        const Verdict verdict = decide(baseline, current, 1e-9, 20).verdict;
        alarm = alarm || verdict == Verdict::slower || verdict == Verdict::faster;
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
  EXPECT_GE(inside.plain->coverage, 1 - 0.05 / 3);
  EXPECT_LT(inside.plain->coverage, 0.99);
  // The same launches under a tolerance that the interval crosses.
  EXPECT_EQ(decide(launches(1), launches(0.99), 0.012, 20).verdict, Verdict::undecided);
}

TEST(RuleOnNumbers, S09EverythingElseIsUndecided) {
  EXPECT_EQ(decide({1, 1.2, 0.8, 1.1}, {1.1, 0.9, 1.3, 0.7}, 0.03, 5).verdict, Verdict::undecided);
  EXPECT_EQ(decide(launches(1, 2), launches(0.5, 9), 0.03, 5).verdict, Verdict::undecided);
}

TEST_F(Rule, S10UndecidedRowsAloneGetMoreLaunches) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001", "demo/cpu/02_b ok 1e6 1000 0.05"});
  plan({"demo/cpu/01_a ok 1e6 1000 0.001", "demo/cpu/02_b ok 1e6 1000 0.05"});
  setenv("RATCHET_FAKE_SEED", "2", 1);
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_EQ(launches_of("demo/cpu/01_a"), 9u);
  EXPECT_EQ(launches_of("demo/cpu/02_b"), 19u);  // 9, then twice 5
  // And a budget that is over ends the run after the least number of launches.
  plan({"demo/cpu/01_a ok 1e6 1000 0.001", "demo/cpu/02_b ok 1e6 1000 0.05"});
  gate({"--budget-s", "0.1"});
  EXPECT_EQ(launches_of("demo/cpu/02_b"), 6u);
}

TEST_F(Rule, S11TolerancesByDeviceAndByRow) {
  EXPECT_EQ(default_tolerance(Device::gpu), 0.01);
  EXPECT_EQ(default_tolerance(Device::cpu), 0.03);
  EXPECT_EQ(default_tolerance(Device::both), 0.03);
  store({"demo/cpu/01_a ok 1e6 1000 0.001"});
  plan({"demo/cpu/01_a ok 0.95e6 1000 0.001"});
  EXPECT_EQ(gate().exit_code, 1);
  std::string text = read(stored());
  for (std::size_t at = 0; (at = text.find("\"units\":", at)) != std::string::npos; at += 30)
    text.insert(at, "\"tolerance\":0.1,");
  write(stored(), text);
  EXPECT_EQ(gate().exit_code, 0);
}

TEST_F(Rule, S12MissingNewAndChangedRowsFailUntilAccepted) {
  store({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 1e6 1000", "demo/cpu/03_c ok 1e6 1000"});
  plan({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 1e6 2000", "demo/cpu/04_d ok 1e6 1000"});
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_HAS(line_of(result, "demo/cpu/01_a"), "same");
  EXPECT_HAS(line_of(result, "demo/cpu/02_b"), "changed");
  EXPECT_HAS(line_of(result, "demo/cpu/02_b"), "2000");
  EXPECT_HAS(line_of(result, "demo/cpu/03_c"), "missing");
  EXPECT_HAS(line_of(result, "demo/cpu/04_d"), "new");
  // A filter that does not cover the missing row does not miss it.
  EXPECT_EQ(gate({"--filter", "demo/cpu/01_a"}).exit_code, 0);
  ASSERT_EQ(gate().exit_code, 2);
  ASSERT_EQ(accept({"02_b", "03_c", "04_d"}).exit_code, 0);
  EXPECT_EQ(gate().exit_code, 0);
}

TEST_F(Rule, S12StageThatRanHereAndNoLongerCanIsMissing) {
  store({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 1e6 1000"});
  plan({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b unavailable"});
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_HAS(line_of(result, "demo/cpu/02_b"), "missing");
  EXPECT_HAS(line_of(result, "demo/cpu/02_b"), "no such device");
}

TEST_F(Rule, S13AWorkerThatFailsCostsItsOwnRowOnly) {
  const std::vector<std::pair<std::string, std::string>> modes = {
      {"crash", "signal 11"},
      {"crash2", "launch 2: the worker killed by signal 6"},
      {"hang", "no end within"},
      {"badjson", "not valid JSON"},
      {"truncated", "not valid JSON"},
      {"missing", "no row of this name"},
      {"twice", "two rows"},
      {"error", "out of memory"},
      {"negative", "not positive"},
      {"wrongunit", "some unit is wrong"},
      {"nocounter", "units_per_second"},
      {"teardown", "exit code 3"},
      {"grows", "differ in units"}};
  std::vector<std::string> rows = {"demo/cpu/zz ok 1e6 1000"};
  for (const auto& [mode, words] : modes)
    rows.push_back("demo/cpu/" + mode + " " + mode + " 1e6 1000");
  plan(rows);
  const ProcessResult result = gate({"--launches", "2", "--launch-limit-s", "2"});
  EXPECT_EQ(result.exit_code, 2);
  for (const auto& [mode, words] : modes) {
    EXPECT_HAS(line_of(result, "demo/cpu/" + mode), "failed");
    EXPECT_HAS(line_of(result, "demo/cpu/" + mode), words);
  }
  EXPECT_HAS(line_of(result, "demo/cpu/zz"), "uncompared");
  EXPECT_EQ(launches_of("demo/cpu/zz"), 2u);
  EXPECT_EQ(launches_of("demo/cpu/crash"), 1u);
  EXPECT_EQ(accept().exit_code, 2);  // all rows are asked for, and some are unfit
  EXPECT_EQ(accept({"demo/cpu/zz"}).exit_code, 0);
}

TEST_F(Rule, S14UnverifiedRowsFail) {
  store({"demo/cpu/01_a ok 1e6 1000"});
  plan({"demo/cpu/01_a unverified 1e6 1000"});
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_HAS(line_of(result, "demo/cpu/01_a"), "unverified");
  EXPECT_EQ(accept({"demo/cpu/01_a"}).exit_code, 2);
}

TEST_F(Rule, S15WithoutABaselineTheBuildIsComparedWithItself) {
  plan({"demo/cpu/01_a ok 1e6 1000 0.001"});
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_HAS(result.output, "NOTHING WAS COMPARED");
  EXPECT_HAS(result.output, "accept --from " + results().string());
  EXPECT_HAS(line_of(result, "demo/cpu/01_a"), "against itself: same");
  EXPECT_EQ(gate({"--strict"}).exit_code, 3);
  ASSERT_EQ(accept().exit_code, 0);
  const ProcessResult again = gate({"--strict"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_LACKS(again.output, "COMPARED");
  // Odd against even: an alternation of 10 % shows as such.
  const Decision decision =
      decide_against_itself({1, 1.1, 1, 1.1, 1, 1.1, 1, 1.1, 1, 1.1}, 0.03, 1);
  EXPECT_NEAR(decision.ratio, 1.1, 1e-12);
  EXPECT_EQ(decide_against_itself({1}, 0.03, 1).verdict, Verdict::undecided);
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
  EXPECT_EQ(exit_code(reports({same, faster}), true), ExitCode::pass);
  EXPECT_EQ(exit_code(reports({same, failed, undecided, slower}), false), ExitCode::regression);
  for (const Verdict verdict : {failed, unverified, missing, changed, fresh})
    EXPECT_EQ(exit_code(reports({same, undecided, verdict}), false), ExitCode::failed);
  EXPECT_EQ(exit_code(reports({same, undecided, uncompared}), false), ExitCode::undecided);
  EXPECT_EQ(exit_code(reports({same, uncompared}), false), ExitCode::pass);
  EXPECT_EQ(exit_code(reports({same, uncompared}), true), ExitCode::undecided);
  EXPECT_EQ(exit_code(reports({same, unavailable}), true), ExitCode::pass);
  EXPECT_EQ(exit_code(reports({unavailable}), false), ExitCode::nothing_ran);
  EXPECT_EQ(exit_code({}, false), ExitCode::nothing_ran);
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

TEST_F(Rule, RegressionIsNamedWithSizeAndInterval) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001", "demo/cpu/02_b ok 1e6 1000 0.001"});
  plan({"demo/cpu/01_a ok 1e6 1000 0.001", "demo/cpu/02_b ok 0.95e6 1000 0.001"});
  setenv("RATCHET_FAKE_SEED", "2", 1);
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_HAS(line_of(result, "demo/cpu/02_b"), "slower");
  EXPECT_HAS(line_of(result, "demo/cpu/02_b"), "-5.");
  EXPECT_HAS(line_of(result, "demo/cpu/01_a"), "same");
  EXPECT_LT(result.output.find("demo/cpu/02_b  "), result.output.find("demo/cpu/01_a  "));
  const std::string summary = read(folder() / "results" / "summary.md");
  EXPECT_HAS(summary, "REGRESSION (exit 1): 1 slower, 1 same");
  EXPECT_HAS(summary, "| slower | demo/cpu/02_b | -");
}

TEST_F(Rule, RowsOfOtherMachinesAreUnavailableNotDropped) {
  write(
      baselines() / "big-gpu" / "demo.json",
      R"({"context":{"gpu.model":"Big GPU","ratchet":{"format":1}},"benchmarks":[{"name":"demo/cuda/01_x",
        "run_type":"iteration","repetition_index":0,"iterations":1,"real_time":2.0,"cpu_time":0,
        "time_unit":"ms","units":1000,"units_per_second":500000,"verified":1}]})");
  store({"demo/cpu/01_a ok 1e6 1000"});
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_HAS(line_of(result, "demo/cuda/01_x"), "unavailable");
  EXPECT_HAS(line_of(result, "demo/cuda/01_x"), "big-gpu");
}

TEST(Output, MarkdownStaysUnderGitHubsLimitAndEscapes) {
  std::vector<RowReport> many(5000);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i].name = "demo/cpu/01_row" + std::to_string(i);
    many[i].reason = std::string(300, 'x') + " a|b\nc";
  }
  const std::string text = markdown_summary(many, false, "");
  EXPECT_LT(text.size(), 1u << 20);
  EXPECT_HAS(text, "more rows are in the results file");
  EXPECT_HAS(text, "a\\|b c");
}

TEST(Processes, LimitsEndAndOutputAreReported) {
  const ProcessResult slow = run_process({"sh", "-c", "sleep 30 & sleep 30"}, 0.2);
  EXPECT_TRUE(slow.timed_out);
  EXPECT_LT(slow.seconds, 10);
  EXPECT_EQ(run_process({"sh", "-c", "kill -SEGV $$"}, 10).signal, 11);
  const ProcessResult told =
      run_process({"sh", "-c", "echo out; echo first >&2; echo last >&2; exit 4"}, 10);
  EXPECT_EQ(told.output, "out\n");
  EXPECT_EQ(told.describe(), "exit code 4: last");
  // A child left behind that holds the pipe does not hold the gate.
  EXPECT_LT(run_process({"sh", "-c", "sleep 30 & echo done"}, 20).seconds, 10);
  EXPECT_THROW(run_process({"/nowhere/program"}, 10), Error);
  EXPECT_EQ(run_process({"sh", "-c", "yes | head -c 9000000; true"}, 20).output.size(), 4u << 20);
}

TEST(Filters, NamesAreMatchedExactly) {
  EXPECT_EQ(exact_filter("f/cpu/01_a/threads:4"), "^f/cpu/01_a/threads:4$");
  EXPECT_EQ(exact_filter("a.b+c"), "^a\\.b\\+c$");
}

}  // namespace
}  // namespace ratchet::gate
