// Programs of nvbench's as `ratchet compare --exec` and `ratchet gate --bench` drive them. No GPU
// is wanted: tools/nvbench_stand_in.cpp speaks nvbench's command line and writes its JSON. The real
// programs of ci/lab nvbench-example are tried where RATCHET_NVBENCH names the folder they lie in.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/programs.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

const fs::path stand_in = built_program("correctness/nvbench_stand_in");

/// A variable for this process and those that it starts, until the end of the test.
class Nvbench : public GateFixture {
 protected:
  void set(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    set_.push_back(name);
  }
  void TearDown() override {
    for (const std::string& name : set_) unsetenv(name.c_str());
    GateFixture::TearDown();
  }
  static gate::ThirdPartyProgram program(const std::vector<std::string>& arguments = {},
                                         const std::string& filter = "", double limit_s = 60) {
    return gate::ThirdPartyProgram(
        {.program = stand_in, .launch_limit_s = limit_s, .arguments = arguments, .filter = filter});
  }
  gate::LaunchOutcome measure(const gate::BenchProgram& program, const std::string& row) {
    return program.measure(row, {0.01, "", folder() / "launch.json", {}});
  }
  /// The program with this many microseconds a call. A script, which has no digest of its own: of
  /// two that have one work would be identical.
  fs::path at(const std::string& name, double microseconds) {
    const fs::path file = folder() / name;
    write(file, "#!/bin/sh\nNVB_US=" + std::to_string(microseconds) + " exec " + stand_in.string() +
                    " \"$@\"\n");
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
  ProcessResult compare(const fs::path& before, const fs::path& now,
                        const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {built_program("perf/ratchet"),
                                      "compare",
                                      "--exec",
                                      before.string(),
                                      "--exec",
                                      now.string(),
                                      "--budget-s",
                                      "20",
                                      "--results",
                                      (folder() / "compared").string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_process(words, 300);
  }

 private:
  std::vector<std::string> set_;
};

const std::vector<RowId> rows_of_one_device = {
    "copy/T:I8/Elements:1024/Scale:0.5", "copy/T:std::complex<float>/Elements:1024/Scale:0.5",
    "copy/T:I8/Elements:65536/Scale:0.5", "copy/T:std::complex<float>/Elements:65536/Scale:0.5",
    "spin"};

TEST_F(Nvbench, ListsAndMeasuresEachState) {
  for (const char* old : {"", "yes"}) {
    if (*old) set("NVB_OLD", old);  // refuses --no-batch
    const gate::ThirdPartyProgram all = program();
    ASSERT_EQ(all.list().rows, rows_of_one_device);
    for (const std::string& row : rows_of_one_device) {
      const gate::LaunchOutcome outcome = measure(all, row);
      EXPECT_EQ(outcome.failure, "") << row;
      ASSERT_TRUE(outcome.launch) << row;
      EXPECT_NEAR(outcome.launch->real_ms, 0.01, 1e-4) << row;
      EXPECT_EQ(outcome.launch->iterations, 50);
      EXPECT_EQ(outcome.basis, "1/GPU time (samples)") << row;
    }
  }
  EXPECT_EQ(program({}, "-65536").list().rows,
            (std::vector<RowId>{rows_of_one_device[0], rows_of_one_device[1], "spin"}));
}

TEST_F(Nvbench, OnTwoDevices) {
  set("NVB_DEVICES", "2");
  const gate::ThirdPartyProgram both = program({}, "spin");
  ASSERT_EQ(both.list().rows, (std::vector<RowId>{"spin/device:0", "spin/device:1"}));
  EXPECT_NEAR(measure(both, "spin/device:0").launch->real_ms, 0.01, 1e-4);
  EXPECT_NEAR(measure(both, "spin/device:1").launch->real_ms, 0.02, 2e-4);
  const gate::ThirdPartyProgram one = program({"--devices", "1"}, "spin");
  ASSERT_EQ(one.list().rows, std::vector<RowId>{"spin"});
  EXPECT_NEAR(measure(one, "spin").launch->real_ms, 0.02, 2e-4);
  EXPECT_HAS(error_of([] { program({"-d", "7"}); }), "there is no GPU 7 here");
  // The device of a row is no change of the machine.
  const ProcessResult result = compare(at("a", 10), at("b", 10), {"--filter", "spin"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

TEST_F(Nvbench, OneBadStateCostsItself) {
  set("NVB_SKIP", "I8");
  const gate::ThirdPartyProgram skips = program();
  EXPECT_EQ(measure(skips, rows_of_one_device[0]).failure, "no kernel for I8");
  EXPECT_EQ(measure(skips, rows_of_one_device[1]).failure, "");
  set("NVB_CRASH", "copy");
  EXPECT_HAS(measure(skips, rows_of_one_device[1]).failure, "the program was killed by signal 6");
  EXPECT_EQ(measure(skips, "spin").failure, "");
  set("NVB_GARBAGE", "spin");
  EXPECT_HAS(measure(skips, "spin").failure, "its output is not valid JSON");
  set("NVB_HANG", "spin");
  EXPECT_HAS(measure(program({}, "", 1), "spin").failure, "did not finish within 1 s");
  const ProcessResult result = compare(at("a", 10), at("b", 10), {"--launch-limit-s", "2"});
  EXPECT_EQ(result.exit_code, 2) << result.output << result.errors;
  EXPECT_HAS(result.output, "killed by signal 6");
}

TEST_F(Nvbench, ArgumentsThatChooseAreRefused) {
  for (const char* flag : {"--benchmark", "--axis", "--json"})
    EXPECT_HAS(error_of([&] { program({flag, "x"}); }), "select rows with --filter") << flag;
  EXPECT_HAS(error_of([] { program({"--nonsense"}); }),
             "cannot list its benchmarks: exited with code 1: Unrecognized command-line argument");
}

TEST_F(Nvbench, SlowerAndTheSame) {
  const ProcessResult slower = compare(at("a", 10), at("b", 11), {"--filter", "spin|I8"});
  EXPECT_EQ(slower.exit_code, 1) << slower.output << slower.errors;
  EXPECT_HAS(slower.output, "slower");
  const ProcessResult same = compare(at("a", 10), at("b", 10), {"--filter", "spin"});
  EXPECT_EQ(same.exit_code, 0) << same.output << same.errors;
  EXPECT_LACKS(same.output, "slower");
}

TEST_F(Nvbench, GatesAgainstAStoredBaseline) {
  const fs::path bench = at("my_bench", 10);
  const ProcessResult first = gate_of(bench, {"--budget-s", "20"});
  EXPECT_EQ(first.exit_code, 0) << first.output << first.errors;
  EXPECT_HAS(first.output, "my_bench/copy/T:I8/Elements:1024/Scale:0.5");
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
  at("my_bench", 20);  // one stored run tells nothing of less
  const ProcessResult slower = gate_of(bench, {"--budget-s", "20", "--filter", "spin"});
  EXPECT_EQ(slower.exit_code, 1) << slower.output << slower.errors;
}

/// Where ci/lab nvbench-example left its programs; empty where the environment does not say.
fs::path real_programs() {
  const char* folder = std::getenv("RATCHET_NVBENCH");
  return folder ? fs::absolute(folder) : fs::path();
}

const std::vector<RowId> real_rows = {"saxpy/Elements:4194304", "saxpy/Elements:67108864",
                                      "picky/Mode:some/Elements:1000000",
                                      "picky/Mode:none/Elements:1000000", "spin"};
constexpr char no_programs[] = "RATCHET_NVBENCH names no folder that ci/lab nvbench-example filled";

TEST_F(Nvbench, TheRealProgramWithoutAGpu) {
  if (real_programs().empty()) GTEST_SKIP() << no_programs;
  const auto taking = [&](const std::string& microseconds) {
    const fs::path file = folder() / ("takes" + microseconds);
    write(file, "#!/bin/sh\nNO_GPU_US=" + microseconds + " exec " +
                    (real_programs() / "nvb_example_no_gpu").string() + " \"$@\"\n");
    fs::permissions(file, fs::perms::owner_all);
    return file;
  };
  const gate::ThirdPartyProgram real({.program = taking("20")});
  EXPECT_EQ(real.list().rows, real_rows);
  EXPECT_EQ(measure(real, real_rows[3]).failure, "there is nothing to do in this mode");
  for (const std::size_t row : {0, 2, 4}) {
    const gate::LaunchOutcome outcome = measure(real, real_rows[row]);
    EXPECT_EQ(outcome.basis, "1/GPU time (samples)") << outcome.failure;
    ASSERT_TRUE(outcome.launch);
    EXPECT_NEAR(outcome.launch->real_ms, 0.02, 1e-4);
  }
  EXPECT_EQ(compare(taking("20"), taking("22"), {"--filter", "spin|4194304"}).exit_code, 1);
  EXPECT_EQ(compare(taking("20"), taking("20.0"), {"--filter", "spin|4194304"}).exit_code, 0);
  set("NO_GPU_DEVICES", "2");
  EXPECT_EQ(gate::ThirdPartyProgram({.program = taking("20"), .filter = "spin"}).list().rows,
            (std::vector<RowId>{"spin/device:0", "spin/device:1"}));
}

TEST_F(Nvbench, TheRealProgram) {
  if (real_programs().empty()) GTEST_SKIP() << no_programs;
  const fs::path fast = real_programs() / "nvb_example",
                 slow = real_programs() / "nvb_example_slow";
  if (!run_process({fast.string(), "--jsonlist-devices"}, 60).ok())
    GTEST_SKIP() << "there is no GPU";
  const gate::ThirdPartyProgram real({.program = fast, .arguments = {"--devices", "0"}});
  EXPECT_EQ(real.list().rows, real_rows);
  EXPECT_EQ(measure(real, real_rows[3]).failure, "there is nothing to do in this mode");
  const std::vector<std::string> rows = {
      "--filter", "saxpy/Elements:67108864|spin", "--by-time", "--", "--devices", "0"};
  const ProcessResult slower = compare(fast, slow, rows);
  EXPECT_EQ(slower.exit_code, 1) << slower.output << slower.errors;
  EXPECT_HAS(slower.output, "slower");
  const ProcessResult same = compare(fast, fast, rows);
  EXPECT_EQ(same.exit_code, 0) << same.output << same.errors;
}

}  // namespace
}  // namespace ratchet
