// `ratchet metrics` from outside, on programs that the test compiles: injected changes are seen and
// named, and nothing that a folder's name changes is.
#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/programs.h"
#include "kernels/contract/stage.h"
#include "perf/gate/base/base_build.h"
#include "perf/identity/build/build_options.h"
#include "perf/identity/code/disassembler.h"
#include "perf/support/files.h"

#ifndef RATCHET_NVCC  // a build without CUDA
#define RATCHET_NVCC ""
#endif

namespace ratchet {
namespace {

using counters::code_hashes;

std::set<std::string> same_code(const std::string& a, const std::string& b) {
  return counters::identical_code(code_hashes(a), code_hashes(b));
}

class MetricsCli : public GateFixture {
 protected:
  ProcessResult metrics(std::vector<std::string> arguments, const std::string& program) {
    const std::vector<std::string> all = {"metrics", "--baseline-dir", baselines().string(),
                                          "--bench", program};
    arguments.insert(arguments.begin(), all.begin(), all.end());
    if (std::count(arguments.begin(), arguments.end(), "--accept"))
      arguments.push_back("--uncommitted");  // what is being worked on
    return ratchet(arguments);
  }
};

/// With a compiler and the disassemblers; skipped by name without.
class MetricsLive : public MetricsCli {
 protected:
  void SetUp() override {
    MetricsCli::SetUp();
    if (std::string(RATCHET_NVCC).empty()) GTEST_SKIP() << "this build has no nvcc";
    try {
      // Once, and for all that the test starts.
      setenv("RATCHET_CUOBJDUMP", counters::find_disassembler("cuobjdump").c_str(), 1);
      setenv("RATCHET_NVDISASM", counters::find_disassembler("nvdisasm").c_str(), 1);
    } catch (const counters::NoMetrics& reason) {
      GTEST_SKIP() << reason.what();
    }
  }

  void TearDown() override {
    for (const char* name : {"RATCHET_CUOBJDUMP", "RATCHET_NVDISASM"}) unsetenv(name);
  }

  /// kernels/demo/cuda_01_mix.cu compiled in a folder of that name, once for all tests; an object
  /// file unless the flags ask for a program.
  static std::string build(const std::string& name, std::vector<std::string> flags = {"-c"}) {
    static const ScratchFolder folder;
    const std::string built = (folder.path() / name / "program").string();
    if (std::filesystem::exists(built)) return built;
    const auto source = folder.path() / name / "kernels" / "demo" / "cuda_01_mix.cu";
    std::filesystem::create_directories(source.parent_path());
    std::filesystem::copy_file(
        RATCHET_DATA_DIR "/perf/identity/static_metrics/data/kernels/demo/cuda_01_mix.cu", source);
    flags.insert(flags.begin(), {RATCHET_NVCC, "-arch=sm_90", "-lineinfo", "-o", built});
    flags.push_back(source.string());
    const ProcessResult result = run_process(flags, 300);
    EXPECT_TRUE(result.ok()) << result.describe() << result.errors;
    return built;
  }
};

TEST_F(MetricsLive, HashesAreThoseOfTheCodeAndNotOfTheFolder) {
  const std::string here = build("base");
  const std::string there = build("a/much/longer/folder/there");
  ASSERT_EQ(code_hashes(here).size(), 1u);
  EXPECT_EQ(code_hashes(here).begin()->first, "demo/cuda/01_mix");
  EXPECT_EQ(code_hashes(here), code_hashes(there));
  EXPECT_EQ(same_code(here, there), std::set<std::string>{"demo/cuda/01_mix"});
  EXPECT_EQ(same_code(here, build("plus", {"-c", "-DPLANT_INSTRUCTION"})), std::set<std::string>{});
  EXPECT_EQ(same_code(here, build("table", {"-c", "-DPLANT_TABLE"})), std::set<std::string>{});
  EXPECT_EQ(code_hashes(build("packed", {"--compress-mode=size"})), code_hashes(here));
}

TEST_F(MetricsLive, InjectedChangesFailAndAreNamed) {
  const std::string base = build("base");
  EXPECT_EQ(metrics({}, base).exit_code, 0);
  EXPECT_NE(metrics({}, base).output.find("NOT COMPARED"), std::string::npos);
  EXPECT_EQ(metrics({"--strict"}, base).exit_code, 3);
  EXPECT_EQ(metrics({"--accept", "--reason", "first"}, base).exit_code, 0);
  EXPECT_EQ(metrics({"--strict"}, base).exit_code, 0);
  std::string stored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(baselines()))
    if (entry.path().filename() == "demo.json") stored = read(entry.path());
  EXPECT_HAS(stored, '"' + built_revision(base) + "\":[\"demo/cuda/01_mix\"]");

  const std::string plus = build("plus", {"-c", "-DPLANT_INSTRUCTION"});
  const ProcessResult more = metrics({}, plus);
  EXPECT_EQ(more.exit_code, 1) << more.output;
  EXPECT_HAS(more.output, "demo/cuda/01_mix | mix<Rounds>");
  EXPECT_HAS(more.output, "POPC +1");

  const ProcessResult spilled = metrics({}, build("spill", {"-c", "-DPLANT_SPILL"}));
  EXPECT_EQ(spilled.exit_code, 1);
  EXPECT_HAS(spilled.output, "local_loads 0 -> ");

  const ProcessResult table = metrics({}, build("table", {"-c", "-DPLANT_TABLE"}));
  EXPECT_EQ(table.exit_code, 0) << table.output;
  EXPECT_HAS(table.output, "(tables)");

  EXPECT_EQ(metrics({"--accept", "--reason", "wanted"}, plus).exit_code, 0);
  EXPECT_EQ(metrics({"--strict"}, plus).exit_code, 0);
  EXPECT_EQ(metrics({"01_other"}, plus).exit_code, 77);
}

/// S01 of the rule: metrics of another assembler, option or architecture is no control workload.
TEST_F(MetricsLive, MetricsOfAnotherToolchainIsNotCompared) {
  const std::string base = build("base");
  ASSERT_EQ(metrics({"--accept", "--reason", "first"}, base).exit_code, 0);
  std::filesystem::path stored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(baselines()))
    if (entry.path().filename() == "demo.json") stored = entry.path();
  std::string text = read(stored);
  const std::size_t release = text.find("release ");
  ASSERT_NE(release, std::string::npos) << text;
  write(stored, text.replace(release, 8, "release 0."));
  const ProcessResult result = metrics({}, build("plus", {"-c", "-DPLANT_INSTRUCTION"}));
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_HAS(result.output, "NOT COMPARED");
  EXPECT_HAS(result.output, "stored: ");
  EXPECT_EQ(metrics({"--strict"}, base).exit_code, 3);
  // Nor is it overwritten by what stands in the same folder.
  EXPECT_EQ(metrics({"--accept", "--reason", "again"}, base).exit_code, 2);
}

/// The way from a kernel to its stage holds for the program that the gate runs.
TEST_F(MetricsLive, EveryCudaStageOfTheFamilyHasAHash) {
  const auto hashes = code_hashes(built_program("perf/ratchet-bench"));
  std::set<std::string> distinct;
  int stages = 0;
  for (const Stage* stage : match_stages("^graveler/cuda/")) {
    ++stages;
    EXPECT_TRUE(hashes.contains(stage->info().name)) << stage->info().name;
    if (hashes.contains(stage->info().name)) distinct.insert(hashes.at(stage->info().name));
  }
  EXPECT_EQ(distinct.size(), static_cast<std::size_t>(stages));
}

TEST_F(MetricsCli, ProgramsThatHoldNothingAreSkippedByName) {
  // A shell has no device code; without the tools the reason is another, the exit code the same.
  const ProcessResult result = metrics({}, "/bin/sh");
  EXPECT_EQ(result.exit_code, 77) << result.output;
  EXPECT_HAS(result.output, "skipped: device code");
}

TEST_F(MetricsCli, BadInputIsOneClearLine) {
  setenv("RATCHET_NVDISASM", "/nowhere/nvdisasm", 1);
  const ProcessResult tool = metrics({}, "/bin/sh");
  unsetenv("RATCHET_NVDISASM");
  EXPECT_EQ(tool.exit_code, 2);
  EXPECT_HAS(tool.errors, "RATCHET_NVDISASM names /nowhere/nvdisasm");
  EXPECT_EQ(metrics({"("}, "/bin/sh").exit_code, 2);
  EXPECT_EQ(metrics({"--accept"}, "/bin/sh").exit_code, 2);  // no reason
  EXPECT_EQ(ratchet({"metrics-worker", "no/such/stage"}).exit_code, 2);
}

TEST_F(MetricsCli, BadStoredFilesAreNamed) {
  const auto file = baselines() / "metrics" / "sm_90-cuda-13.0.88" / "demo.json";
  const std::string head = R"({"context": {"ratchet_metrics": 1, "basis": {"kind": "x"}}, )";
  const std::vector<std::string> bad = {
      "",
      "{",
      "[]",
      "{}",
      R"({"context": {"ratchet_metrics": 2, "basis": {}}, "stages": {}})",
      R"({"context": {"ratchet_metrics": 1, "basis": {"kind": 1}}, "stages": {}})",
      head + R"("stages": []})",
      head + R"("stages": {"demo/cuda/01_a": 1}})",
      head + R"("stages": {"demo/cuda/01_a": {"k": 1}}})",
      head + R"("stages": {"demo/cuda/01_a": {"k": {"registers": -1}}}})",
      head + R"("stages": {"demo/cuda/01_a": {"k": {"registers": "many"}}}})",
      head + R"("stages": {"demo/cuda/01_a": {"k": {"hash": 1}}}})",
      head + R"("stages": {"other/cuda/01_a": {"k": {"registers": 1}}}})"};
  for (const std::string& text : bad) {
    write(file, text);
    const ProcessResult result = metrics({}, "/bin/sh");
    EXPECT_EQ(result.exit_code, 2) << text << result.output;
    EXPECT_HAS(result.errors, "demo.json") << text << result.errors;
    EXPECT_EQ(read(file), text);
  }
}

/// Two stages counted by a valgrind that is made up; under FAIL it fails for 08, as one that is
/// killed.
TEST_F(MetricsCli, WhatWasNotCountedStaysStored) {
  const auto valgrind = folder() / "valgrind";
  write(valgrind,
        "#!/bin/sh\nfor word; do case $word in\n"
        "--version) echo valgrind-9; exit ;;\n"
        "--callgrind-out-file=*) echo 'totals: 100' >\"${word#*=}\"; shift ;;\n"
        "--*) shift ;;\n"
        "*) break ;;\nesac; done\n"
        "case $3 in $FAIL) exit 9 ;; esac\nexec \"$@\"\n");
  std::filesystem::permissions(valgrind, std::filesystem::perms::owner_all);
  const std::string path = getenv("PATH");
  setenv("PATH", (folder().string() + ":" + path).c_str(), 1);
  const auto counted = [&](const char* fails, std::vector<std::string> more) {
    setenv("FAIL", fails, 1);
    more.insert(more.begin(), {"metrics", "--cpu", "^graveler/cpu/0[78]", "--baseline-dir",
                               baselines().string()});
    return ratchet(more);
  };
  const std::vector<std::string> accept = {"--accept", "--uncommitted", "--reason", "test"};
  const auto stored = [&] {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(baselines()))
      if (entry.path().filename() == "graveler.json") return read(entry.path());
    return std::string("nothing");
  };
  const ProcessResult first = counted("none", accept);
  const ProcessResult second = counted("graveler/cpu/08_xoshiro_x8", {});
  const ProcessResult third = counted("graveler/cpu/08_xoshiro_x8", accept);
  const std::string after = stored();
  const ProcessResult none = counted("graveler/*", accept);
  setenv("PATH", path.c_str(), 1);
  unsetenv("FAIL");
  // Built without valgrind's header; that no count succeeded would be a failure.
  if (first.exit_code == 77 && first.errors.find("could be counted") == std::string::npos)
    GTEST_SKIP() << first.errors;
  EXPECT_EQ(first.exit_code, 0) << first.output << first.errors;
  EXPECT_EQ(second.exit_code, 2) << second.output;
  EXPECT_HAS(second.output, "not counted: stored, and in this build");
  EXPECT_EQ(third.exit_code, 2) << third.output;
  EXPECT_HAS(third.output, "kept: the stored metrics of graveler/cpu/08_xoshiro_x8, which was not");
  EXPECT_HAS(after, "graveler/cpu/08_xoshiro_x8");
  EXPECT_EQ(none.exit_code, 77) << none.output;
  EXPECT_HAS(none.errors, "none of 2 stages could be counted");
  EXPECT_EQ(stored(), after);
}

TEST_F(MetricsCli, CountsOfACpuStageRepeat) {
  const auto counted = [&] {
    return ratchet({"metrics", "--cpu", "graveler/cpu/08_xoshiro_x8", "--baseline-dir",
                    baselines().string(), "--accept", "--uncommitted", "--reason", "test"});
  };
  const ProcessResult first = counted();
  if (first.exit_code == 77) GTEST_SKIP() << first.output;
  EXPECT_EQ(first.exit_code, 0) << first.output;
  const ProcessResult second = ratchet({"metrics", "--cpu", "graveler/cpu/08_xoshiro_x8",
                                        "--baseline-dir", baselines().string(), "--strict"});
  EXPECT_EQ(second.exit_code, 0) << second.output;
  EXPECT_HAS(second.output, "battles=10000");
}

}  // namespace
}  // namespace ratchet
