// A project of two commits whose program knows nothing of ratchet, and `ratchet explain` of its
// row.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "correctness/perf/gate/gate_fixture.h"
#include "perf/gate/outcome.h"

namespace ratchet {

namespace fs = std::filesystem;

/// The slow function lies three calls below the benchmark. Its time is a stated one, so that no
/// verdict depends on the machine.
constexpr char explained_source[] = R"(
#include <benchmark/benchmark.h>
#include <cstdint>
#include <cstdlib>
#include <vector>
namespace demo {
__attribute__((noinline)) std::uint64_t mix(std::uint64_t x) {
  for (int i = 0; i < 8 * COST; ++i) x = x * 6364136223846793005u + 1;
  return x;
}
__attribute__((noinline)) std::uint64_t word(std::uint64_t x) { return mix(x) + mix(x + 1); }
__attribute__((noinline)) std::uint64_t line(std::uint64_t x) {
  std::uint64_t sum = 0;
  for (int i = 0; i < 10; ++i) sum += word(x + i);
  return sum;
}
}  // namespace demo
static void BM_Text(benchmark::State& state) {
  std::vector<std::uint64_t> start(state.range(0), COST);  // prepares more than the row computes
  std::uint64_t sum = start.back();
  for (auto _ : state) {
    if (FAIL) std::abort();
    benchmark::DoNotOptimize(sum += demo::line(sum));
    state.SetIterationTime(1e-3 * COST);
  }
}
BENCHMARK(BM_Text)->Arg(100000)->UseManualTime();
#ifdef MORE
BENCHMARK(BM_Text)->Name("BM_More")->Arg(1)->UseManualTime();
#endif
BENCHMARK_MAIN();
)";

class ExplainRecords : public GateFixture {
 protected:
  void SetUp() override {
    GateFixture::SetUp();
    setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    fs::create_directories(project());
    git({"init", "-q"});
    write(project() / ".gitignore", "out/\nresults/\n");
    commit("#define COST 1\n#define FAIL 0\n");
  }

  fs::path project() const { return folder() / "project"; }
  ProcessResult shell(const std::string& command) {
    ProcessResult result =
        run_process({"sh", "-c", "cd " + project().string() + " && " + command}, 60);
    result.output += result.errors;
    return result;
  }
  void git(const std::vector<std::string>& words) {
    std::string command = "git -c user.name=A -c user.email=a@b";
    for (const std::string& word : words) command += " " + gate::shell_quoted(word);
    ASSERT_TRUE(shell(command).ok()) << command;
  }
  void commit(const std::string& defines) {
    write(project() / "bench.cpp", defines + explained_source);
    git({"add", "."});
    git({"commit", "-qm", "change"});
  }
  void build() {
    const ProcessResult built = shell(build_command);
    ASSERT_TRUE(built.ok()) << built.output;
  }
  /// As typed in the project's folder; `more`: words of a shell.
  ProcessResult explain(const std::string& more, const std::string& before = "") {
    return shell(before + gate::shell_quoted(built_program("perf/ratchet")) +
                 " explain my_bench/BM_Text --bench out/my_bench --base HEAD~1 --build-cmd " +
                 gate::shell_quoted(build_command) + " " + more);
  }
  /// A folder to put first on PATH, in which this script stands for a tool.
  std::string with_tool(const std::string& tool, const std::string& script) {
    const fs::path file = folder() / "tools" / tool;
    write(file, "#!/bin/sh\n" + script);
    chmod(file.c_str(), 0755);
    return "PATH=" + file.parent_path().string() + ":$PATH ";
  }

  const std::string build_command =
      "mkdir -p out && c++ -O2 -o out/my_bench bench.cpp -lbenchmark -lpthread";
};

}  // namespace ratchet
