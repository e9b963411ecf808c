// `ratchet explain` of a program that knows nothing of ratchet: both builds under a profiler. By
// Callgrind a real program; by perf, which few machines allow, what it once printed of the same
// (data/profile/: the first three samples and every 60th, perf 6.1, `perf script
// --fields=period,ip,sym,dso`).
#include "perf/gate/programs/profile.h"

#include <algorithm>
#include <cmath>

#include "correctness/perf/gate/programs/explain_fixture.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/outcome.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

constexpr char no_valgrind[] = "valgrind is not installed; ci/setup installs it";
bool has_valgrind() { return run_process({"sh", "-c", "command -v valgrind"}, 20).ok(); }

namespace fs = std::filesystem;
using gate::FunctionChange;
using gate::Profile;
using gate::Recorded;
using gate::Stack;

const FunctionChange& change_of(const std::vector<FunctionChange>& changes,
                                const std::string& function) {
  const auto found = std::find_if(changes.begin(), changes.end(), [&](const FunctionChange& each) {
    return each.function == function;
  });
  EXPECT_NE(found, changes.end()) << function;
  return *found;
}

Profile exact(const std::map<Stack, double>& costs) {
  Profile profile;
  for (const auto& [stack, cost] : costs) profile.stacks[stack] = {cost, 1};
  return profile;
}

/// A loop of BM, in which f calls itself and, by way of a function without a name, g.
constexpr char callgrind[] = R"(# callgrind format
version: 1
positions: line
events: Ir
summary: 100

ob=(1) /usr/lib/libbench.so
fl=(1) b.cpp
fn=(1) benchmark::State::StartKeepRunning()'BM(benchmark::State&)'main
10 5
cob=(2) /usr/lib/libc.so.6
cfn=(2) clock_gettime@@GLIBC_2.17'benchmark::State::StartKeepRunning()'BM(benchmark::State&)'main
calls=1 0
10 7

fn=(2)
3 7

ob=(3) /home/ann/a.out
fn=(3) BM(benchmark::State&)'main
20 8
+2 2
cfn=(4) f(int) [clone .part.0]'BM(benchmark::State&)'main
calls=2 1
* 90

fn=(4)
30 20
cfn=(5) f(int)'2'BM(benchmark::State&)'main
calls=4 1
-1 70

fn=(5)
30 30
ob=(2)
fn=(6) 0x0000000000001234'f(int)'2'BM(benchmark::State&)'main
0 15
fn=(7) g(char)'0x0000000000001234'f(int)'2'BM(benchmark::State&)'main
0 25
fn=(8) other()'start_thread
0 4
fn=(9) report()'main
0 9
)";

TEST(Profile, CallgrindsFunctionsStandByTheirCallers) {
  const Recorded all = gate::read_callgrind(callgrind, "a file");
  const std::string bm = "BM(benchmark::State&)";
  EXPECT_EQ(all.at({"main", bm}).cost, 10);
  EXPECT_EQ(all.at({"main", bm, "f(int)"}).cost, 20 + 30) << "a copy, and a call of itself";
  EXPECT_EQ(all.at({"main", bm, "f(int)"}).count, 2 + 4);
  EXPECT_EQ(all.at({"main", bm, "f(int)", "[libc.so.6]", "g(char)"}).cost, 25);
  EXPECT_TRUE(all.contains({"main", bm, "benchmark::State::StartKeepRunning()", "clock_gettime"}));
  EXPECT_HAS(error_of([] { gate::read_callgrind("{}", "a file"); }),
             "a file is not output of Call");
  EXPECT_HAS(error_of([] { gate::read_callgrind("events: Ir\nfn=(7)\n1 2\n", "a file"); }),
             "it names (7) nowhere");
  EXPECT_HAS(error_of([] { gate::read_callgrind("events: Ir\nfn=(7) f\n1 x\n", "a file"); }),
             "\"x\" is not a count");
}

TEST(Profile, OnlyTheLoopCounts) {
  const Recorded loop = gate::in_the_loop(gate::read_callgrind(callgrind, "a file"), "a.out");
  Profile profile;
  profile.stacks = loop;
  EXPECT_EQ(profile.total(), 10 + 50 + 15 + 25 + 4) << "of the clock and the report nothing";
  EXPECT_EQ(loop.begin()->first.front(), "BM(benchmark::State&)");
  EXPECT_TRUE(loop.contains({"start_thread", "other()"})) << "a thread that the row started";
  EXPECT_HAS(error_of([] {
               gate::in_the_loop({{{"main", "work"}, {1, 1}}}, "a.out");
             }),
             "a.out: no function of Google Benchmark is among the callers");
  // Of ratchet's own programs it is what the timer runs.
  const Recorded own = gate::in_the_loop(
      {{{"main", "benchmark::Run()", "prepare()"}, {9, 1}},
       {{"main", "benchmark::Run()", "ratchet::timing::WallTimer::time_run(I&)"}, {2, 1}},
       {{"main", "benchmark::Run()", "ratchet::timing::WallTimer::time_run(I&)", "run()"}, {5, 1}}},
      "a.out");
  EXPECT_EQ(own.size(), 1u);
  EXPECT_EQ(own.at({"run()"}).cost, 5);
}

std::string recorded(const std::string& side) {
  return read_text(fs::path(RATCHET_DATA_DIR) / "perf/gate/data/profile" / (side + ".txt"));
}

TEST(Profile, PerfsSamplesOfARealProgram) {
  const Recorded all = gate::read_perf_script(recorded("now"), "a file");
  double samples = 0;
  for (const auto& [stack, cost] : all) samples += cost.count;
  EXPECT_EQ(samples, 28);
  const Recorded loop = gate::in_the_loop(all, "a.out");
  const Stack slow = {"BM_Text", "demo::line", "demo::word", "demo::mix"};
  EXPECT_EQ(loop.at(slow).count, 23);
  EXPECT_EQ(loop.at(slow).cost, 23 * 1003009.0);
  for (const auto& [stack, cost] : loop) EXPECT_EQ(stack.front(), "BM_Text") << "no start-up";
  EXPECT_HAS(error_of([] { gate::read_perf_script("", "a file"); }), "a file holds no sample");
}

TEST(Profile, WhatGainedMostStandsFirst) {
  const Profile before = exact({{{"BM"}, 10}, {{"BM", "f"}, 60}, {{"BM", "g"}, 30}}),
                now = exact({{{"BM"}, 10}, {{"BM", "f"}, 20}, {{"BM", "h", "g"}, 90}});
  const auto changes = gate::function_changes(before, now);
  EXPECT_EQ(changes.front().function, "g");
  EXPECT_EQ(changes.front().change(), 60);
  EXPECT_EQ(changes.back().function, "f");
  EXPECT_EQ(changes.front().error, 0);
  EXPECT_FALSE(change_of(changes, "h").in_before) << "on a stack of this build alone, by itself 0";
  EXPECT_TRUE(change_of(changes, "h").in_now);
  EXPECT_TRUE(change_of(changes, "BM").in_before);
}

/// 900 of 1000 samples of 1 ns against 400: two standard deviations of both Poisson numbers.
TEST(Profile, ASampledChangeHasItsError) {
  Profile before, now;
  before.samples = now.samples = 1000;
  before.stacks = {{{"f"}, {400, 400}}, {{"g"}, {600, 600}}};
  now.stacks = {{{"f"}, {900, 900}}, {{"g"}, {610, 610}}};
  const auto changes = gate::function_changes(before, now);
  EXPECT_NEAR(changes.front().error, 2 * std::sqrt(1300), 1e-9);
  EXPECT_TRUE(changes.front().sure());
  EXPECT_FALSE(change_of(changes, "g").sure());
}

TEST(Profile, TheTreeHoldsBothBuilds) {
  const Profile before = exact({{{"BM", "f"}, 60}, {{"BM", "g"}, 40}, {{"BM", "tiny"}, 0.01}}),
                now = exact({{{"BM", "f"}, 60}, {{"BM", "f", "g"}, 100}});
  const auto tree = gate::call_tree("row", before, now);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    EXPECT_LT(tree[i].parent, std::max<std::size_t>(i, 1));
    lines.push_back(fmt::format("{} < {}: {:.0f} {:.0f}", tree[i].function,
                                tree[tree[i].parent].function, tree[i].before, tree[i].now));
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"row < row: 100 160", "BM < row: 100 160",
                                             "f < BM: 60 160", "g < f: 0 100", "g < BM: 40 0"}));
}

/// Both builds do equally many iterations where the program can be told: since Google
/// Benchmark 1.8, whose times have a unit. It does so at once, without a warm-up.
TEST_F(GateFixture, IterationsAreToldToProgramsThatTakeThem) {
  const fs::path log = folder() / "words", program = folder() / "bench";
  const auto flags_of = [&](const std::string& refuses) {
    write(program,
          "#!/bin/sh\necho \"$@\" >>" + log.string() + "\nfor a; do case $a in\n" + refuses +
              "  *) ;;\nesac; done\n[ \"$1\" != --benchmark_list_tests=true ] || echo row\n");
    chmod(program.c_str(), 0755);
    gate::ProgramOptions options;
    options.program = program;
    const auto opened = gate::open_program(options);
    fs::remove(log);
    gate::LaunchRequest request{
        .budget_s = 0.1, .verified_file = {}, .scratch = folder() / "out.json", .cpu = {}};
    request.calls = 7;
    opened->measure(std::string("row"), request);
    return read(log);
  };
  const std::string now = flags_of("");
  EXPECT_HAS(now, " --benchmark_min_time=7x");
  EXPECT_LACKS(now, "warmup");
  const std::string old = flags_of("  --benchmark_min_time=*s) exit 1 ;;\n");
  EXPECT_HAS(old, " --benchmark_min_time=0.0");
  EXPECT_HAS(old, "warmup");
}

/// Of ratchet's own rows what the timer runs: 1000 battles take some instructions each.
TEST(Profile, RatchetsOwnRows) {
  if (!has_valgrind()) GTEST_SKIP() << no_valgrind;
  gate::ProgramOptions options;
  options.program = built_program("perf/ratchet-bench");
  options.flags = {"--ratchet_set=battles=1000"};
  const RowId row = std::string("graveler/cpu/04_bit_and_tuned/battles:1000");
  const Profile profile = gate::record_row(options, row, gate::Profiler::callgrind, 0);
  EXPECT_GE(profile.calls, 3);
  EXPECT_GT(profile.total(), 1e4);
  EXPECT_LT(profile.total(), 1e7) << "of one run";
  for (const auto& [stack, cost] : profile.stacks)
    EXPECT_NE(stack.front(), "main") << "nothing around the timer";
}

TEST_F(ExplainRecords, NamesTheFunctionThatGained) {
  if (!has_valgrind()) GTEST_SKIP() << no_valgrind;
  commit("#define COST 2\n#define FAIL 0\n");
  build();
  const ProcessResult result = explain("--tool callgrind --json");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_HAS(result.output, "executed instructions of one call by Callgrind, which are not time");
  const auto document =
      parse_json(result.output.substr(0, result.output.find("\n}\n") + 2), "what explain prints");
  const auto& profile = document.at("profile");
  const auto& first = profile.at("functions").at(0);
  EXPECT_EQ(first.at("function"), "demo::mix(unsigned long)");
  // 20 calls of it, and 8 rounds more in each; the loop alone, for the vector has 100000 elements.
  const double gained = first.at("now").get<double>() - first.at("before").get<double>();
  EXPECT_GE(gained, 20 * 8 * 2) << result.output;
  EXPECT_EQ(gained, std::round(gained)) << "of one call, exactly";
  EXPECT_LT(profile.at("now").at("total").get<double>(), 10000) << result.output;
  EXPECT_NEAR(
      profile.at("now").at("total").get<double>() - profile.at("before").at("total").get<double>(),
      gained, 1);  // the end of a loop, by its number of iterations
  const std::string table = result.errors.substr(result.errors.find("| ---"));
  EXPECT_HAS(table.substr(table.find('\n') + 1).substr(0, 40), "`demo::mix(unsigned long)`");

  // It is kept for the report, which stands next to it; a second row, or a second time, too.
  const auto kept = read_json(project() / "results/profile.json");
  EXPECT_EQ(kept.at("profiles").at(0), profile);
  EXPECT_HAS(read(project() / "results/report.html"), "\"kind\":\"profile\"");
  EXPECT_HAS(read(project() / "results/report.html"), "demo::mix(unsigned long)");
  ASSERT_EQ(explain("--tool callgrind").exit_code, 0);
  EXPECT_EQ(read_json(project() / "results/profile.json").at("profiles").size(), 1u);
  write(project() / "results/profile.json", "{\"profiles\": 7}");
  EXPECT_HAS(explain("--tool callgrind").output, "profile.json: profiles is not a list");
  EXPECT_EQ(read(project() / "results/profile.json"), "{\"profiles\": 7}");
}

TEST_F(ExplainRecords, ByPerfWhereItIsAllowed) {
  commit("#define COST 2\n#define FAIL 0\n");
  build();
  // Runs what it records, and prints what perf once printed of such a program.
  const std::string data = fs::path(RATCHET_DATA_DIR) / "perf/gate/data/profile";
  const std::string path = with_tool(
      "perf",
      "case $1 in\nrecord) for a; do case $a in --output=*) out=${a#*=} ;; esac; done\n"
      "  while [ \"$1\" != -- ]; do shift; done; shift; echo \"$1\" >\"$out\"; exec \"$@\" ;;\n"
      "script) for a; do case $a in --input=*) in=${a#*=} ;; esac; done\n"
      "  case $(cat \"$in\") in */results/base/*) cat " +
          data +
          "/before.txt ;;\n"
          "  *) cat " +
          data + "/now.txt ;; esac ;;\nesac\n");
  const ProcessResult result = explain("", path);
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_HAS(result.output, "against this build, time of one call by perf");
  EXPECT_LACKS(result.output, "not time");
  const auto profile = read_json(project() / "results/profile.json").at("profiles").at(0);
  EXPECT_EQ(profile.at("unit"), "ns");
  EXPECT_EQ(profile.at("functions").at(0).at("function"), "demo::mix");
  EXPECT_GT(profile.at("functions").at(0).at("error"), 0);
  EXPECT_EQ(profile.at("now").at("samples"), 26) << "28, without start-up";
}

TEST_F(ExplainRecords, SaysWhyItIsNotPerf) {
  const std::string refused = with_tool("perf", "echo 'access is limited' >&2; exit 255\n");
  commit("#define COST 2\n#define FAIL 0\n");
  build();
  const ProcessResult wanted = explain("--tool perf", refused);
  EXPECT_EQ(wanted.exit_code, 2);
  EXPECT_HAS(
      wanted.output,
      "perf record is not allowed here: exited with code 255: access is limited; --tool callgrind");
  if (!has_valgrind()) GTEST_SKIP() << no_valgrind;
  const ProcessResult result = explain("", refused);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_HAS(result.output,
             "perf record is not allowed here: exited with code 255: access is limited\n");
  EXPECT_HAS(result.output, "which are not time");
}

/// One line each, before anything is built where that can be known.
TEST_F(ExplainRecords, RefusesWhatItCannotRecord) {
  commit("#define COST 1\n#define FAIL 0\n#define MORE\n");
  build();
  const auto refusal = [&](const ProcessResult& result) {
    EXPECT_EQ(result.exit_code, 2) << result.output;
    const std::size_t line = result.errors.rfind("ratchet: ", result.errors.size() - 2);
    return result.errors.substr(line == std::string::npos ? 0 : line);
  };
  const std::string ratchet = gate::shell_quoted(built_program("perf/ratchet"));
  EXPECT_HAS(
      refusal(shell("PATH=/nowhere " + ratchet + " explain my_bench/BM_Text --bench out/my_bench")),
      "nothing can record the row here: perf is not installed (package linux-perf or "
      "linux-tools); valgrind is not installed");
  EXPECT_FALSE(fs::exists(project() / "results")) << "nothing was built";
  EXPECT_HAS(refusal(shell(ratchet + " explain BM_Txet --bench out/my_bench")),
             "'BM_Txet' selects no row");
  EXPECT_HAS(refusal(shell(ratchet + " explain my_bench/BM_More/1/memory --bench out/my_bench "
                                     "--metric memory")),
             "my_bench/BM_More/1/memory is a metric, which no function has; name the row "
             "my_bench/BM_More/1");
  EXPECT_HAS(refusal(explain("--lines 3")), "--lines has no effect");
  EXPECT_HAS(refusal(explain("--check-cmd true")), "--check-cmd has no effect on explain");
  if (!has_valgrind()) GTEST_SKIP() << no_valgrind;
  const std::string more = ratchet +
                           " explain BM_More --bench out/my_bench --tool callgrind "
                           "--base HEAD~1 --build-cmd " +
                           gate::shell_quoted(build_command);
  EXPECT_HAS(refusal(shell(more)), "has no row my_bench/BM_More/1: both builds need it");
  commit("#define COST 1\n#define FAIL 1\n");
  build();
  EXPECT_HAS(refusal(explain("--tool callgrind")),
             "out/my_bench: under callgrind the program was killed by signal 6 (Aborted)\n");
  // What it does of a program without symbols: it runs it, and sees no loop.
  git({"reset", "-q", "--hard", "HEAD~1"});
  build();
  const std::string blind =
      with_tool("valgrind",
                "[ \"$2\" != --version ] || exit 0\n"
                "while case $1 in -*) true ;; *) false ;; esac; do shift; done\n"
                "exec \"$@\"\n");
  EXPECT_HAS(
      refusal(explain("--tool callgrind", blind)),
      "out/my_bench: Callgrind saw no call of benchmark::State::FinishKeepRunning(); link the "
      "program without -s");
}

/// Against stored figures `explain` builds their revision, which it cannot here: no CMake built it.
TEST_F(ExplainRecords, IsNotOfferedWhereNothingElseCanBeBuilt) {
  const std::string ratchet = gate::shell_quoted(built_program("perf/ratchet"));
  const std::string gate = ratchet + " gate --bench out/my_bench --budget-s 20 --history none";
  build();
  ASSERT_EQ(shell(gate).exit_code, 0);
  ASSERT_EQ(shell(ratchet + " accept --yes --allow-unverified --contended --reason test").exit_code,
            0);
  git({"add", "."});
  commit("#define COST 2\n#define FAIL 0\n");
  build();
  const ProcessResult slower = shell(gate);
  ASSERT_EQ(slower.exit_code, 1) << slower.output;
  EXPECT_LACKS(slower.output, "ratchet explain");
  EXPECT_LACKS(read(project() / "results/gate.json"), "ratchet explain");
}

/// The gate prints the command where it works, and it runs as printed.
TEST_F(ExplainRecords, ASlowerRowComesWithTheCommand) {
  if (!has_valgrind()) GTEST_SKIP() << no_valgrind;
  commit("#define COST 2\n#define FAIL 0\n");
  build();
  const ProcessResult gate =
      shell(gate::shell_quoted(built_program("perf/ratchet")) +
            " gate --bench out/my_bench --base HEAD~1 --budget-s 40 --history none --check-cmd "
            "true --build-cmd " +
            gate::shell_quoted(build_command));
  ASSERT_EQ(gate.exit_code, 1) << gate.output;
  const std::string mark = "which functions take longer: ";
  const std::size_t begin = gate.output.find(mark);
  ASSERT_NE(begin, std::string::npos) << gate.output;
  const std::string command =
      gate.output.substr(begin + mark.size(), gate.output.find('\n', begin) - begin - mark.size());
  const ProcessResult explained = shell(command + " --tool callgrind");
  EXPECT_EQ(explained.exit_code, 0) << command << "\n" << explained.output;
  EXPECT_HAS(explained.output, "demo::mix(unsigned long)");
  const std::string page = read(project() / "results/report.html");
  EXPECT_HAS(page, "\"kind\":\"run\"");
  EXPECT_HAS(page, "\"kind\":\"profile\"");
}

}  // namespace
}  // namespace ratchet
