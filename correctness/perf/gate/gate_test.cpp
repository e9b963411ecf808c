// The decision rule, sentence by sentence of perf/gate/README.md, in runs of the program; the
// sentences about numbers alone are in rule_test.cpp and facts_test.cpp.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/baseline/measurements.h"
#include "perf/gate/rule/rule.h"
#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {
namespace {

class Rule : public GateFixture {
 protected:
  static std::string line_of(const ProcessResult& result, const std::string& row) {
    return table_line(result.output, row);
  }
  std::size_t launches_of(const std::string& row) const {
    std::string file = plan().string() + "." + row;
    std::replace(file.begin() + static_cast<long>(plan().string().size()), file.end(), '/', '_');
    const std::string lines = read(file);
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  }
};

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
  EXPECT_HAS(line_of(result, "demo/cpu/04_d"),
             "the check passed, but its program failed: exited with code 3");
  EXPECT_HAS(line_of(result, "demo/cpu/01_a"), "failed");
  EXPECT_HAS(line_of(result, "demo/cpu/01_a"), "counted 3 of 4");
  EXPECT_HAS(line_of(result, "demo/cpu/01_a/threads:2"), "failed");
  EXPECT_HAS(line_of(result, "demo/cpu/02_b"), "signal 11");
  EXPECT_EQ(launches_of("demo/cpu/01_a") + launches_of("demo/cpu/01_a/threads:2") +
                launches_of("demo/cpu/02_b"),
            0u);
  EXPECT_EQ(launches_of("demo/cpu/03_c"), 2u);
  EXPECT_HAS(result.errors, "; timing 1 now");
  EXPECT_LACKS(gate({"--filter", "02_b"}).errors, "timing");
  EXPECT_EQ(accept({"demo/cpu/01_a"}).exit_code, 2);
}

TEST_F(Rule, S03ChecksWithoutTheirDataAreReportedOnce) {
  plan({"demo/cpu/01_a nocheckdata 1e6 1000", "demo/cpu/02_b nocheckdata 1e6 1000",
        "demo/cpu/03_c nocheckdata 1e6 1000", "demo/cpu/04_d ok 1e6 1000"});
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 2);
  const std::string &all = result.output, variable = "RATCHET_DATA_DIR";
  EXPECT_HAS(all, "worker.sh cannot check demo/cpu/0");
  EXPECT_HAS(all, "worker: /nowhere/known.tsv: cannot be read; set " + variable);
  EXPECT_EQ(all.find(variable), all.rfind(variable)) << all;
  EXPECT_EQ(launches_of("demo/cpu/04_d"), 0u);
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

TEST_F(Rule, S10UndecidedRowsAloneGetMoreLaunches) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001", "demo/cpu/02_b ok 1e6 1000 0.05"});
  plan({"demo/cpu/01_a ok 1e6 1000 0.001", "demo/cpu/02_b ok 1e6 1000 0.05"});
  setenv("RATCHET_FAKE_SEED", "2", 1);
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_HAS(line_of(result, "demo/cpu/02_b"), "undecided");
  EXPECT_EQ(launches_of("demo/cpu/01_a"), 9u);
  EXPECT_EQ(launches_of("demo/cpu/02_b"), 19u);  // 9, then twice 5
  // And a budget that is over ends the run after the least number of launches.
  plan({"demo/cpu/01_a ok 1e6 1000 0.001", "demo/cpu/02_b ok 1e6 1000 0.05"});
  gate({"--budget-s", "0.1"});
  EXPECT_EQ(launches_of("demo/cpu/02_b"), 6u);
}

/// Of six rows with six stored launches each none can be decided by fewer than nine.
TEST_F(Rule, S10AnExhaustedBudgetLeavesAsManyLaunchesAsAVerdictNeeds) {
  std::vector<std::string> rows;
  for (int i = 1; i <= 6; ++i) rows.push_back(fmt::format("demo/cpu/0{}_a ok 1e6 1000 0.001", i));
  plan(rows);
  ASSERT_EQ(gate({"--launches", "6"}).exit_code, 0);
  ASSERT_EQ(accept().exit_code, 0);
  rows[0] = "demo/cpu/01_a ok 0.5e6 1000 0.001";
  plan(rows);
  const ProcessResult result = gate({"--budget-s", "0.1"});
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_HAS(result.output, "does not hold 9 launches of each row, which are made in any case");
  EXPECT_EQ(launches_of("demo/cpu/01_a"), 9u);
}

TEST_F(Rule, S11TolerancesByDeviceAndByRow) {
  EXPECT_EQ(default_tolerance(Device::gpu), 0.005);
  EXPECT_EQ(default_tolerance(Device::gpu, Comparison::paired), 0.0025);
  EXPECT_EQ(default_tolerance(Device::cpu), 0.03);
  EXPECT_EQ(default_tolerance(Device::both, Comparison::paired), 0.01);
  store({"demo/cpu/01_a ok 1e6 1000 0.001"});
  plan({"demo/cpu/01_a ok 0.5e6 1000 0.001"});
  EXPECT_EQ(gate().exit_code, 1);
  std::string text = read(stored());
  for (std::size_t at = 0; (at = text.find("\"units\":", at)) != std::string::npos; at += 30)
    text.insert(at, "\"tolerance\":0.6,");
  write(stored(), text);
  EXPECT_EQ(gate().exit_code, 0);
  // The command line's comes before both; of several that select the row, the last.
  EXPECT_EQ(gate({"--tolerance", "0.1"}).exit_code, 1);
  EXPECT_EQ(gate({"--tolerance", "0.1", "--tolerance", "01_=0.6"}).exit_code, 0);
  EXPECT_EQ(gate({"--tolerance", "01_=0.6", "--tolerance", "0.1"}).exit_code, 1);
  const ProcessResult none = gate({"--tolerance", "02_c=0.6"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_HAS(none.output, "--tolerance 02_c=0.6: no row of this run has this name");
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
  // The command that the gate prints is the one that settles it.
  const std::string said = gate().output, lead = "if the rows are meant to be gone or changed: ";
  ASSERT_NE(said.find(lead), said.npos) << said;
  const std::string from = said.substr(said.find(lead) + lead.size());
  EXPECT_HAS(from, "accept demo/cpu/03_c demo/cpu/02_b demo/cpu/04_d --from ");
  const ProcessResult accepted = run_process({"sh", "-c", from.substr(0, from.find('\n'))}, 60);
  ASSERT_EQ(accepted.exit_code, 0) << accepted.output << accepted.errors;
  EXPECT_EQ(gate().exit_code, 0);
}

TEST_F(Rule, S12RowsOfAnotherProgramAreNotMissing) {
  store({"demo/cpu/01_a ok 1e6 1000", "other/cpu/01_x ok 1e6 1000", "other/cpu/02_y ok 1e6 1000"});
  plan({"demo/cpu/01_a ok 1e6 1000"});
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_LACKS(result.output, "missing");
  EXPECT_HAS(result.output,
             "have 2 rows of other too: of another program, and no part of this run");
}

TEST_F(Rule, S12RowsOfAFurtherProgramCanBeAccepted) {
  store({"other/cpu/01_x ok 1e6 1000"});
  plan({"demo/cpu/01_a ok 1e6 1000"});
  const ProcessResult result = gate();
  EXPECT_HAS(line_of(result, "demo/cpu/01_a"), "new");
  EXPECT_HAS(result.output, "NOTHING WAS COMPARED.\nNo baseline has this row.\n");
  EXPECT_HAS(result.output, "To make these results the baseline:\n  ");
}

TEST_F(Rule, S12ANewFamilyIsAsNewAsANewStage) {
  store({"demo/cpu/01_a ok 1e6 1000"});
  plan({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 1e6 1000", "other/cpu/01_x ok 1e6 1000"});
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_HAS(line_of(result, "demo/cpu/02_b"), "new");
  EXPECT_HAS(line_of(result, "other/cpu/01_x"), "new");
  EXPECT_EQ(gate({"--strict"}).exit_code, 3);
  EXPECT_EQ(gate({"--strict", "--allow-new"}).exit_code, 0);
  ASSERT_EQ(accept({"02_b", "other"}).exit_code, 0);
  EXPECT_EQ(gate().exit_code, 0);
}

TEST_F(Rule, S16UndecidedRowsPassUnlessStrict) {
  store({"demo/cpu/01_a ok 1e6 1000 0.05"});
  plan({"demo/cpu/01_a ok 1e6 1000 0.05"});
  setenv("RATCHET_FAKE_SEED", "2", 1);
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_HAS(line_of(result, "demo/cpu/01_a"), "undecided");
  EXPECT_HAS(result.output, "nothing is known of it: between -");
  EXPECT_HAS(read(folder() / "results" / "junit.xml"), "<skipped");
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--strict"}, {"--undecided", "fail"}}) {
    EXPECT_EQ(gate(options).exit_code, 3);
    EXPECT_HAS(read(folder() / "results" / "junit.xml"), "<failure");
  }
  EXPECT_EQ(gate({"--strict", "--undecided", "pass"}).exit_code, 0);
  EXPECT_LACKS(read(folder() / "results" / "junit.xml"), "<failure");
  EXPECT_EQ(gate({"--undecided", "perhaps"}).exit_code, 2);
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
      {"crash2", "launch 2: the worker was killed by signal 6"},
      {"hang", "did not finish within"},
      {"badjson", "not valid JSON"},
      {"truncated", "not valid JSON"},
      {"missing", "no row of this name"},
      {"twice", "two rows"},
      {"error", "out of memory"},
      {"negative", "not positive"},
      {"wrongunit", "check the time unit"},
      {"nocounter", "units_per_second"},
      {"teardown", "exited with code 3"},
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
  EXPECT_HAS(result.output, " --yes --reason");  // there is no terminal to ask on
  EXPECT_HAS(result.output, "NOTHING DECIDED (exit 0): 1 uncompared");
  EXPECT_HAS(line_of(result, "demo/cpu/01_a"), "against itself: same");
  EXPECT_LACKS(line_of(result, "demo/cpu/01_a"), "->") << "noise is no change";
  EXPECT_TRUE(std::regex_search(line_of(result, "demo/cpu/01_a"), std::regex(" - +- ")))
      << "neither a change nor an interval";
  EXPECT_EQ(gate({"--strict"}).exit_code, 3);
  ASSERT_EQ(accept().exit_code, 0);
  const ProcessResult again = gate({"--strict"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_LACKS(again.output, "COMPARED");
  setenv("RATCHET_FAKE_CPU", "Other Box", 1);
  const ProcessResult elsewhere = gate();
  unsetenv("RATCHET_FAKE_CPU");
  EXPECT_EQ(elsewhere.exit_code, 0);
  EXPECT_HAS(elsewhere.output, "demo.json is of another machine: cpu.model is ");
  EXPECT_HAS(elsewhere.output, " there, Other Box here");
  const stats::Analysis analysis = stats::plan_stored(9, 1).front();
  // Odd against even: an alternation of 10 % shows as such.
  const Decision decision =
      decide_against_itself({1, 1.1, 1, 1.1, 1, 1.1, 1, 1.1, 1, 1.1}, 0.03, analysis);
  EXPECT_NEAR(decision.ratio, 1.1, 1e-12);
  EXPECT_EQ(decide_against_itself({1}, 0.03, analysis).verdict, Verdict::undecided);
  Facts once;
  once.name = "demo/cpu/01_a";
  once.against_itself = decide_against_itself({1}, 0.03, analysis);
  EXPECT_EQ(judge(once).verdict, Verdict::uncompared);
  EXPECT_FALSE(judge(once).decision.has_value());  // so that no change of 0 % is shown
  EXPECT_EQ(to_string(judge(once).reason), "no baseline of this machine");
}

TEST_F(Rule, S24TheProgramIsToldItsCpuAndNobodyElse) {
  const std::filesystem::path script = folder() / "program.sh";
  write(script, "#!/bin/sh\necho \"$RATCHET_CPU\" > " + (folder() / "cpu").string() + "\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  ProgramOptions options;
  options.program = script;
  RatchetProgram(options).measure("demo/cpu/01_a", {1, "", folder() / "out.json", 3});
  EXPECT_EQ(read(folder() / "cpu"), "3\n");
  EXPECT_EQ(getenv("RATCHET_CPU"), nullptr);
}

TEST_F(Rule, TheProgramNamesTheUnitOfItsRows) {
  setenv("RATCHET_FAKE_UNIT", "sums", 1);
  plan({"demo/cpu/01_a ok 3e6 1000 0.001 d1"});
  EXPECT_HAS(line_of(gate(), "demo/cpu/01_a"), "3.00 M sums/s");
  EXPECT_HAS(accept().output, "new: 3.00 M sums/s");
  plan({"demo/cpu/01_a ok 2e6 1000 0.001 d2"});
  EXPECT_HAS(line_of(gate({"--stored"}), "demo/cpu/01_a"), "3.00 -> 2.00 M sums/s");
  EXPECT_HAS(read(results().parent_path() / "throughput.json"), "\"unit\":\"sums/s\"");
  EXPECT_HAS(read(results().parent_path() / "report.html"), "\"unit\":\"sums\"");
  const auto history = results().parent_path() / "history.sqlite";
  EXPECT_HAS(ratchet({"history", "demo/cpu/01_a", "--history", history}).output, " sums/s");
  unsetenv("RATCHET_FAKE_UNIT");
}

TEST_F(Rule, RegressionIsNamedWithSizeAndInterval) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001", "demo/cpu/02_b ok 1e6 1000 0.001"});
  plan({"demo/cpu/01_a ok 1e6 1000 0.001", "demo/cpu/02_b ok 0.5e6 1000 0.001"});
  setenv("RATCHET_FAKE_SEED", "2", 1);
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_HAS(line_of(result, "demo/cpu/02_b"), "slower");
  EXPECT_HAS(line_of(result, "demo/cpu/02_b"), "-50.");
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

TEST_F(Rule, TwoRowsOfOneProgramAreComparedLikeTwoBuilds) {
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 0.9e6 1000 0.001 aa",
        "demo/cpu/03_c ok 1e6 2000"});
  const auto compare = [&](const std::vector<std::string>& words) {
    std::vector<std::string> arguments = {"compare", "--exec", worker(), "--results",
                                          folder() / "compare"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    return ratchet(arguments);
  };
  const ProcessResult slower = compare({"--rows", "01_a", "demo/cpu/02_b"});
  EXPECT_EQ(slower.exit_code, 1) << slower.output;
  EXPECT_HAS(line_of(slower, "demo/cpu/02_b"), "slower");
  EXPECT_HAS(line_of(slower, "demo/cpu/02_b"), " -9.");
  EXPECT_HAS(slower.output, "worker.sh (before) against demo/cpu/02_b of ");
  const ProcessResult faster = compare({"--rows", "02_b", "01_a"});
  EXPECT_EQ(faster.exit_code, 0);
  EXPECT_HAS(line_of(faster, "demo/cpu/01_a"), "faster");
  // A name as `gate` prints it, with the program before it.
  EXPECT_EQ(compare({"--rows", "worker.sh/demo/cpu/01_a", "worker.sh/demo/cpu/02_b"}).exit_code, 1);
  // A name as Google Benchmark prints it, with the options of its timing.
  EXPECT_EQ(compare({"--rows", "demo/cpu/01_a/real_time", "demo/cpu/02_b/iterations:5"}).exit_code,
            1);
  // A row with itself is measured, too.
  const ProcessResult itself = compare({"--rows", "01_a", "01_a"});
  EXPECT_HAS(line_of(itself, "demo/cpu/01_a"), "same");
  EXPECT_LACKS(itself.output, "identical work");
  // The rate counts, not what one call does. The other side may be another program.
  const ProcessResult more = compare({"--exec", worker(), "--rows", "03_c", "02_b"});
  EXPECT_EQ(more.exit_code, 1);
  EXPECT_HAS(line_of(more, "demo/cpu/02_b"), " -9.");
  for (const auto& [words, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--rows", "01_a", "04_d"}, "'04_d' selects 0 rows of " + worker() + "; name one"},
           {{"--rows", "0", "01_a"}, "'0' selects 3 rows of " + worker() + "; name one"},
           {{"--rows", "01_a", "demo/cpu/02_n"}, "name one; did you mean demo/cpu/02_b?"},
           {{"--rows", "01_a", "Bits/real_time"},
            "name one of its rows: demo/cpu/01_a, demo/cpu/02_b, demo/cpu/03_c"},
           {{"--rows", "01_a"}, "--rows"},
           {{"--rows", "01_a", "02_b", "--filter", "01_a"},
            "--filter has no effect with --rows"}}) {
    const ProcessResult refused = compare(words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_HAS(refused.output, said);
  }
}

}  // namespace

}  // namespace ratchet::gate

namespace ratchet {

// Rows of OpenCL stages in the gate: what is known of the device comes with their launches alone.

namespace {

class GateOpencl : public GateFixture {
 protected:
  const std::vector<std::string> rows_ = {"demo/cpu/01_a ok 1e6 1000",
                                          "demo/opencl/01_b ok 2e6 1000"};
};

TEST_F(GateOpencl, TheDeviceIsPartOfTheBaselineOfTheCpuThatItIs) {
  store(rows_);
  const Measurements baseline = read_measurements(stored());  // both rows, in the CPU's folder
  EXPECT_EQ(baseline.rows.size(), 2u);
  EXPECT_EQ(baseline.context.at("opencl.device"), "Fake CL");
  const ProcessResult again = gate();
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_EQ(again.output.find("WAS COMPARED"), std::string::npos) << again.output;
}

TEST_F(GateOpencl, AnotherDeviceIsNotComparedAndTheCpusRowsStillAre) {
  store(rows_);
  setenv("RATCHET_FAKE_OPENCL", "Other CL", 1);
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_HAS(result.output, "NOT EVERYTHING WAS COMPARED");
  EXPECT_HAS(result.output, ", 1 row).");
}

TEST_F(GateOpencl, AcceptingACpuRowAloneKeepsTheDeviceOfTheOthers) {
  store(rows_);
  plan({"demo/cpu/01_a ok 3e6 1000"});
  gate({"--filter", "cpu"});
  const ProcessResult accepted = accept({"demo/cpu/01_a"});
  EXPECT_EQ(accepted.exit_code, 0) << accepted.output;
  const Measurements baseline = read_measurements(stored());
  EXPECT_EQ(baseline.context.at("opencl.device"), "Fake CL");
  EXPECT_EQ(baseline.rows.count("demo/opencl/01_b"), 1u);
}

}  // namespace

}  // namespace ratchet
