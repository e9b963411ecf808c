// Rows are judged at the very points that are timed, before they are timed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/baseline/measurements.h"
#include "perf/gate/run/bench_program.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

using gate::RatchetProgram;

class GatePoint : public GateFixture {
 protected:
  /// What the launches of the last gate say of a row; nothing where it has none.
  std::optional<double> verified_in_situ(const std::string& row) {
    const Measurements measured = read_measurements(results());
    const auto found = measured.rows.find(row);
    if (found == measured.rows.end()) return std::nullopt;
    return found->second.launches.front().counter("verified_in_situ");
  }
  nlohmann::json verdict_of(const std::string& row) {
    return read_json(results())["context"]["ratchet"]["rows"][row];
  }
};

TEST_F(GatePoint, S32ARowThatIsWrongWhereItIsTimedIsNotTimed) {
  plan({"demo/cpu/01_a failpoint 1e6 1000", "demo/cpu/02_b crashpoint 1e6 1000",
        "demo/cpu/03_c ok 1e6 1000"});
  EXPECT_EQ(gate().exit_code, 2);
  EXPECT_EQ(verdict_of("demo/cpu/01_a")["verdict"], "failed");
  EXPECT_EQ(verdict_of("demo/cpu/01_a")["reason"], "in-situ check: counted 3 of 4");
  EXPECT_HAS(verdict_of("demo/cpu/02_b")["reason"].get<std::string>(), "killed by signal 11");
  EXPECT_EQ(verified_in_situ("demo/cpu/01_a"), std::nullopt);
  EXPECT_EQ(verified_in_situ("demo/cpu/03_c"), 1.0);
}

TEST_F(GatePoint, S32ARowThatNobodyCouldJudgeIsTimedButIsNoBaseline) {
  plan({"demo/cpu/01_a nopoint 1e6 1000"});
  EXPECT_EQ(gate().exit_code, 0);
  EXPECT_EQ(verified_in_situ("demo/cpu/01_a"), 0.0);
  EXPECT_EQ(accept().exit_code, 2);
  EXPECT_HAS(accept().output, "accept it with --unchecked");
  EXPECT_EQ(accept({"--unchecked"}).exit_code, 0);
}

TEST_F(GatePoint, S32WhatExecutesWhatWasAcceptedIsNotJudgedAgain) {
  store({"demo/cpu/01_a ok 1e6 1000 0.001 aa", "demo/cpu/02_b ok 1e6 1000 0.001 bb"});
  plan({"demo/cpu/01_a failpoint 1e6 1000 0.001 aa", "demo/cpu/02_b failpoint 1e6 1000 0.001 cc"});
  EXPECT_EQ(gate({"--stored"}).exit_code, 2);
  EXPECT_EQ(verdict_of("demo/cpu/01_a")["verdict"], "same");
  EXPECT_EQ(verdict_of("demo/cpu/02_b")["verdict"], "failed");
  // On another machine it was not judged yet.
  setenv("RATCHET_FAKE_CPU", "Other CPU", 1);
  EXPECT_EQ(gate({"--stored"}).exit_code, 2);
  unsetenv("RATCHET_FAKE_CPU");
  EXPECT_EQ(verdict_of("demo/cpu/01_a")["verdict"], "failed");
}

TEST_F(GatePoint, S32TheBaseIsJudgedWhereItsBeingWrongWouldShow) {
  const auto side = [&](const std::string& name, const std::vector<std::string>& rows) {
    const auto file = folder() / (name + ".plan");
    write(file, fmt::format("{}\n", fmt::join(rows, "\n")));
    const auto program = folder() / (name + ".sh");
    write(program,
          fmt::format("#!/bin/sh\nRATCHET_FAKE_PLAN={} exec {} \"$@\"\n", file.string(), worker()));
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return program.string();
  };
  const std::string base =
      side("base", {"demo/cpu/01_a failpoint 2e6 1000", "demo/cpu/02_b failpoint 1e6 1000",
                    "demo/cpu/03_c ok 2e6 1000", "demo/cpu/04_d ok 1e6 1000"});
  const std::string now =
      side("now", {"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 1e6 1000",
                   "demo/cpu/03_c ok 1e6 1000", "demo/cpu/04_d failpoint 1e6 1000"});
  const ProcessResult result = ratchet({"compare", "--exec", base, "--exec", now, "--results",
                                        folder() / "results", "--budget-s", "20"});
  EXPECT_EQ(verdict_of("demo/cpu/01_a")["verdict"], "new") << result.output;
  EXPECT_EQ(verdict_of("demo/cpu/01_a")["reason"],
            "the base fails: in-situ check: counted 3 of 4; nothing to compare");
  EXPECT_EQ(verdict_of("demo/cpu/02_b")["verdict"], "same");
  EXPECT_EQ(verdict_of("demo/cpu/03_c")["verdict"], "slower");
  EXPECT_EQ(verdict_of("demo/cpu/04_d")["reason"], "new build, in-situ check: counted 3 of 4");
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_HAS(result.output, "2 rows of the base build were checked in situ");
}

TEST_F(GatePoint, S32NobodyIsJudgedInNoTime) {
  plan({"demo/cpu/01_a failpoint 1e6 1000"});
  EXPECT_EQ(gate({"--verify-limit-s", "0"}).exit_code, 0);
  EXPECT_EQ(verified_in_situ("demo/cpu/01_a"), 0.0);
}

TEST_F(GatePoint, S32NoRowIsJudgedWhenTheTimeOfAllIsOver) {
  std::vector<std::string> rows;
  for (int i = 0; i < 12; ++i)
    rows.push_back(fmt::format("demo/cpu/{:02}_a slowpoint 1e6 1000", i));
  plan(rows);
  // A fifth of the budget is 2 s: at most eight at once are begun before, and none after.
  const ProcessResult result = gate({"--budget-s", "10", "--verify-limit-s", "0.1"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_HAS(result.output, "more rows were not checked in situ");
  int judged = 0;
  for (int i = 0; i < 12; ++i)
    judged += verified_in_situ(fmt::format("demo/cpu/{:02}_a", i)) == 1.0;
  EXPECT_GE(judged, 1);
  EXPECT_LE(judged, 8);
}

TEST_F(GatePoint, S32AProgramThatKnowsNoSuchCheckIsLeftAlone) {
  const auto program = [&](const std::string& body) {
    const auto file = folder() / "program.sh";
    write(file, "#!/bin/sh\n" + body);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    gate::ProgramOptions options;
    options.program = file;
    return RatchetProgram(options);
  };
  const std::vector<RowId> rows = {"demo/cpu/01_a"};
  const RatchetProgram old =
      program("echo 'x: unknown flag: --ratchet_verify_in_situ=true; see --help' >&2; exit 2\n");
  EXPECT_TRUE(old.verify_in_situ(rows, 1).empty());
  const RatchetProgram silent = program("exit 0\n");
  EXPECT_FALSE(silent.verify_in_situ(rows, 1).at(rows[0]).passed);
  const RatchetProgram other =
      program("echo '{\"row\": \"demo/cpu/02_b\", \"state\": \"right\"}'; exit 0\n");
  EXPECT_FALSE(other.verify_in_situ(rows, 1).at(rows[0]).passed);
}

}  // namespace
}  // namespace ratchet
