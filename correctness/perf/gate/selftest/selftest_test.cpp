// `ratchet selftest`: its plan, its record, and what it makes of it. The real figures come from
// real programs; here a fake one tells whether the counting is right.
#include "perf/gate/selftest/selftest.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {
namespace {

class Selftest : public GateFixture {
 protected:
  ProcessResult selftest(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"selftest", "--bench", worker(), "--record", record()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ratchet(arguments);
  }
  std::filesystem::path record() const { return folder() / "selftest.jsonl"; }
  /// What reading a record of these lines is refused with.
  std::string refusal(const std::string& lines) {
    write(record(), lines);
    const ProcessResult result = ratchet({"selftest", "--report", record()});
    EXPECT_EQ(result.exit_code, 2);
    return result.output;
  }
};

TEST_F(Selftest, ResultsNamesTheFolderOfTheRecordAndTheReport) {
  plan({"demo/cpu/01_a ok 1e6 1000 0.002"});
  const auto results = folder() / "there";
  const ProcessResult result =
      ratchet({"selftest", "--bench", worker(), "--results", results, "--runs", "1",
               "--slowed-runs", "0", "--run-budget-s", "600"});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(read_selftest({results / "selftest.jsonl"}).runs.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(results / "selftest" / "report.html"));
}

TEST_F(Selftest, RunsOfOtherRowsOrOptionsAreSetAside) {
  plan({"demo/cpu/01_a ok 1e6 1000 0.002", "demo/cpu/02_b ok 1e6 1000 0.002"});
  const auto run = [&](const std::string& filter, const std::string& slowdowns) {
    const ProcessResult result = selftest({"--runs", "1", "--slowed-runs", "0", "--run-budget-s",
                                           "600", "--filter", filter, "--slowdowns", slowdowns});
    EXPECT_EQ(result.exit_code, 0) << result.output;
    return result.errors;
  };
  run("01_a", "0.1");
  EXPECT_LACKS(run("01_a", "0.1"), "kept as");
  EXPECT_EQ(read_selftest({record()}).runs.size(), 2u) << "the same adds to it";
  EXPECT_HAS(run("02_b", "0.1"),
             "selftest.jsonl is a selftest of other rows or options; it is kept "
             "as " +
                 (folder() / "selftest.1.jsonl").string());
  EXPECT_EQ(read_selftest({record()}).runs.size(), 1u);
  EXPECT_EQ(read_selftest({folder() / "selftest.1.jsonl"}).runs.size(), 2u);
  run("02_b", "0.2");
  EXPECT_EQ(read_selftest({folder() / "selftest.2.jsonl"}).runs.size(), 1u);
}

TEST_F(Selftest, AnnouncesItsLengthOnlyOfRowsThatThereAre) {
  plan({"demo/cpu/01_a ok 1e6 1000 0.002"});
  const ProcessResult refused = selftest({"--filter", "Nosuch"});
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
  EXPECT_TRUE(refused.errors.starts_with("ratchet: ")) << refused.errors;
  EXPECT_EQ(std::count(refused.errors.begin(), refused.errors.end(), '\n'), 1) << refused.errors;
  EXPECT_NE(refused.errors.find("Nosuch"), std::string::npos) << refused.errors;
}

TEST_F(Selftest, CountsWhatTheGateSays) {
  plan({"demo/cpu/01_a ok 1e6 1000 0.002", "demo/cpu/02_b ok 1e6 1000 0.002"});
  // A budget that no machine is too busy for.
  const ProcessResult result = selftest({"--runs", "4", "--slowdowns", "0.1,0.002", "--slowed-runs",
                                         "2", "--neighbour", "0.5", "--run-budget-s", "600"});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const SelftestRecord read = read_selftest({record()});
  ASSERT_EQ(read.runs.size(), 8u);
  std::multiset<double> slowdowns;
  int neighbours = 0;
  for (const SelftestRun& run : read.runs) {
    slowdowns.insert(run.slowdown);
    neighbours += run.neighbour;
    ASSERT_EQ(run.rows.size(), 2u);
    const SelftestRow& row = run.rows.at("demo/cpu/01_a");
    EXPECT_NEAR(row.ratio, 1 / (1 + run.slowdown), 0.01);
    EXPECT_EQ(row.verdict, run.slowdown == 0.1 ? Verdict::slower : Verdict::same);
    EXPECT_GE(row.pairs.log_ratios.size(), 5u);
    EXPECT_GT(run.measuring_s, 0);
    EXPECT_LE(run.measuring_s, run.seconds);
  }
  EXPECT_EQ(slowdowns, (std::multiset<double>{0, 0, 0, 0, 0.002, 0.002, 0.1, 0.1}));
  EXPECT_EQ(neighbours, 4);
  EXPECT_HAS(result.output, "| 10.0 % | 10.");
  EXPECT_HAS(result.output, "100.0 % (2 of 2;");
  // Records of one machine add up.
  EXPECT_EQ(read_selftest({record(), record()}).runs.size(), 16u);
}

/// What knows nothing of ratchet: 12 ms a call, a thousandth more or less.
TEST_F(Selftest, OfAThirdPartyProgramTheTimesAreTakenLonger) {
  const std::filesystem::path program = folder() / "theirs";
  write(program, R"(#!/bin/sh
for a; do case $a in
  --ratchet*) echo "unrecognized: $a" >&2; exit 1 ;;
  --benchmark_list_tests=true) echo row; exit ;;
  --benchmark_out=*) out=${a#*=} ;;
  --size=*) size=${a#*=} ;;
esac; done
time=$(awk -v t="$size" -v seed=$$ 'BEGIN { srand(seed); print t * (0.999 + 0.002 * rand()) }')
echo "{\"context\": {}, \"benchmarks\": [{\"name\": \"row\", \"iterations\": 9, \"repetition_index\": 0,
  \"real_time\": $time, \"cpu_time\": $time, \"time_unit\": \"ms\"}]}" > "$out"
)");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const ProcessResult result =
      ratchet({"selftest", "--bench", program, "--record", record(), "--runs", "2", "--slowdowns",
               "0.2", "--slowed-runs", "2", "--neighbour", "0", "--", "--size=12"});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const SelftestRecord read = read_selftest({record()});
  std::multiset<double> slowdowns;
  for (const SelftestRun& run : read.runs) {
    slowdowns.insert(run.slowdown);
    ASSERT_EQ(run.rows.size(), 1u);
    const SelftestRow& row = run.rows.at("theirs/row");
    EXPECT_NEAR(row.ratio, 1 / (1 + run.slowdown), 0.01);
    EXPECT_EQ(row.verdict, run.slowdown > 0 ? Verdict::slower : Verdict::same);
  }
  EXPECT_EQ(slowdowns, (std::multiset<double>{0, 0, 0.2, 0.2}));
  const SelftestSummary summary = summarize(read);
  ASSERT_EQ(summary.detections.size(), 1u);
  EXPECT_NEAR(summary.detections[0].measured, 0.2, 0.01);
  EXPECT_HAS(result.output, "100.0 % (2 of 2;");
}

TEST_F(Selftest, ARowThatCannotBeMeasuredEndsIt) {
  plan({"demo/cpu/01_a failcheck 1e6 1000"});
  const ProcessResult check = selftest({"--runs", "1", "--slowed-runs", "0"});
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_HAS(check.output, "demo/cpu/01_a: new build, check: counted 3 of 4");
  plan({"demo/cpu/01_a crash 1e6 1000"});
  const ProcessResult crash = selftest({"--runs", "1", "--slowed-runs", "0"});
  EXPECT_EQ(crash.exit_code, 2);
  EXPECT_HAS(crash.output, "demo/cpu/01_a is failed in a selftest");
  plan({"demo/cpu/01_a unavailable"});
  EXPECT_EQ(selftest({"--runs", "1"}).exit_code, 77);
}

TEST_F(Selftest, BadRecordsAreNamedByFileAndLine) {
  const std::string context = R"({"context":{"cpu.model":"A"}})"
                              "\n";
  const std::string row =
      R"("rows":{"a":{"verdict":"same","ratio":1,"detectable":0,"log_ratios":[],"reference":[]}})";
  EXPECT_HAS(refusal(""), "selftest.jsonl holds no run");
  EXPECT_HAS(refusal("{\"x\":1}\n"), "line 1 is not a selftest record");
  EXPECT_HAS(refusal(context + "{\"slowdown\":0"), "selftest.jsonl, line 2 is not valid JSON");
  EXPECT_HAS(refusal(context + "{\"slowdown\":0}"), "line 2: \"neighbour\" is missing");
  EXPECT_HAS(refusal(context + "{\"slowdown\":\"0\"," + row + "}"),
             "line 2.slowdown: is not a number");
  const std::string run = R"({"slowdown":0,"neighbour":false,"seconds":1,"measuring_s":1,)";
  EXPECT_HAS(refusal(context + run +
                     R"("rows":{"a":{"verdict":"same","ratio":0,"detectable":0,)"
                     R"("log_ratios":[],"reference":[]}}})"),
             "line 2.rows.a.ratio: is not a positive number");
  EXPECT_HAS(refusal(context + run + R"("rows":{"a":{"verdict":"sluggish"}}})"),
             "line 2.rows.a.verdict: \"sluggish\" is a verdict that");
  EXPECT_HAS(refusal(context + run + row + "}\n" + R"({"context":{"cpu.model":"B"}})"),
             "line 3 is a record of another machine: cpu.model is A there, B here");
  EXPECT_EQ(ratchet({"selftest", "--report", folder() / "none"}).exit_code, 2);
  EXPECT_EQ(selftest({"--slowdowns", "-1"}).exit_code, 2);
}

TEST_F(Selftest, AFileThatNothingCanBeAddedToIsRefusedBeforeARun) {
  plan({"demo/cpu/01_a ok 1e6 1000 0.002"});
  for (const auto& [held, said] : std::map<std::string, std::string>{
           {"some text\n", "selftest.jsonl, line 1 is not valid JSON"},
           {"{\"context\":{\"cpu.model\":\"A\"}}\n", "is a record of another machine: "}}) {
    write(record(), held);
    const ProcessResult refused = selftest({"--runs", "1", "--slowed-runs", "0"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_HAS(refused.output, said);
    EXPECT_EQ(read(record()), held);
  }
  write(folder() / "file", "");
  const ProcessResult refused =
      ratchet({"selftest", "--bench", worker(), "--record", folder() / "file/below/runs.jsonl"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_HAS(refused.output, "file/below cannot be made: Not a directory");
}

SelftestRun a_run(double slowdown, bool neighbour, Verdict verdict, double ratio) {
  SelftestRun run{slowdown, neighbour, 10, 9, {}};
  run.rows["a"] = {verdict, ratio, 0.04, {}};
  run.rows["b"] = {Verdict::same, 1, 0.02, {}};
  return run;
}

TEST(SelftestSummary, RunsAlarmAndRowsAreDetected) {
  SelftestRecord record;
  record.runs = {
      a_run(0, false, Verdict::same, 1),         a_run(0, false, Verdict::slower, 0.9),
      a_run(0, false, Verdict::undecided, 1),    a_run(0, true, Verdict::faster, 1.1),
      a_run(0.05, false, Verdict::slower, 0.95), a_run(0.05, false, Verdict::undecided, 0.96)};
  const SelftestSummary summary = summarize(record);
  ASSERT_EQ(summary.alarms.size(), 2u);
  EXPECT_EQ(summary.alarms[0].slower.hits, 1u);
  EXPECT_EQ(summary.alarms[0].slower.of, 3u);
  EXPECT_EQ(summary.alarms[0].undecided.hits, 1u);
  EXPECT_EQ(summary.alarms[1].faster.hits, 1u);
  ASSERT_EQ(summary.detections.size(), 1u);
  EXPECT_EQ(summary.detections[0].slower.hits, 1u);
  EXPECT_EQ(summary.detections[0].slower.of, 4u);  // rows, not runs
  EXPECT_EQ(summary.detections[0].same.hits, 2u);
  EXPECT_EQ(summary.detectable.count("a"), 0u) << "one of two was called slower";
  EXPECT_EQ(unknown_text(summary), "Of 2 rows the smallest slowdown that is detected is unknown.");
  record.runs[5].rows["a"].verdict = Verdict::slower;
  const SelftestSummary detected = summarize(record);
  EXPECT_DOUBLE_EQ(detected.detectable.at("a"), 0.04);
  EXPECT_EQ(detected.detectable.count("b"), 0u) << "none of its slowdowns was detected";
  EXPECT_HAS(unknown_text(detected), "Of 1 further row the smallest slowdown");
  EXPECT_HAS(selftest_table(record), unknown_text(detected) + " The runs were too short, none");
  EXPECT_HAS(selftest_table(record, false), unknown_text(detected) + "\n");
  for (SelftestRun& run : record.runs)
    if (run.slowdown > 0) run.slowdown = 0.03;
  EXPECT_EQ(summarize(record).detectable.count("a"), 0u) << "none as large was injected";
  EXPECT_HAS(unknown_text(summarize(record)), "Of 2 rows the smallest slowdown");
  EXPECT_NEAR(summary.overhead, 0.1, 1e-12);
}

TEST(SelftestSummary, RatesHaveExactIntervals) {
  // 0 of 300: the upper bound solves (1 - p)^300 = 0.025; 5 of 10 from published tables.
  EXPECT_EQ(rate(0, 300).low, 0);
  EXPECT_NEAR(rate(0, 300).high, 0.012221, 1e-6);
  EXPECT_NEAR(rate(5, 10).low, 0.1871, 1e-4);
  EXPECT_NEAR(rate(5, 10).high, 0.8129, 1e-4);
  EXPECT_EQ(rate(7, 7).high, 1);
  EXPECT_EQ(rate(0, 0).high, 1);
}

}  // namespace
}  // namespace ratchet::gate
