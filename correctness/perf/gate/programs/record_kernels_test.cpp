// `ratchet explain` of kernels: what Nsight Compute printed of a real program
// (data/profile/ncu.txt: bmn/cuda/03_backlog on an H200, ncu 2025.3, the columns that are read), a
// stand-in for it, and itself where there is a GPU.
#include <algorithm>
#include <cmath>

#include "correctness/perf/gate/programs/explain_fixture.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/programs/profile.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

using gate::KernelLaunch;
using gate::Profile;

std::string printed_by_ncu() {
  return read_text(fs::path(RATCHET_DATA_DIR) / "perf/gate/data/profile/ncu.txt");
}

constexpr char fill[] = "fill_backlog<int>(Job, const ShuffleTables *, ShortDeal<T1> *)";

TEST(Kernels, OfARealProgram) {
  const std::vector<KernelLaunch> launches = gate::read_ncu(printed_by_ncu(), "a row");
  ASSERT_EQ(launches.size(), 6u);
  EXPECT_EQ(launches.front().kernel, fill) << "without what it returns";
  EXPECT_EQ(launches.front().ns, 105248);
  EXPECT_EQ(launches.front().counters.at("registers of a thread"), 30);
  EXPECT_EQ(launches.front().counters.at("achieved occupancy"), 32.38);
  EXPECT_EQ(launches.front().counters.at("instructions of warps"), 3200772);
  const Profile profile = gate::profile_of(launches, 3);
  EXPECT_EQ(profile.stacks.size(), 2u);
  const gate::StackCost& cost = profile.stacks.at({fill});
  EXPECT_NEAR(cost.cost, (105248 + 87648 + 89376) / 3.0, 1e-6);
  EXPECT_EQ(cost.count, 1);
  EXPECT_NEAR(std::sqrt(cost.variance), 5600, 50) << "standard deviation over the root of three";
  EXPECT_NEAR(profile.counters.at(fill).at("DRAM").value, (39354624 + 2802688 + 1531392) / 3.0, 1);
}

TEST(Kernels, WhatPreparesIsNoPartOfACall) {
  const auto launches = [](int calls) {
    std::vector<KernelLaunch> all = {{"prepare", 1000, {}}, {"both", 70, {}}};
    for (int i = 0; i < calls; ++i) {
      all.push_back({"both", 10, {}});
      all.push_back({"twice", 3, {}});
      all.push_back({"twice", 5, {}});
    }
    return all;
  };
  const Profile profile = gate::profile_of(launches(5), 5, launches(1), 1);
  EXPECT_FALSE(profile.stacks.contains({"prepare"}));
  EXPECT_EQ(profile.stacks.at({"both"}).cost, 10);
  EXPECT_EQ(profile.stacks.at({"twice"}).cost, 8);
  EXPECT_EQ(profile.stacks.at({"twice"}).count, 2);
  EXPECT_EQ(profile.total(), 18);
  // Of an unknown number of calls, one launch each.
  EXPECT_EQ(gate::profile_of(launches(5), 0).stacks.at({"twice"}).cost, 4);
}

/// Of two builds one may be known by its calls, and the other by launches alone.
TEST(Kernels, OfOneLaunchOfEach) {
  const std::vector<KernelLaunch> launches = {{"twice", 3, {}}, {"twice", 5, {}}, {"once", 8, {}}};
  const Profile call = gate::profile_of(launches, 1);
  EXPECT_EQ(call.stacks.at({"twice"}).cost, 8);
  EXPECT_EQ(call.stacks.at({"twice"}).variance, 4);
  const Profile launch = gate::of_one_launch(call);
  EXPECT_EQ(launch.calls, 0);
  EXPECT_EQ(launch.stacks.at({"twice"}).cost, 4);
  EXPECT_EQ(launch.stacks.at({"twice"}).variance, 1);
  EXPECT_EQ(launch.stacks.at({"once"}).cost, 8);
  EXPECT_EQ(gate::of_one_launch(launch).stacks.at({"twice"}).cost, 4);
}

TEST(Kernels, CountersThatChangedAreNamed) {
  const gate::Counters before = {{"instructions of warps", {1.2e6, 0}},
                                 {"DRAM", {2e6, 1e12}},
                                 {"registers of a thread", {32, 0}},
                                 {"achieved occupancy", {50, 0}},
                                 {"L2 cache", {1000, 0}}};
  const gate::Counters now = {{"instructions of warps", {1.9e6, 0}},
                              {"DRAM", {3e6, 1e12}},
                              {"registers of a thread", {40, 0}},
                              {"achieved occupancy", {37.5, 0}},
                              {"L2 cache", {1009, 0}}};
  EXPECT_EQ(
      gate::changed_counters(before, now),
      "instructions of warps 1.2 M -> 1.9 M, achieved occupancy 50.0 % -> 37.5 %, registers of "
      "a thread 32 -> 40")
      << "DRAM by less than two standard deviations, L2 by less than a percent";
  EXPECT_EQ(gate::changed_counters(before, before), "");
  EXPECT_EQ(gate::changed_counters({}, now), "") << "a kernel of one build";
}

TEST(Kernels, WhatNcuCannotReadIsSaid) {
  const auto error = [](const std::string& text) {
    return error_of([&] { gate::read_ncu(text, "my_bench/Axpy"); });
  };
  EXPECT_EQ(error("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have "
                  "permission to access NVIDIA GPU Performance Counters\n"),
            "my_bench/Axpy: ncu cannot record it: ERR_NVGPUCTRPERM - The user does not have "
            "permission to access NVIDIA GPU Performance Counters");
  EXPECT_HAS(error("\"Kernel Name\",\"x\"\n\"\",\"\"\n\"f\"\n"),
             "a line of 1 fields, and 2 columns");
  EXPECT_HAS(error("\"Kernel Name\",\"x\"\n\"\",\"\"\n\"f\",\"1\"\n"),
             "states no gpu__time_duration.sum of a kernel");
  EXPECT_TRUE(gate::read_ncu("==WARNING== No kernels were profiled.\n", "a row").empty());
}

/// A program with device code: the mark of it, as CUDA's linker leaves it.
class ExplainKernels : public ExplainRecords {
 protected:
  void SetUp() override {
    ExplainRecords::SetUp();
    commit_gpu(1);
    commit_gpu(2);
    build();
  }
  void commit_gpu(int cost) {
    commit("#define COST " + std::to_string(cost) +
           "\n#define FAIL 0\nextern const char mark[];\n"
           "__attribute__((used)) const char mark[] = \".nv_fatbin\";\n");
  }
  /// Runs the program, and prints of each call, of which it makes as many as it is told, or one,
  /// two launches of `scale`, and before them one of `prepare`.
  std::string with_ncu(const std::string& last = "") {
    return with_tool(
        "ncu",
        "[ \"$1\" = --version ] && exit\n"
        "calls=1 time=100 registers=32\n"
        "for a; do case $a in\n"
        "  --log-file=*) log=${a#*=} ;;\n"
        "  --benchmark_min_time=*x) calls=${a#*=}; calls=${calls%x} ;;\n"
        "  */results/base/*) time=80 registers=24 ;;\n"
        "esac; done\n"
        "while case $1 in -*) true ;; *) false ;; esac; do shift; done\n"
        "\"$@\" || exit\n"
        "{ echo '==PROF== Connected'\n"
        "  echo '\"Kernel Name\",\"gpu__time_duration.sum\",\"launch__registers_per_thread\"'\n"
        "  echo '\"\",\"ns\",\"register/thread\"'\n"
        "  echo '\"prepare(int)\",\"9,000\",\"10\"'\n"
        "  while [ $calls -gt 0 ]; do calls=$((calls - 1))\n"
        "    for i in 1 2; do echo \"\\\"void "
        "scale<float>(int)\\\",\\\"$time\\\",\\\"$registers\\\"\"\n"
        "    done; done; } >\"$log\"\n" +
            last);
  }
};

TEST_F(ExplainKernels, NamesTheKernelThatGained) {
  const ProcessResult result = explain("--json", with_ncu());
  ASSERT_EQ(result.exit_code, 0) << result.output;
  // Google Benchmark 1.8 is told its calls, an older one is not.
  EXPECT_TRUE(result.output.find("this build, time of one call's kernels by ncu\n") !=
                  std::string::npos ||
              result.output.find("by ncu that one call launches, and those that prepare it\n") !=
                  std::string::npos)
      << result.output;
  EXPECT_HAS(result.output, "| kernel ");
  EXPECT_HAS(result.output, "* `scale<float>(int)`: registers of a thread 24 -> 32\n");
  const auto profile = read_json(project() / "results/profile.json").at("profiles").at(0);
  EXPECT_EQ(profile.at("tool"), "ncu");
  EXPECT_EQ(profile.at("unit"), "ns");
  const auto& kernel = profile.at("functions").at(0);
  EXPECT_EQ(kernel.at("function"), "scale<float>(int)");
  EXPECT_EQ(kernel.at("before"), 160) << "two launches a call";
  EXPECT_EQ(kernel.at("now"), 200);
  EXPECT_EQ(kernel.at("counters").at("registers of a thread").at("now"), 32);
  const std::string page = read(project() / "results/report.html");
  EXPECT_HAS(page, "ncu: time of CUDA kernels");
  EXPECT_HAS(page, "scale\\u003cfloat>(int): registers of a thread 24 -> 32");
}

TEST_F(ExplainKernels, RefusesWhatItCannotRecord) {
  const auto refusal = [&](const ProcessResult& result) {
    EXPECT_EQ(result.exit_code, 2) << result.output;
    return result.output;
  };
  EXPECT_HAS(refusal(explain("", "PATH=/nowhere:/usr/bin:/bin ")), "ncu is not on PATH");
  EXPECT_HAS(
      refusal(explain("", with_ncu("echo '==ERROR== ERR_NVGPUCTRPERM' >\"$log\"; exit 1\n"))),
      "out/my_bench: ncu cannot record it: ERR_NVGPUCTRPERM");
  EXPECT_HAS(refusal(explain("", with_ncu("echo '==WARNING== none' >\"$log\"\n"))),
             "ncu saw no kernel of my_bench/BM_Text/100000 in ");
  EXPECT_HAS(refusal(explain("", with_ncu("kill -9 $$\n"))), "killed");
  EXPECT_HAS(refusal(explain("", with_ncu("echo '==ERROR== The application returned an error code "
                                          "(7).' >\"$log\"; exit 7\n"))),
             "under ncu the program wrote a row, but then: exited with code 7");
  commit("#define COST 1\n#define FAIL 0\n");
  build();
  EXPECT_HAS(refusal(explain("--tool ncu", with_ncu())),
             "my_bench has no CUDA kernels, which ncu records; leave --tool ncu out");
}

/// Its command, with what ncu is told of the range; the stand-in sees a launch a run.
TEST_F(ExplainKernels, RatchetsOwnRowRunsInItsRange) {
  const std::string path =
      with_tool("ncu",
                "for a; do case $a in --log-file=*) log=${a#*=} ;; esac; done\n"
                "echo \"$@\" >" +
                    (folder() / "words").string() +
                    "\nwhile [ \"$1\" != --nvtx-include ]; do shift; done; shift 2\n"
                    "\"$@\" || exit\n"
                    "{ echo '\"Kernel Name\",\"gpu__time_duration.sum\"'; echo '\"\",\"ns\"'\n"
                    "  for i in 1 2 3 4 5 6; do echo '\"f()\",\"50\"'; done; } >\"$log\"\n");
  const std::string before = getenv("PATH");
  setenv("PATH", (path.substr(5, path.find(':') - 5) + ":" + before).c_str(), 1);
  gate::ProgramOptions options;
  options.program = built_program("perf/ratchet-bench");
  options.flags = {"--ratchet_set=battles=1000"};
  const RowId row = std::string("graveler/cpu/04_bit_and_tuned/battles:1000");
  const Profile profile = gate::record_kernels(options, row);
  setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(profile.calls, 3);
  EXPECT_NEAR(profile.stacks.at({"f()"}).cost, 100, 1e-6) << "two launches a run";
  EXPECT_HAS(read(folder() / "words"),
             " --nvtx --nvtx-include regex:ratchet@graveler.cpu.04_bit_and_tuned.battles.1000/ ");
}

/// One to three runs of ratchet's own row, by how long the first takes, within its range.
TEST(CudaKernels, OfRatchetsOwnRow) {
  if (!gate::ncu_refusal().empty()) GTEST_SKIP() << gate::ncu_refusal();
  gate::ProgramOptions options;
  options.program = built_program("perf/ratchet-bench");
  options.flags = {"--ratchet_set=battles=1000000"};
  const RowId row = std::string("graveler/cuda/07_more_multiplications/battles:1000000");
  const std::vector<RowId> rows = gate::open_program(options)->list().rows;
  if (std::find(rows.begin(), rows.end(), row) == rows.end()) GTEST_SKIP() << "no GPU";
  const Profile profile = gate::record_kernels(options, row);
  EXPECT_GE(profile.calls, 1);
  EXPECT_LE(profile.calls, 3);
  ASSERT_EQ(profile.stacks.size(), 1u);
  EXPECT_EQ(profile.stacks.begin()->second.count, 1) << "a launch a run";
  for (const auto& [kernel, counters] : profile.counters) {
    EXPECT_GT(counters.at("registers of a thread").value, 10) << kernel;
    EXPECT_GT(counters.at("instructions of warps").value, 1000) << kernel;
  }
  EXPECT_GT(profile.total(), 1000) << "nanoseconds of a run";
  EXPECT_LT(profile.total(), 1e7);
}

}  // namespace
}  // namespace ratchet
