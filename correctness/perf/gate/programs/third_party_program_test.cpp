// Any Google Benchmark program as the gate runs it:
// correctness/perf/gate/tools/third_party_bench.cpp, and shell scripts for what no real program
// does.
#include "perf/gate/programs/third_party_program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/programs.h"
#include "perf/gate/run/run.h"
#include "perf/identity/code/elf_file.h"
#include "perf/identity/digests/work_digest.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

class ThirdPartyWorkerTest : public testing::Test {
 protected:
  fs::path scratch() const { return folder_.path() / "launch.json"; }
  static ThirdPartyProgram worker(std::vector<std::string> arguments = {}, double limit_s = 60) {
    return ThirdPartyProgram({.program = built_program("correctness/third_party_bench"),
                              .launch_limit_s = limit_s,
                              .arguments = std::move(arguments)});
  }
  LaunchOutcome measure(const BenchProgram& program, const std::string& row) {
    return program.measure(row, {0.01, "", scratch(), {}});
  }
  /// A program in shell.
  fs::path script(const std::string& text) {
    const fs::path file = folder_.path() / "program.sh";
    std::ofstream(file) << "#!/bin/sh\n" << text;
    chmod(file.c_str(), 0755);
    return file;
  }
  ScratchFolder folder_;
};

TEST_F(ThirdPartyWorkerTest, MeasuresEachRowAlone) {
  const ThirdPartyProgram program = worker();
  const std::vector<RowId> rows = program.list().rows;
  ASSERT_EQ(rows.size(), 13u);
  for (const std::string& row : rows) {
    const LaunchOutcome outcome = measure(program, row);
    if (row == "refuse") {
      EXPECT_EQ(outcome.failure, "no such \"device\"");
      EXPECT_FALSE(outcome.launch);
      continue;
    }
    EXPECT_EQ(outcome.failure, "") << row;
    ASSERT_TRUE(outcome.launch) << row;
    EXPECT_GT(*outcome.launch->counter("units_per_second"), 0) << row;
    EXPECT_TRUE(outcome.context.contains("num_cpus"));
  }
  EXPECT_EQ(measure(program, "items/1000").basis, "items_per_second");
  EXPECT_EQ(measure(program, "plain").basis, "1/cpu_time");
  EXPECT_EQ(measure(program, "plain").clock, Clock::cpu);
  EXPECT_EQ(measure(program, "threads/threads:2").clock, Clock::wall);
  EXPECT_EQ(measure(program, "stated").clock, Clock::manual);
  EXPECT_NEAR(*measure(program, "repeated").launch->counter("units_per_second"), 100, 1e-6);
  // Two rows of one plain name are told apart.
  EXPECT_NEAR(measure(program, "twice/iterations:2/manual_time").launch->real_ms, 10, 1e-6);
  EXPECT_LT(measure(program, "twice/real_time").launch->real_ms, 1);
}

TEST_F(ThirdPartyWorkerTest, PassesArgumentsAndFilterOn) {
  const ThirdPartyProgram slow = worker({"--slow=25"});
  EXPECT_NEAR(measure(slow, "stated").launch->real_ms, 12.5, 1e-6);
  const ThirdPartyProgram some(
      {.program = built_program("correctness/third_party_bench"), .filter = "items|plain"});
  EXPECT_EQ(some.list().rows, (std::vector<RowId>{"plain", "items/100", "items/1000"}));
  // A launch is one repetition, whatever the program is told.
  const ThirdPartyProgram many =
      worker({"--benchmark_repetitions=4", "--benchmark_report_aggregates_only=true"});
  EXPECT_EQ(measure(many, "plain").failure, "");
  std::string said;
  for (const char* build : {"base", "new"}) {
    SCOPED_TRACE(build);
    const ThirdPartyProgram told({.program = built_program("correctness/third_party_bench"),
                                  .say = [&](const std::string& line) { said += line; },
                                  .arguments = {"--benchmark_repetitions=4", "--slow=25"}});
  }
  EXPECT_EQ(said,
            "-- --benchmark_repetitions=4 has no effect: each launch is told this by ratchet");
  EXPECT_EQ(read_third_party_json(scratch())["benchmarks"].size(), 1u);
  const ThirdPartyProgram by_wall(
      {.program = built_program("correctness/third_party_bench"), .clock = ClockChoice::wall});
  EXPECT_EQ(measure(by_wall, "plain").basis, "1/real_time");
  EXPECT_TRUE(measure(by_wall, "plain").clock_named);
}

TEST_F(ThirdPartyWorkerTest, NobodyChecks) {
  const ThirdPartyProgram program = worker();
  EXPECT_FALSE(program.abilities().checks);
  const CheckOutcome outcome = program.check("plain");
  EXPECT_TRUE(outcome.passed);
  EXPECT_EQ(outcome.line, "");
  EXPECT_HAS(outcome.detail, "no test checks the results");
}

TEST_F(ThirdPartyWorkerTest, FailuresCostTheirOwnRow) {
  EXPECT_HAS(measure(worker({"--crash"}), "crash").failure, "the program was killed by signal 6");
  EXPECT_HAS(measure(worker({"--hang"}, 1), "hang").failure, "did not finish within 1 s");
  EXPECT_HAS(measure(worker(), "nowhere").failure, "lists no row of this name");
  EXPECT_EQ(measure(worker({"--hang"}, 1), "stated").failure, "");
}

TEST_F(ThirdPartyWorkerTest, MinimumTimeInEitherForm) {
  const std::string log = (folder_.path() / "log").string();
  const std::string body = R"(
for a; do case $a in
  --benchmark_min_time=*) t=${a#*=} ;;
  --benchmark_out=*) o=${a#*=} ;;
  --benchmark_list_tests=true) l=1 ;;
esac; done
case $t in FORM) ;; *) echo "bad --benchmark_min_time" >&2; exit 1 ;; esac
[ "$l" ] && { echo row; exit; }
echo "$t" > LOG
echo '{"context": {}, "benchmarks": [{"name": "row", "iterations": 1, "real_time": 2,
  "cpu_time": 2, "time_unit": "ms"}]}' > "$o"
)";
  for (const auto& [form, want] : std::map<std::string, std::string>{
           {"*s", "0.006s\n"}, {"*[0-9]", "0.006\n"}, {"*", "0.006s\n"}}) {
    std::string text = body;
    text.replace(text.find("FORM"), 4, form);
    text.replace(text.find("LOG"), 3, log);
    const ThirdPartyProgram program({.program = script(text), .launch_limit_s = 10});
    EXPECT_EQ(measure(program, "row").failure, "") << form;
    EXPECT_EQ(read_text(log), want) << form;
  }
  // Neither form: the program's own word.
  EXPECT_HAS(error_of([&] {
               ThirdPartyProgram({.program = script("echo 'no such library' >&2; exit 4\n"),
                                  .launch_limit_s = 10});
             }),
             "cannot list its benchmarks: exited with code 4: no such library");
}

/// CUDA starts within the first call, which alone is longer than a launch shall be.
TEST_F(ThirdPartyWorkerTest, TheFirstCallIsNotTheMeasurement) {
  const std::string log = (folder_.path() / "flags").string();
  const std::string body = R"(
for a; do case $a in
  --benchmark_out=*) o=${a#*=} ;;
  --benchmark_list_tests=true) l=1 ;;
  REFUSED) exit 1 ;;
esac; done
[ "$l" ] && { echo row; echo row/iterations:1; exit; }
echo "$*" > LOG
echo '{"context": {}, "benchmarks": [{"name": "ROW", "iterations": 1, "real_time": 2,
  "cpu_time": 2, "time_unit": "ms"}]}' > "$o"
)";
  const auto launched = [&](const std::string& refused, const std::string& row = "row") {
    std::string text = body;
    for (const auto& [word, meant] :
         std::map<std::string, std::string>{{"REFUSED", refused}, {"LOG", log}, {"ROW", row}})
      text.replace(text.find(word), word.size(), meant);
    const ThirdPartyProgram program({.program = script(text), .launch_limit_s = 10});
    EXPECT_EQ(measure(program, row).failure, "") << refused;
    return read_text(log);
  };
  EXPECT_HAS(launched("--never"), "--benchmark_min_time=0.006s --benchmark_min_warmup_time=0.001");
  EXPECT_HAS(launched("--benchmark_min_time=*s"),
             "--benchmark_min_time=0.006 --benchmark_min_warmup_time=0.001");
  EXPECT_LACKS(launched("--benchmark_min_time=*s|--benchmark_min_warmup_time=*"), "warmup");
  EXPECT_LACKS(launched("--never", "row/iterations:1"), "warmup");
}

TEST_F(ThirdPartyWorkerTest, OutputsThatCannotBe) {
  const auto failure = [&](const std::string& act) {
    const ThirdPartyProgram program(
        {.program = script("for a; do case $a in\n"
                           "  --benchmark_list_tests=true) echo row; exit ;;\n"
                           "  --benchmark_out=*) o=${a#*=} ;;\nesac; done\n" +
                           act),
         .launch_limit_s = 10});
    return measure(program, "row").failure;
  };
  const std::string row =
      R"({"name": "row", "iterations": 1, "real_time": 2, "cpu_time": 2, "time_unit": "ms"})";
  const auto writes = [](const std::string& rows) {
    return "echo '{\"context\": {}, \"benchmarks\": [" + rows + "]}' > $o\n";
  };
  EXPECT_EQ(failure(writes(row)), "");
  EXPECT_EQ(failure("exit 0\n"),
            "the program wrote no output; is it a Google Benchmark or nvbench program, and does "
            "it accept their flags?");
  EXPECT_EQ(failure(": > $o\nexit 3\n"), "the program exited with code 3");
  EXPECT_EQ(failure(writes(row) + "exit 3\n"),
            "the program wrote a row, but then: exited with code 3");
  EXPECT_EQ(failure(writes("")), "the program's output has no row of this name");
  EXPECT_EQ(
      failure(writes(row + ", {\"name\": \"b\"," + row.substr(15))),
      "the program ignored the filter: its output has more rows than this one; its main has to "
      "call benchmark::Initialize(&argc, argv)");
  EXPECT_EQ(failure(writes("{\"name\": \"b\"," + row.substr(15))),
            "the program's output has another row, b");
  EXPECT_HAS(failure("echo '{\"context\": ,' > $o\n"), "its output is not valid JSON");
  // One that catches its own exception, says so, and ends with 0.
  const std::string half = "echo '{\"context\": {' > $o\n";
  EXPECT_EQ(
      failure(half + "echo; echo 'Exception caught: no GPU'; echo\n"),
      "the program ended before it had written all of its results; it printed last: Exception "
      "caught: no GPU");
  EXPECT_HAS(failure(half + "echo later; echo 'no GPU' >&2\n"), "results; it printed last: no GPU");
  EXPECT_EQ(failure(half), "the program ended before it had written all of its results");
  EXPECT_EQ(failure("echo '{\"context\": {' > $o\nexit 7\n"), "the program exited with code 7");
  EXPECT_HAS(error_of([&] {
               ThirdPartyProgram({.program = folder_.path() / "none", .launch_limit_s = 10});
             }),
             "there is no benchmark program");
}

TEST_F(ThirdPartyWorkerTest, BenchmarksOfOneNameAreToldApart) {
  const ThirdPartyProgram program({.program = script(R"(
for a; do case $a in
  --benchmark_list_tests=true) echo row; echo row; exit ;;
  --benchmark_out=*) o=${a#*=} ;;
esac; done
row='"name": "row", "repetition_index": 0, "iterations": 1, "cpu_time": 2, "time_unit": "ms"'
echo "{\"context\": {}, \"benchmarks\": [{$row, \"real_time\": 2}, {$row, \"real_time\": 5}]}" > "$o"
)"),
                                   .launch_limit_s = 10});
  EXPECT_EQ(program.list().rows, (std::vector<RowId>{"row", "row#2"}));
  EXPECT_DOUBLE_EQ(measure(program, "row").launch->real_ms, 2);
  EXPECT_DOUBLE_EQ(measure(program, "row#2").launch->real_ms, 5);
}

/// What a program prints itself is no row, before the list or behind it, always the same or not.
TEST_F(ThirdPartyWorkerTest, OnlyRowsAreRows) {
  const auto rows_with = [&](const std::string& before, const std::string& after) {
    const fs::path file = script(before + R"(
filter=.
for a; do case $a in --benchmark_filter=*) filter=${a#*=} ;; --help) echo usage; exit ;; esac; done
printf 'row\nrow/of some\n' | grep -E "$filter"
)" + after);
    return ThirdPartyProgram({.program = file, .launch_limit_s = 10}).list().rows;
  };
  const std::vector<RowId> rows = {"row", "row/of some"};
  EXPECT_EQ(rows_with("", ""), rows);
  EXPECT_EQ(rows_with("echo 'using device 0: Some GPU'; echo ready", ""), rows);
  EXPECT_EQ(rows_with("echo started at $$", "echo took $$ ms"), rows);
  EXPECT_EQ(rows_with("", "echo done; exit 0"), rows);
}

TEST_F(ThirdPartyWorkerTest, NamesThatFilesCannotHave) {
  const ThirdPartyProgram program({.program = script(R"(
long=$(printf 'T%.0s' $(seq 1100)); tab=$(printf 'a\tb')
for a; do case $a in
  --benchmark_list_tests=true) echo "$long"; echo "$tab"; exit ;;
  --benchmark_filter=*T*) name=$long ;;
  --benchmark_filter=*) name='a\\tb' ;;
  --benchmark_out=*) o=${a#*=} ;;
esac; done
echo "{\"context\": {}, \"benchmarks\": [{\"name\": \"$name\", \"iterations\": 9, \"real_time\": 2,
  \"cpu_time\": 2, \"time_unit\": \"ms\"}]}" > "$o"
)"),
                                   .launch_limit_s = 10});
  ASSERT_EQ(program.list().rows.size(), 2u);
  for (const std::string& row : program.list().rows) {
    EXPECT_FALSE(complaint_of_name("family/" + row)) << row;
    EXPECT_EQ(measure(program, row).failure, "") << row;
  }
}

TEST_F(ThirdPartyWorkerTest, WhatIsSkippedIsSaid) {
  const ThirdPartyProgram program({.program = script(R"(
for a; do case $a in
  --benchmark_list_tests=true) echo row; exit ;;
  --benchmark_out=*) o=${a#*=} ;;
esac; done
echo '{"context": {}, "benchmarks": [{"name": "row", "skipped": true, "skip_message": "no GPU"}]}' > "$o"
)"),
                                   .launch_limit_s = 10});
  EXPECT_TRUE(measure(program, "row").skipped);
  EXPECT_EQ(measure(program, "row").failure, "no GPU");
}

/// One limit for all that it is asked before it measures.
TEST_F(ThirdPartyWorkerTest, AProgramThatNeverEndsItsList) {
  const fs::path stuck = script("sleep 100\n");
  std::vector<std::string> said;
  const double start = seconds_now();
  ProgramOptions options{stuck, 5, 60};
  options.list_limit_s = 5;
  options.say = [&](const std::string& line) { said.push_back(line); };
  EXPECT_HAS(error_of([&] { open_program(options); }), "did not list its benchmarks within 5 s");
  EXPECT_LT(seconds_now() - start, 60);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_HAS(said[0], stuck.string() + " is listing its benchmarks, waiting 5 s at most");
}

TEST_F(ThirdPartyWorkerTest, RowsAreCalledByTheProgramsName) {
  ProgramOptions options{.program = built_program("correctness/third_party_bench")};
  options.name = "mine";
  const ThirdPartyProgram program(options);
  const Listing listing = program.list();
  EXPECT_EQ(listing.rows.front(), "mine/plain");
  EXPECT_EQ(measure(program, "mine/plain").failure, "");
  // A filter is of the benchmark's name as well as of the row's.
  const auto selected = [&](const std::string& filter) {
    return Selection({listing}, {filter, ""}).rows();
  };
  EXPECT_EQ(selected("^plain"), std::set<RowId>{"mine/plain"});
  EXPECT_EQ(selected("mine/plain"), std::set<RowId>{"mine/plain"});
  EXPECT_EQ(selected("plain"), std::set<RowId>{"mine/plain"});  // a whole name
  EXPECT_EQ(selected("-^plain").size(), listing.rows.size() - 1);
}

TEST_F(ThirdPartyWorkerTest, DigestsAreOfTheWholeProgram) {
  const ThirdPartyProgram program = worker();
  const CodeIdentity work = program.code_identity();
  EXPECT_TRUE(work.context.contains("cpu.model"));
  EXPECT_FALSE(work.context.contains("build.flags"));  // of a build that nobody knows
  EXPECT_EQ(work.digests.size(), program.list().rows.size());
  const fs::path copy = folder_.path() / "copy";
  fs::copy_file(program.path(), copy);
  const auto digests_of_copy = [&] {
    return ThirdPartyProgram({.program = copy}).code_identity().digests;
  };
  EXPECT_EQ(digests_of_copy(), work.digests);
  EXPECT_NE(worker({"--slow=1"}).code_identity().digests.at("plain"), work.digests.at("plain"));
  // One word of a message in it, another program.
  std::string image = read_text(copy);
  const std::size_t at = image.find("no such \"device\"");
  ASSERT_NE(at, std::string::npos);
  image[at] = 'N';
  std::ofstream(copy, std::ios::binary) << image;
  EXPECT_NE(digests_of_copy().at("plain"), work.digests.at("plain"));
  EXPECT_TRUE(ThirdPartyProgram({.program = script("[ \"$1\" = --help ] || echo row\n")})
                  .code_identity()
                  .digests.empty());
}

/// Initialised data, words that the loader moves, and libraries: all that is mapped.
TEST_F(ThirdPartyWorkerTest, DigestsAreOfAllThatIsLoaded) {
  const fs::path program = built_program("correctness/third_party_bench");
  const std::string image = read_text(program);
  const auto before = counters::program_digest(program);
  ASSERT_TRUE(before);
  const auto digest_with = [&](const std::string& section, std::ptrdiff_t at) {
    std::string changed = image;
    const counters::ElfFile file(image, "the program");
    for (const counters::ElfSection& each : file.sections())
      if (each.name == section)
        changed[static_cast<std::size_t>(each.header.sh_offset) +
                static_cast<std::size_t>(
                    at < 0 ? static_cast<std::ptrdiff_t>(each.header.sh_size) + at : at)] ^= 1;
    EXPECT_NE(changed, image) << section;
    const fs::path copy = folder_.path() / "changed";
    std::ofstream(copy, std::ios::binary) << changed;
    chmod(copy.c_str(), 0755);
    return counters::program_digest(copy);
  };
  for (const char* section : {".data", ".data.rel.ro", ".rodata", ".text"})
    EXPECT_NE(digest_with(section, -1), before) << section;
  EXPECT_NE(digest_with(".rela.dyn", 16), before);  // the addend of the first
  EXPECT_EQ(digest_with(".comment", 0), before);
  // Another library of the same name.
  const ProcessResult linked =
      run_process({program.string()}, 20, {{"LD_TRACE_LOADED_OBJECTS", "1"}});
  const std::size_t name = linked.output.find("=> ", linked.output.find("libstdc++")) + 3;
  const fs::path library = linked.output.substr(name, linked.output.find(" (", name) - name);
  const std::string original = read_text(library);
  std::string bytes = original;
  const counters::ElfFile file(original, "the library");
  for (const counters::ElfSection& each : file.sections())
    if (each.name == ".rodata") bytes[static_cast<std::size_t>(each.header.sh_offset)] ^= 1;
  ASSERT_NE(bytes, original);
  const fs::path other = folder_.path() / "other";
  fs::create_directory(other);
  const auto digest_with_library = [&](const std::string& content) {
    std::ofstream(other / library.filename(), std::ios::binary) << content;
    setenv("LD_LIBRARY_PATH", other.c_str(), 1);
    const auto digest = counters::program_digest(program);
    unsetenv("LD_LIBRARY_PATH");
    EXPECT_TRUE(digest);
    return digest;
  };
  EXPECT_NE(digest_with_library(bytes), digest_with_library(original));
}

#ifdef RATCHET_NVCC
TEST_F(ThirdPartyWorkerTest, DigestsAreOfTheKernelsToo) {
  const auto digest = [&](const std::string& name, const std::string& kernel) {
    const fs::path source = folder_.path() / (name + ".cu"), built = folder_.path() / name;
    std::ofstream(source) << kernel << "\nint main() { add<<<1, 1>>>(nullptr); }\n";
    const ProcessResult nvcc =
        run_process({RATCHET_NVCC, "-arch=sm_90", "-o", built.string(), source.string()}, 120);
    EXPECT_TRUE(nvcc.ok()) << nvcc.describe();
    return counters::program_digest(built);
  };
  const auto digest_of_one = digest("one", "__global__ void add(float* y) { *y += 1; }");
  ASSERT_TRUE(digest_of_one);  // although its runtime opens the driver
  EXPECT_EQ(digest("two", "// A remark.\n__global__ void add(float* y) { *y += 1; }"),
            digest_of_one);
  EXPECT_NE(digest("one", "__global__ void add(float* y) { *y += 2; }"), digest_of_one);
}
#endif

TEST_F(ThirdPartyWorkerTest, ACommandChecksAllRowsAtOnce) {
  const fs::path log = folder_.path() / "checks";
  ProgramOptions options{.program = built_program("correctness/third_party_bench")};
  options.check_command = "echo checked >> " + log.string();
  const ThirdPartyProgram program(options);
  EXPECT_TRUE(program.abilities().checks);
  EXPECT_FALSE(measure(program, "plain").launch->counter("verified"));
  for (const char* row : {"plain", "stated"}) EXPECT_TRUE(program.check(row).passed);
  EXPECT_EQ(read_text(log), "checked\n");
  EXPECT_EQ(measure(program, "plain").launch->counter("verified"), 1);
  options.check_command = "echo wrong >> " + log.string() + "; exit 4";
  const ThirdPartyProgram wrong(options);
  for (const char* row : {"plain", "stated"})
    EXPECT_HAS(error_of([&] { wrong.check(row); }),
               "the check failed, so nothing was timed: echo wrong");
  EXPECT_EQ(read_text(log), "checked\nwrong\n");
  options.check_command =
      "printf '50%% tests passed\\nThe following tests FAILED:\\n\\t  1 - sums (Failed)\\n\\t 12 - "
      "a b (SEGFAULT)\\nErrors while running CTest\\nOutput from these tests are in: /x/Last.log\\n"
      "Use \\\"--rerun-failed\\\"\\n'; exit 8";
  EXPECT_TRUE(error_of([&] {
                ThirdPartyProgram(options).check("plain");
              }).ends_with(": failed: sums, a b; its log is /x/Last.log"));
  options.check_command = "no-such-command-here";
  const std::string absent = error_of([&] { ThirdPartyProgram(options).check("plain"); });
  EXPECT_HAS(absent, "so nothing was timed: no-such-command-here: exited with code 127");
  EXPECT_EQ(absent.find("sh cannot be started"), absent.npos) << absent;
}

TEST_F(ThirdPartyWorkerTest, AFilterOfItsOwnIsRefused) {
  ProgramOptions options{.program = built_program("correctness/third_party_bench")};
  options.arguments = {"--benchmark_filter=plain"};
  EXPECT_HAS(error_of([&] { ThirdPartyProgram{options}; }),
             "--benchmark_filter=plain chooses nothing, because each launch is told its row; name "
             "rows as ROWS");
  for (const char* lists : {"--benchmark_list_tests", "--benchmark_list_tests=true"}) {
    options.arguments = {lists};
    EXPECT_HAS(error_of([&] { ThirdPartyProgram{options}; }),
               " makes every launch list its rows and measure none; leave it out");
  }
}

TEST_F(ThirdPartyWorkerTest, TellsOursFromThirdParty) {
  const fs::path plan = folder_.path() / "plan";
  std::ofstream(plan) << "demo/cpu/01_a ok 1e6 1000\n";
  setenv("RATCHET_FAKE_PLAN", plan.c_str(), 1);
  EXPECT_TRUE(knows_ratchet(RATCHET_DATA_DIR "/perf/gate/data/worker.sh"));
  std::ofstream(plan) << "demo/cpu/01_a unavailable\n";  // ours, though nothing can run
  EXPECT_TRUE(knows_ratchet(RATCHET_DATA_DIR "/perf/gate/data/worker.sh"));
  EXPECT_FALSE(knows_ratchet(built_program("correctness/third_party_bench")));
  // One that takes any flag, and one that hands them on to ours.
  EXPECT_FALSE(knows_ratchet(script("echo row\n")));
  EXPECT_TRUE(knows_ratchet(script("[ $1 = --help ] && echo ' --ratchet''_check_only'; exit 0\n")));
  EXPECT_FALSE(knows_ratchet(script("# ratchet_check_only\nexit 1\n")));

  const auto opened = open_program({.program = built_program("correctness/third_party_bench"),
                                    .arguments = {"--slow=10"},
                                    .filter = "stated"});
  EXPECT_FALSE(opened->abilities().checks);
  EXPECT_NEAR(measure(*opened, "stated").launch->real_ms, 11, 1e-6);
  ProgramOptions ours{RATCHET_DATA_DIR "/perf/gate/data/worker.sh", 60, 60};
  EXPECT_TRUE(open_program(ours)->abilities().checks);
  ours.arguments = {"--x"};
  EXPECT_HAS(error_of([&] { open_program(ours); }), "takes no arguments");
}

}  // namespace
}  // namespace ratchet::gate
