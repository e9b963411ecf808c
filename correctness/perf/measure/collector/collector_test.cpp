// The collector in a stranger's program, on the GPU of stand_in/.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/programs.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/support/files.h"

namespace ratchet::gate {
namespace {

class CollectorTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("RATCHET_COLLECTOR", built_program("perf/libratchet_collector.so").c_str(), 1);
  }
  void TearDown() override {
    for (const char* name :
         {"RATCHET_COLLECTOR", "STAND_IN_TAKEN", "STAND_IN_DROPS", "STAND_IN_NO_MEMORY"})
      unsetenv(name);
  }
  static ThirdPartyProgram program(std::vector<std::string> arguments = {}) {
    return ThirdPartyProgram({.program = built_program("correctness/collected_bench"),
                              .arguments = std::move(arguments),
                              .device_time = true});
  }
  LaunchOutcome measure(const BenchProgram& bench, const std::string& row) {
    return bench.measure(row, {0.01, "", folder_.path() / "launch.json", {}});
  }
  std::string failure_of(const std::string& row) { return measure(program(), row).failure; }
  ScratchFolder folder_;
};

TEST_F(CollectorTest, TimesWhatTheGpuDidInTheTimedPart) {
  const ThirdPartyProgram bench = program();
  for (const char* row : {"two", "process", "once", "repeated", "graph", "streams"}) {
    const LaunchOutcome outcome = measure(bench, row);
    ASSERT_EQ(outcome.failure, "") << row;
    EXPECT_NEAR(outcome.launch->real_ms, 2e-3, 1e-9) << row;
    EXPECT_EQ(outcome.launch->counter("kernels"), 2) << row;
    EXPECT_NEAR(*outcome.launch->counter("units_per_second"), 5e5, 1) << row;
    EXPECT_EQ(outcome.basis, "1/GPU time (CUPTI)");
  }
  EXPECT_NEAR(measure(program({"--slow=10"}), "two").launch->real_ms, 2.2e-3, 1e-9);
}

TEST_F(CollectorTest, S49GatesTheDeviceMemoryOfARow) {
  const auto bytes = [&](std::vector<std::string> arguments) {
    const ThirdPartyProgram bench({.program = built_program("correctness/collected_bench"),
                                   .arguments = std::move(arguments),
                                   .device_time = true,
                                   .metrics = {"device_memory"},
                                   .rows = "^memory$|^two$"});
    for (const char* row : {"memory", "two"}) EXPECT_EQ(measure(bench, row).failure, "");
    const LaunchOutcome none = measure(bench, "two/device_memory");
    EXPECT_EQ(none.launch->counter("units_per_second"), 1e100) << "0, as it is stored";
    const LaunchOutcome outcome = measure(bench, "memory/device_memory");
    EXPECT_EQ(outcome.failure, "");
    EXPECT_EQ(outcome.basis, "B (smaller is better)");
    return std::round(1 / outcome.launch->counter("units_per_second").value());
  };
  EXPECT_EQ(bytes({}), 4096 + 1000);
  EXPECT_EQ(bytes({"--hold=10000"}), 10000 + 1000);
  const auto refused = [](bool device_time) {
    return error_of([&] {
      ThirdPartyProgram({.program = built_program("correctness/collected_bench"),
                         .device_time = device_time,
                         .metrics = {"device_memory"},
                         .rows = "^memory$"});
    });
  };
  EXPECT_HAS(refused(false), "--metric device_memory: no row of ");
  EXPECT_HAS(refused(false), "--device-time makes the rows of a Google Benchmark program state it");
  setenv("STAND_IN_NO_MEMORY", "1", 1);
  EXPECT_LACKS(refused(true), "--device-time makes");
  EXPECT_EQ(measure(program(), "two").failure, "") << "it times without these records";
}

TEST_F(CollectorTest, FailsTheRowsThatItCannotTell) {
  EXPECT_HAS(failure_of("none"), "no kernel was launched");
  EXPECT_HAS(failure_of("threads/threads:2"), "several threads");
  EXPECT_HAS(failure_of("elsewhere"), "a thread without a timer");
  EXPECT_HAS(failure_of("paused"), "no device time: ");
}

TEST_F(CollectorTest, SaysWhenCuptiIsTakenOrDropsRecords) {
  setenv("STAND_IN_TAKEN", "1", 1);
  EXPECT_HAS(failure_of("two"), "another profiler");
  unsetenv("STAND_IN_TAKEN");
  setenv("STAND_IN_DROPS", "1", 1);
  EXPECT_HAS(failure_of("two"), "dropped");
}

TEST_F(CollectorTest, EndsWithTheFirstLaunchOfAProgramWithoutCuda) {
  const ThirdPartyProgram bench(
      {.program = built_program("correctness/third_party_bench"), .device_time = true});
  EXPECT_HAS(error_of([&] { measure(bench, "plain"); }),
             "third_party_bench uses no CUDA, so --device-time has nothing to time; leave it out");
}

TEST_F(CollectorTest, IsFoundOrSaidToBeMissing) {
  setenv("RATCHET_COLLECTOR", "/nowhere", 1);
  EXPECT_HAS(error_of([] { find_collector(); }),
             "RATCHET_COLLECTOR names a file that does not exist: /nowhere");
  unsetenv("RATCHET_COLLECTOR");
  EXPECT_HAS(error_of([] { find_collector(); }), "needs libratchet_collector.so");
  setenv("CUDA_INJECTION64_PATH", "/some/tool.so", 1);
  EXPECT_HAS(error_of([] { find_collector(); }), "unset CUDA_INJECTION64_PATH");
  unsetenv("CUDA_INJECTION64_PATH");
}

/// The NVTX ranges of a shell command that calls ratchet's programs.
std::string ranges_of(const std::string& command) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "ranges";
  const ProcessResult result =
      run_process({"sh", "-c", "cd " + folder.path().string() + " && " + command}, 120,
                  {{"NVTX_INJECTION64_PATH", built_program("correctness/stand_in/libcupti.so.13")},
                   {"STAND_IN_RANGES", file}});
  EXPECT_TRUE(result.ok()) << result.describe();
  return std::filesystem::exists(file) ? read_text(file) : "";
}

/// On any machine: NVTX needs no GPU.
TEST(NvtxRanges, NameTheActsOfARowInItsRange) {
  const std::string row = "graveler/cpu/05_wyrand/battles:1000";
  const std::string bench =
      built_program("perf/ratchet-bench") +
      " --benchmark_filter=^graveler/cpu/05_wyrand/ --ratchet_set=battles=1000";
  const std::string timed = ranges_of(bench + " --ratchet_budget_s=0.01"),
                    sliced = ranges_of("printf 'go 1\nend\n' | " + bench +
                                       " --ratchet_interleaved --ratchet_skip_check"),
                    profiled = ranges_of(bench + " --ratchet_profile");
  for (const char* act : {"check", "prepare", "warm-up", "sample"})
    EXPECT_HAS(timed, "ratchet: " + row + " > " + act + "\n");
  for (const char* act : {"prepare", "warm-up", "sample"})
    EXPECT_HAS(sliced, "ratchet: " + row + " > " + act + "\n");
  EXPECT_HAS(profiled, "ratchet: prepare\nratchet: " + row + "\nratchet: " + row + " > sample\n");
}

TEST(NvtxRanges, NameTheSlicesOfALongRunningProgram) {
  EXPECT_HAS(ranges_of(built_program("perf/ratchet") + " run bmn exhaust first=0 end=1000"),
             "ratchet: bmn/exhaust > sample\n");
}

}  // namespace
}  // namespace ratchet::gate
