// What stands beside the time in a comparison with a stored baseline: the control workload, the
// machine code, and how a launch was summed up.
#include <gtest/gtest.h>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/perf/support/fake_program.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/rule/limit.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/gate/run/judging.h"
#include "perf/output/files/output_row.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {
namespace {

Row row_of(double speed, double reference, double version = 1, double quantile = 0.25) {
  Row row;
  row.name = "demo/cpu/01_a";
  for (int i = 0; i < 9; ++i) {
    const double noise = 1 + 0.001 * (i - 4);
    Launch launch;
    launch.index = i;
    launch.real_ms = 1e6 / (speed * noise);
    launch.counters = {{"units", 1000},
                       {"units_per_second", speed * noise},
                       {"verified", 1},
                       {"centre", quantile}};
    if (reference > 0) {
      launch.counters["control_per_second"] = reference * (1 + 0.0005 * ((i * 5) % 9 - 4));
      launch.counters["control_version"] = version;
    }
    row.launches.push_back(launch);
  }
  return row;
}

class GateStored : public GateFixture {
 protected:
  /// Rows of identical work that ran as fast as stored.
  std::vector<double> controls_ = {0.0004, -0.0002, 0.0001, -0.0004, 0.0002, 0.0001};

  RowReport judged(const Row& stored, const Row& now, const std::string& stored_code = "",
                   const std::string& code = "") {
    Measurements baseline;
    baseline.context = {{"cpu.model", "A"}, {"ratchet", {{"format", 1}}}};
    if (!stored_code.empty()) baseline.context["ratchet"]["code"][stored.name] = stored_code;
    baseline.rows[stored.name] = stored;
    write(baselines() / "a" / "demo.json", to_text(baseline));
    const BaselineStore store(baselines());
    const stats::Analysis analysis = stats::plan_stored(9, 1).front();
    return gate::judged({stored_facts(
        now, {store, baseline.fingerprint(), analysis, analysis, {{Device::cpu, controls_}}},
        {{{now.name.stage(), code}}, {}, {}, {}})})[0];
  }
};

TEST_F(GateStored, S21AMachineThatIsSlowerTodayIsNoRegression) {
  // Everything runs at 0.9 of its speed, the control workload too.
  const RowReport machine = judged(row_of(1e6, 5000), row_of(0.9e6, 4500));
  EXPECT_EQ(machine.verdict, Verdict::undecided);
  EXPECT_HAS(to_string(machine.reason),
             "slower as measured, but same relative to the control workload");
  EXPECT_HAS(to_string(machine.reason), "-10.0 %");
  // The stage alone is slower, or faster.
  EXPECT_EQ(judged(row_of(1e6, 5000), row_of(0.9e6, 5000)).verdict, Verdict::slower);
  EXPECT_EQ(judged(row_of(1e6, 5000), row_of(1.1e6, 5000)).verdict, Verdict::faster);
  EXPECT_EQ(judged(row_of(1e6, 5000), row_of(1e6, 5000)).verdict, Verdict::same);
}

TEST(Agreed, SeesWhatTheBlinderViewSees) {
  Decision measured, normalised;
  measured.detectable = 0.02;
  normalised.detectable = 0.05;
  EXPECT_EQ(agreed(measured, normalised, 1).detectable, 0.05);
  EXPECT_EQ(agreed(normalised, measured, 1).detectable, 0.05);
}

TEST_F(GateStored, S21AFasterMachineDoesNotHideASlowerStage) {
  const RowReport hidden = judged(row_of(1e6, 5000), row_of(1e6, 6000));
  EXPECT_EQ(hidden.verdict, Verdict::undecided);
  EXPECT_HAS(to_string(hidden.reason),
             "same as measured, but slower relative to the control workload");
}

TEST_F(GateStored, S21WithoutACommonReferenceTheTimeAloneDecides) {
  EXPECT_EQ(judged(row_of(1e6, 0), row_of(0.9e6, 4500)).verdict, Verdict::slower);
  EXPECT_EQ(judged(row_of(1e6, 5000, 1), row_of(0.9e6, 4500, 2)).verdict, Verdict::slower);
}

TEST_F(GateStored, S23IdenticalMachineCodeTurnsADifferenceIntoDoubt) {
  const RowReport same = judged(row_of(1e6, 0), row_of(0.9e6, 0), "abc", "abc");
  EXPECT_EQ(same.verdict, Verdict::undecided);
  EXPECT_HAS(to_string(same.reason), "slower by time, but identical machine code");
  EXPECT_EQ(texts(same.remarks), std::vector<std::string>{"identical machine code"});
  const RowReport other = judged(row_of(1e6, 0), row_of(0.9e6, 0), "abc", "abd");
  EXPECT_EQ(other.verdict, Verdict::slower);
  EXPECT_EQ(other.code_hash, "abd");
  EXPECT_EQ(judged(row_of(1e6, 0), row_of(0.9e6, 0), "", "abd").verdict, Verdict::slower);
}

Row with_blocks(Row row, double blocks) {
  for (Launch& launch : row.launches)
    launch.counters["device_work"] = launch.counters["blocks"] = blocks;
  return row;
}

TEST_F(GateStored, S23TheSameMachineCodeMayBeLaunchedOtherwise) {
  const RowReport other =
      judged(with_blocks(row_of(1e6, 0), 528), with_blocks(row_of(0.9e6, 0), 264), "abc", "abc");
  EXPECT_EQ(other.verdict, Verdict::slower);
  const auto reasons = output_row(other, {}).reasons;
  ASSERT_FALSE(reasons.empty());
  EXPECT_EQ(reasons[0], "it launches 264 blocks, 528 before");
  // The same launches, or a side whose launches are unknown, or that differ among each other.
  EXPECT_EQ(
      judged(with_blocks(row_of(1e6, 0), 528), with_blocks(row_of(0.9e6, 0), 528), "abc", "abc")
          .verdict,
      Verdict::undecided);
  EXPECT_EQ(judged(row_of(1e6, 0), with_blocks(row_of(0.9e6, 0), 528), "abc", "abc").verdict,
            Verdict::undecided);
  Row various = with_blocks(row_of(0.9e6, 0), 264);
  various.launches[3].counters["device_work"] = 1;
  EXPECT_EQ(judged(with_blocks(row_of(1e6, 0), 528), various, "abc", "abc").verdict,
            Verdict::undecided);
}

TEST_F(GateStored, S25EqualDigestsAreNoIdenticalWorkWhereTheGpuWasGivenOther) {
  const std::vector<std::string> rows = {"demo/cuda/01_a ok 1e6 1000 0.0001 aa 528",
                                         "demo/cuda/02_b ok 1e6 1000 0.0001 bb 528"};
  setenv("RATCHET_FAKE_GPU", "Fake GPU", 1);
  store(rows);
  plan({"demo/cuda/01_a ok 9e5 1000 0.0001 aa 264", rows[1]});
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 1) << result.output;
  const auto now = read_json(results())["context"]["ratchet"]["rows"];
  EXPECT_EQ(now["demo/cuda/01_a"]["verdict"], "slower") << result.output;
  EXPECT_EQ(now["demo/cuda/01_a"]["reasons"][0], "it launches 264 blocks, 528 before");
  EXPECT_EQ(now["demo/cuda/01_a"]["work"], "aa") << "the digest stays what it is";
  EXPECT_EQ(now["demo/cuda/02_b"]["reason"], "identical work");
  // As fast as before, it is measured all the same, and no identical work.
  plan({"demo/cuda/01_a ok 1e6 1000 0.0001 aa 264", rows[1]});
  EXPECT_EQ(gate().exit_code, 0);
  const auto fast = read_json(results())["context"]["ratchet"]["rows"]["demo/cuda/01_a"];
  EXPECT_EQ(fast["verdict"], "same");
  EXPECT_NE(fast.value("reason", ""), "identical work");
}

/// The other half is for what lies between occasions.
TEST_F(GateStored, S28LaunchesHaveHalfOfTheError) {
  FakeProgram program(1);
  program.rows["demo/cpu/01_a"] = {};
  const auto begin = [&] { return gate::Run({{"", &program}}, {}, [](const std::string&) {}); };
  gate::Run then = begin();
  then.scheduler().measure(then.ledger().alive(), 9);
  Measurements baseline = then.ledger().measured();
  baseline.context["ratchet"] = {{"format", 1}};
  write(baselines() / "a" / "demo.json", to_text(baseline));
  gate::Run now = begin();
  Executed executed;
  executed.context = baseline.context;
  const auto reports =
      gate::judged(measure_stored(now, BaselineStore(baselines()), executed, {}, {}));
  ASSERT_EQ(reports.size(), 1u);
  ASSERT_TRUE(reports[0].decision && reports[0].decision->simultaneous)
      << to_string(reports[0].reason);
  EXPECT_LE(reports[0].decision->simultaneous->error, stats::kFalseAlarms / 2 / 3)
      << "of three analyses";
}

/// Those of identical work get few launches else, and a contended one decides nothing.
TEST_F(GateStored, S45ALimitGetsItsLaunchesOnABusyMachine) {
  FakeProgram program(1);
  const RowId row = std::string("demo/cpu/01_a");
  program.rows[row] = {};
  const auto begin = [&] { return gate::Run({{"", &program}}, {}, [](const std::string&) {}); };
  gate::Run then = begin();
  then.scheduler().measure(then.ledger().alive(), 9);
  Measurements baseline = then.ledger().measured();
  baseline.context["ratchet"] = {{"format", 1}, {"work", {{row.text(), "aa"}}}};
  write(baselines() / "a" / "demo.json", to_text(baseline));
  program.contended[row] = [n = 0]() mutable { return n++ % 2 == 0; };
  gate::Run now = begin();
  Executed executed;
  executed.context = baseline.context;
  executed.work[row] = "aa";
  const auto facts = measure_stored(now, BaselineStore(baselines()), executed, {}, {}, {row});
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_TRUE(facts[0].same_work);
  EXPECT_EQ(now.ledger().clean_launches(row), launches_for_limits());
}

TEST_F(GateStored, S25IdenticalWorkIsTheSameWhateverTheClockSays) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 bb",
         "demo/cpu/03_c ok 1e6 1000 0.001"});
  // Half as fast, all of them; one executes something else now, of one nothing is known.
  plan({"demo/cpu/01_a ok 5e5 1000 0.001 aa", "demo/cpu/02_b ok 5e5 1000 0.001 b2",
        "demo/cpu/03_c ok 5e5 1000 0.001"});
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 1) << result.output;
  const auto rows = read_json(results())["context"]["ratchet"]["rows"];
  EXPECT_EQ(rows["demo/cpu/01_a"]["verdict"], "same");
  EXPECT_EQ(rows["demo/cpu/01_a"]["reason"], "identical work");
  EXPECT_EQ(rows["demo/cpu/02_b"]["verdict"], "slower");
  EXPECT_EQ(rows["demo/cpu/03_c"]["verdict"], "slower");
  EXPECT_LT(rows["demo/cpu/01_a"]["launches"], rows["demo/cpu/02_b"]["launches"]);
  const ProcessResult by_clock = gate({"--filter", "01_a", "--by-time"});
  EXPECT_EQ(by_clock.exit_code, 1) << "where time alone is to decide";
  EXPECT_HAS(by_clock.output, "SLOWER BY TIME ALONE (exit 1): 1 slower");
  EXPECT_HAS(by_clock.output, "Without --by-time it is same.");
  const auto by_time = read_json(results())["context"]["ratchet"]["rows"]["demo/cpu/01_a"];
  EXPECT_EQ(by_time["remarks"][0],
            "identical work, judged by time: a difference is layout or noise, not the code");
  gate({"--filter", "02_b", "--by-time"});
  EXPECT_FALSE(
      read_json(results())["context"]["ratchet"]["rows"]["demo/cpu/02_b"].contains("remarks"));
}

TEST_F(GateStored, S25IdenticalWorkIsNotTimedWhereACallIsLong) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 2e6 0.001 bb"});
  const auto verdicts = [&] {
    EXPECT_EQ(gate().exit_code, 0);
    return read_json(results())["context"]["ratchet"]["rows"];
  };
  const auto both = verdicts();
  EXPECT_EQ(both["demo/cpu/01_a"]["reason"], "identical work");
  EXPECT_GT(both["demo/cpu/01_a"]["launches"], 0);
  EXPECT_EQ(both["demo/cpu/02_b"]["verdict"], "same");
  EXPECT_EQ(both["demo/cpu/02_b"]["launches"], 0);
  EXPECT_EQ(both["demo/cpu/02_b"]["reason"], "identical work; not timed, since one call is long");
  EXPECT_EQ(gate({"--filter", "02_b"}).exit_code, 0) << "where nothing is timed at all";
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 a2", "demo/cpu/02_b ok 1e6 2e6 0.001 bb"});
  EXPECT_EQ(verdicts()["demo/cpu/01_a"]["reason"], nullptr);
  EXPECT_EQ(accept().exit_code, 0);
  EXPECT_EQ(verdicts()["demo/cpu/02_b"]["verdict"], "same") << "its figures stay";
  plan({"demo/cpu/01_a ok 1e6 1000 0.001 a2", "demo/cpu/02_b ok 0.5e6 2e6 0.001 b2"});
  EXPECT_EQ(gate().exit_code, 1) << "other work is timed however long a call is";
}

/// A verdict needs no clock there, a limit does.
TEST_F(GateStored, S45ARowWithALimitGetsTheLaunchesThatItNeedsAndNoOtherRow) {
  const std::vector<std::string> rows = {"demo/cpu/01_a ok 1e6 1000 0.001 aa",
                                         "demo/cpu/02_b ok 1e6 2e6 0.001 bb",
                                         "demo/cpu/03_c ok 1e6 1000 0.001 cc"};
  store(rows);
  const auto gated = [&](const std::string& limit) {
    gate({"--limit", limit});
    return read_json(results())["context"]["ratchet"]["rows"];
  };
  const auto short_one = gated("01_a<2ms");
  EXPECT_EQ(short_one["demo/cpu/01_a"]["reason"], "identical work");
  EXPECT_EQ(short_one["demo/cpu/01_a"]["launches"], 5);
  EXPECT_EQ(short_one["demo/cpu/01_a"]["limits"][0]["state"], "kept");
  EXPECT_EQ(short_one["demo/cpu/03_c"]["launches"], 3);
  EXPECT_EQ(short_one["demo/cpu/02_b"]["launches"], 0);  // a call takes 2 s, so it is not timed
  const auto long_one = gated("02_b<1s");
  EXPECT_EQ(long_one["demo/cpu/02_b"]["launches"], 5);
  EXPECT_EQ(long_one["demo/cpu/02_b"]["limits"][0]["state"], "exceeded");
  EXPECT_EQ(long_one["demo/cpu/01_a"]["launches"], 3);
}

TEST_F(GateStored, S25WhatTheClockJudgedIsAcceptedWithWhatItExecutes) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001 aa"});
  plan({"demo/cpu/01_a ok 5e5 1000 0.001 aa"});
  EXPECT_EQ(gate({"--by-time"}).exit_code, 1);
  EXPECT_EQ(accept().exit_code, 0);
  EXPECT_EQ(gate().exit_code, 0);
  const auto row = read_json(results())["context"]["ratchet"]["rows"]["demo/cpu/01_a"];
  EXPECT_EQ(row["reason"], "identical work");
  EXPECT_NEAR(row["ratio"].get<double>(), 1, 0.1) << "beside what was accepted";
}

TEST_F(GateStored, S31ARowOfOtherWorkSaysWhereTheReasonIsShown) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001 d1", "demo/cpu/02_b ok 1e6 1000 0.001",
         "demo/cpu/03_c ok 1e6 1000 0.001 d3"});
  plan({"demo/cpu/01_a ok 0.5e6 1000 0.001 d2", "demo/cpu/02_b ok 0.5e6 1000 0.001 d2",
        "demo/cpu/03_c ok 1e6 1000 0.001 d4"});
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_HAS(result.output, "* it executes other code than the baseline\n");
  EXPECT_HAS(result.output, "what differs in its code: ");
  EXPECT_HAS(result.output, " explain demo/cpu/01_a --bench " + worker() + " --base ");
  // Nothing is known of what was not stored, and nothing is to be said of what is as fast.
  EXPECT_EQ(result.output.find("explain demo/cpu/02_b"), std::string::npos);
  EXPECT_EQ(result.output.find("explain demo/cpu/03_c"), std::string::npos);
}

TEST_F(GateStored, S25IdenticalWorkThatFailsOrDoesOtherUnitsIsNotTheSame) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 bb"});
  plan({"demo/cpu/01_a failcheck 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 2000 0.001 bb"});
  EXPECT_EQ(gate().exit_code, 2);
  const auto rows = read_json(results())["context"]["ratchet"]["rows"];
  EXPECT_EQ(rows["demo/cpu/01_a"]["verdict"], "failed");
  EXPECT_EQ(rows["demo/cpu/02_b"]["verdict"], "changed");
}

TEST_F(GateStored, S25IdenticalWorkOnAnotherMachineIsNotCompared) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001 aa"});
  setenv("RATCHET_FAKE_CPU", "Other CPU", 1);
  const ProcessResult result = gate();
  unsetenv("RATCHET_FAKE_CPU");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_HAS(result.output, "uncompared");
  EXPECT_HAS(result.output, "0 + 9");  // launches, as of any row without a baseline
}

TEST_F(GateStored, ASuggestedRepetitionComparesWithStoredFiguresToo) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001 aa"});
  const auto repeat = [&](const std::vector<std::string>& options) {
    gate(options);
    return read_json(results())["context"]["ratchet"]["run"]["commands"].value("repeat", "");
  };
  EXPECT_HAS(repeat({"--stored"}), " --stored");
  EXPECT_LACKS(repeat({}), " --stored");
}

TEST_F(GateStored, S26AMachineAtAnotherSpeedIsSaidAndIsNotTheCode) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 bb"});
  EXPECT_EQ(gate().output.find("rows of identical work"), std::string::npos);
  plan({"demo/cpu/01_a ok 8e5 1000 0.001 aa", "demo/cpu/02_b ok 8e5 1000 0.001 bb"});
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_HAS(result.output,
             "Machine drift: 2 of 2 rows of identical work ran at another speed than stored");
  EXPECT_HAS(result.output, "median -20");
  EXPECT_EQ(gate({"--strict-machine"}).exit_code, 3);
  // What was timed briefly does not replace a baseline.
  const ProcessResult nothing = accept();
  EXPECT_EQ(nothing.exit_code, 0);
  EXPECT_HAS(nothing.output, "nothing to accept: all rows that ran are identical work");
  EXPECT_HAS(nothing.output, "--occasion adds these launches as a further occasion");
  EXPECT_LACKS(nothing.output, "accepted: ");
  EXPECT_HAS(accept({"demo/cpu/01_a"}).errors, "measure again with --by-time");
  gate({"--by-time"});
  EXPECT_EQ(accept({"demo/cpu/01_a"}).exit_code, 0) << "named, and timed";
}

TEST_F(GateStored, S25CodeThatLiesElsewhereIsNamedAndIsTheSame) {
  std::vector<std::string> rows;
  for (int i = 1; i <= 8; ++i)
    rows.push_back("demo/cpu/0" + std::to_string(i) + "_a ok 1e6 1000 0.001 d" + std::to_string(i));
  store(rows);
  rows[4].replace(rows[4].find("1e6"), 3, "8e5");
  plan(rows);
  const ProcessResult result = gate();
  EXPECT_EQ(result.exit_code, 0);
  const auto kept = read_json(results())["context"]["ratchet"]["rows"];
  EXPECT_HAS(kept["demo/cpu/05_a"]["remarks"][0].get<std::string>(),
             "layout: the same code ran 20.");
  EXPECT_FALSE(kept["demo/cpu/04_a"].contains("remarks"));
  EXPECT_HAS(result.output, "layout: the same code ran 20.");
}

TEST_F(GateStored, S28WhatLiesBetweenOccasionsIsPartOfEveryStoredInterval) {
  const Row before = row_of(1e6, 0);
  // Without controls, and with one occasion stored, a tenth may be the day.
  controls_.clear();
  const RowReport day = judged(before, row_of(0.9e6, 0));
  EXPECT_EQ(day.verdict, Verdict::undecided);
  EXPECT_TRUE(day.settled);
  EXPECT_HAS(to_string(day.reason),
             "slower by its launches, but one stored occasion cannot separate");
  EXPECT_EQ(judged(before, row_of(0.5e6, 0)).verdict, Verdict::slower);
  EXPECT_EQ(judged(before, row_of(1e6, 0)).verdict, Verdict::same);
  // Controls that all ran a tenth slower: it was the machine; a row as fast as then is faster.
  controls_ = {-0.1054, -0.1050, -0.1058, -0.1054, -0.1052, -0.1056};
  EXPECT_EQ(judged(before, row_of(0.9e6, 0)).verdict, Verdict::same);
  EXPECT_EQ(judged(before, row_of(1e6, 0)).verdict, Verdict::faster);
  EXPECT_EQ(judged(before, row_of(0.8e6, 0)).verdict, Verdict::slower);
  // Controls that scatter excuse what scatters as much.
  controls_ = {-0.1, 0.1, -0.05, 0.12, 0.02, -0.09};
  const RowReport scattered = judged(before, row_of(0.9e6, 0));
  EXPECT_EQ(scattered.verdict, Verdict::undecided);
  EXPECT_HAS(to_string(scattered.reason), "6 rows of identical work lie ");
}

TEST_F(GateStored, S28StoredOccasionsTellHowFarOccasionsLieApart) {
  controls_.clear();
  const auto occasions = [](const std::vector<double>& speeds) {
    Row row = row_of(speeds.front(), 0);
    for (std::size_t occasion = 1; occasion < speeds.size(); ++occasion)
      for (Launch launch : row_of(speeds[occasion], 0).launches) {
        launch.index = static_cast<int>(row.launches.size());
        launch.counters[counter::occasion] = static_cast<double>(occasion);
        row.launches.push_back(launch);
      }
    return row;
  };
  EXPECT_EQ(occasions_of(occasions({1e6, 1.1e6, 0.9e6})).size(), 3u);
  const Row steady = occasions({1e6, 1.0002e6, 0.9999e6, 1e6, 1.0001e6});
  EXPECT_EQ(judged(steady, row_of(0.9e6, 0)).verdict, Verdict::slower);
  const RowReport unsteady =
      judged(occasions({1e6, 1.05e6, 0.95e6, 1.02e6, 0.98e6}), row_of(0.9e6, 0));
  EXPECT_EQ(unsteady.verdict, Verdict::undecided);
  EXPECT_HAS(to_string(unsteady.reason), "5 stored occasions ");
}

TEST_F(GateStored, S28AFurtherOccasionIsAddedToRowsOfIdenticalWork) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 bb"});
  plan({"demo/cpu/01_a ok 1.1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 b2"});
  gate();
  EXPECT_EQ(accept({"demo/cpu/02_b", "--occasion"}).exit_code, 2) << "that is another program";
  const auto launches = [&] {
    return read_measurements(stored()).rows.at("demo/cpu/01_a").launches.size();
  };
  const std::size_t first = launches();
  const ProcessResult again = accept({"--occasion"});
  EXPECT_HAS(again.output, "of the same day as the last occasion, and counted as part of it");
  EXPECT_EQ(launches(), first + 3);
  EXPECT_EQ(occasions_of(read_measurements(stored()).rows.at("demo/cpu/01_a")).size(), 1u);
  EXPECT_HAS(accept({"--occasion"}).output, "nothing to accept: the baseline already holds");
  EXPECT_EQ(launches(), first + 3);
  for (int occasion = 1; occasion <= 9; ++occasion) {
    auto file = read_json(stored());
    for (auto& entry : file["context"]["ratchet"]["history"])
      entry["date"] = "2020-01-31T12:00:00Z";
    write(stored(), file.dump());
    ASSERT_EQ(accept({"--occasion"}).exit_code, 0);
    const Measurements kept = read_measurements(stored());
    EXPECT_EQ(occasions_of(kept.rows.at("demo/cpu/01_a")).size(), std::min(occasion + 1, 8));
    EXPECT_EQ(occasions_of(kept.rows.at("demo/cpu/02_b")).size(), 1u);
  }
  const auto occasions = occasions_of(read_measurements(stored()).rows.at("demo/cpu/01_a"));
  EXPECT_EQ(occasions.front().front().counter(counter::occasion), 2) << "the oldest are dropped";
  EXPECT_EQ(occasions.back().size(), 3u);
  EXPECT_EQ(gate({"--filter", "01_a"}).exit_code, 0);
}

TEST_F(GateStored, S12LaunchesSummedUpOtherwiseAreChanged) {
  const RowReport report = judged(row_of(1e6, 0, 1, 0.5), row_of(1e6, 0, 1, 0.25));
  EXPECT_EQ(report.verdict, Verdict::changed);
  EXPECT_HAS(to_string(report.reason), "0.25-quantile, before by its 0.5-quantile");
}

TEST_F(GateStored, S30AContendedLaunchIsMadeAgainAndElseTheRowIsUndecided) {
  FakeProgram program(5);
  program.rows["demo/cpu/01_a"] = program.rows["demo/cpu/02_b"] = {};
  program.contended["demo/cpu/01_a"] = [n = 0]() mutable { return n++ % 3 == 1; };
  program.contended["demo/cpu/02_b"] = [] { return true; };
  RunOptions options;
  options.sample_s = 0.05;
  gate::Run run({{"", &program}}, options, [](const std::string&) {});
  run.scheduler().measure(run.ledger().alive(), 6);
  const auto& made = run.ledger().measured().rows.at("demo/cpu/01_a").launches;
  EXPECT_EQ(made.size(), 6u);
  for (const Launch& launch : made) EXPECT_FALSE(launch.contended());
  EXPECT_GE(run.ledger().contended("demo/cpu/01_a"), 2u);
  EXPECT_EQ(run.ledger().contended("demo/cpu/02_b"), 12u);  // as many rounds again, and no more
  EXPECT_EQ(run.ledger().clean_launches("demo/cpu/02_b"), 0u);
  EXPECT_EQ(run.ledger().measured().rows.at("demo/cpu/02_b").launches.size(),
            12u);  // to be seen

  Facts facts;
  facts.by_launches.emplace().verdict = Verdict::slower;
  facts.launches = facts.contended = 12;
  facts.only_contended = true;
  Judgement report = judge(facts);
  EXPECT_EQ(report.verdict, Verdict::undecided);
  EXPECT_HAS(to_string(report.reason), "other processes used the CPU in 12 of 12 launches");
  facts.contended = 3;  // by its clean launches: that stands
  facts.only_contended = false;
  EXPECT_EQ(judge(facts).verdict, Verdict::slower);
}

}  // namespace
}  // namespace ratchet::gate
