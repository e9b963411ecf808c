// `--metric`: further figures of a Google Benchmark program's rows, each gated as a row of its own.
// The program is correctness/perf/gate/tools/third_party_bench.cpp, whose row `counted` takes a
// stated time: no verdict depends on how busy the machine is.
#include "perf/gate/baseline/metric.h"

#include <linux/perf_event.h>
#include <sys/stat.h>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/outcome.h"
#include "perf/gate/programs/instructions.h"
#include "perf/gate/programs/profile.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

class MetricGate : public GateFixture {
 protected:
  /// A program whose row has these figures. It is a script, of which no identity is known.
  fs::path program(const std::string& flags, const std::string& name = "my_bench",
                   const std::string& before = "") {
    const fs::path file = folder() / name;
    write(file, "#!/bin/sh\n" + before + "exec " + built_program("correctness/third_party_bench") +
                    " --metrics " + flags + " \"$@\"\n");
    chmod(file.c_str(), 0755);
    return file;
  }
  fs::path bench() const { return folder() / "my_bench"; }
  /// Of the metrics alone: against stored figures the row itself decides nothing while others use
  /// its CPU.
  ProcessResult gate(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"counted/", "--budget-s", "20"});
    return gate_of(bench(), more);
  }
  nlohmann::json rows() const { return read_json(results())["context"]["ratchet"]["rows"]; }
  /// What is said of a gate that cannot run.
  std::string refused(const std::vector<std::string>& words) {
    const ProcessResult result = gate(words);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    const std::size_t line = result.output.rfind("ratchet: ");
    return line == std::string::npos ? result.output : result.output.substr(line);
  }
  /// A file that one launch writes.
  std::string left(const std::string& flags, const std::string& name) {
    const fs::path file = folder() / name;
    const ProcessResult result =
        run_process({program(flags, "writer"), "--benchmark_filter=^counted/",
                     "--benchmark_out=" + file.string(), "--benchmark_out_format=json"},
                    60);
    EXPECT_TRUE(result.ok()) << result.errors;
    return file;
  }
};

TEST(ReadMetric, TheUnitStandsInTheNameOrBehindIt) {
  const auto kind = [](const std::string& text, std::optional<Better> otherwise = {}) {
    return read_metric(text, otherwise).kind.text();
  };
  EXPECT_EQ(kind("allocs_per_iter"), "allocs (smaller is better)");
  EXPECT_EQ(kind("total_allocated_bytes"), "bytes (smaller is better)");
  EXPECT_EQ(kind("latency_ns"), "ns (smaller is better)");
  EXPECT_EQ(kind("items_per_second"), "items/s (larger is better)");
  EXPECT_EQ(kind("INSTRUCTIONS"), "instructions (smaller is better)");
  EXPECT_EQ(kind("x_min:larger"), "(larger is better)");  // a minimum, not minutes
  EXPECT_EQ(kind("group_B", Better::larger), "(larger is better)");
  EXPECT_EQ(kind("score=points", Better::larger), "points (larger is better)");
  EXPECT_EQ(kind("score=points:smaller", Better::larger), "points (smaller is better)");
  EXPECT_EQ(read_metric("a=b=MB", {}).name, "a=b");
  for (const char* text : {"allocs_per_iter", "score=points:larger"})
    EXPECT_EQ(kind(to_text(read_metric(text, {}))), kind(text));
}

TEST(ReadMetric, WhatRatchetMeasuresHasItsOwnUnit) {
  EXPECT_EQ(error_of([] { read_metric("memory=points:smaller", {}); }),
            "--metric memory=points: memory is in bytes, not in points; leave the unit out");
  EXPECT_EQ(read_metric("size=kB", {}).kind.unit, "kB");
  EXPECT_EQ(read_metric("score=points:larger", {}).kind.unit, "points");
}

TEST(MetricWords, AreThoseOfTheBaselineThatTheCommandLineDoesNotName) {
  const FigureKind allocs{"allocs", Better::smaller}, errors{"errors", Better::smaller};
  const auto words = [&](const std::vector<std::string>& named) {
    return gate::metric_words(
        {.program = {},
         .metrics = named,
         .stored_metrics = {
             {"a/allocs_per_iter", allocs}, {"b/allocs_per_iter", allocs}, {"a/errors", errors}}});
  };
  EXPECT_EQ(words({}), " --metric allocs_per_iter=allocs:smaller --metric errors=errors:smaller");
  EXPECT_EQ(words({"allocs_per_iter"}), " --metric errors=errors:smaller");
  EXPECT_EQ(words({"none"}), "");
}

TEST_F(MetricGate, S49ARowThatGotWorseInOneMetricFailsByItAlone) {
  program("--allocs=3 --counter=errors=0");
  const ProcessResult first =
      gate({"--metric", "allocs_per_iter,max_bytes_used", "--metric", "errors"});
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_HAS(first.output, "3 uncompared");
  EXPECT_HAS(table_line(first.output, "my_bench/counted/max_bytes_used"), "192 B");
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);

  // The baseline says which metrics are gated.
  program("--allocs=4 --counter=errors=0");
  const ProcessResult worse = gate({"--tolerance", "my_bench/counted/max_bytes_used=0.5"});
  EXPECT_EQ(worse.exit_code, 1) << worse.output;
  EXPECT_HAS(worse.output, "REGRESSION (exit 1): 1 slower, 2 same");
  const std::string line = table_line(worse.output, "my_bench/counted/allocs_per_iter");
  EXPECT_HAS(line, "3.00 -> 4.00 allocs");
  EXPECT_HAS(line, "exact");
  EXPECT_HAS(table_line(worse.output, "my_bench/counted/errors"), "0 -> 0 errors");
  EXPECT_EQ(rows()["my_bench/counted/allocs_per_iter"]["unit"], "allocs (smaller is better)");
  // A limit of a metric is that of a row.
  EXPECT_HAS(gate({"--limit", "counted/allocs_per_iter<3.5 allocs"}).output,
             "exceeded: 4 allocs (4 ... 4)");
}

TEST_F(MetricGate, S49AStoredMetricThatIsNoLongerStatedIsMissing) {
  program("--counter=errors=2 --counter=score=5");
  ASSERT_EQ(gate({"--metric", "errors,score=points:larger"}).exit_code, 0);
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
  program("--counter=score=5");
  const ProcessResult lost = gate();
  EXPECT_EQ(lost.exit_code, 2) << lost.output;
  EXPECT_HAS(lost.output, "1 missing, 1 same");
  EXPECT_HAS(lost.output, "my_bench/counted/errors");
  // Without any, all are missing, and `accept` removes them by name.
  program("--counter=errors=2 --counter=score=5");
  EXPECT_HAS(gate_of(bench(), {"counted", "--metric", "none", "--budget-s", "5"}).output,
             "2 missing, 1 new");
  ASSERT_EQ(accept({"counted/errors", "counted/score"}).exit_code, 0);
  EXPECT_HAS(gate_of(bench(), {"counted", "--budget-s", "5"}).output, " 1 ");
  EXPECT_FALSE(rows().contains("my_bench/counted/errors"));
}

TEST_F(MetricGate, S49ACounterThatOneLaunchLacksOrThatIsNoFigureFailsItsRow) {
  // The first launch lists the metrics, the third lacks one.
  const std::string count =
      "case \"$*\" in *benchmark_out=*) echo >> " + (folder() / "log").string() + ";; esac\n";
  program("$(test $(wc -l < " + (folder() / "log").string() + ") -eq 3 || echo --counter=errors=2)",
          "my_bench", count);
  write(folder() / "log", "");
  const ProcessResult once = gate({"--metric", "errors,allocs_per_iter"});
  EXPECT_EQ(once.exit_code, 2) << once.output;
  EXPECT_HAS(once.output, "launch 2: it states no number for errors");
  EXPECT_EQ(rows()["my_bench/counted/errors"]["verdict"], "failed");
  EXPECT_EQ(rows()["my_bench/counted/allocs_per_iter"]["verdict"], "uncompared");
  EXPECT_GE(rows()["my_bench/counted/allocs_per_iter"]["launches"], 3);

  program("--counter=errors=-2");
  EXPECT_HAS(gate({"--metric", "errors"}).output, "its errors is -2; rows are compared by ratios");
  program("--counter=wait_ns=0");
  EXPECT_HAS(gate({"--metric", "wait_ns"}).output, "its wait_ns is 0; rows are compared by ratios");
  // NaN is no number in JSON, and inf none that can be compared.
  program("--counter=errors=nan --counter=misses_ns=1");
  EXPECT_HAS(refused({"--metric", "errors"}), "--metric errors: no row of ");
}

TEST_F(MetricGate, AnotherUnitIsAChange) {
  program("--counter=peak=5");
  ASSERT_EQ(gate({"--metric", "peak=MB"}).exit_code, 0);
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
  const ProcessResult changed = gate({"--metric", "peak=kB"});
  EXPECT_EQ(changed.exit_code, 2) << changed.output;
  EXPECT_HAS(changed.output, "1 changed");
  EXPECT_HAS(table_line(changed.output, "my_bench/counted/peak"), "kB (smaller is better)");
  EXPECT_HAS(gate().output, "PASS (exit 0): 1 same");
}

TEST_F(MetricGate, RefusesWhatItCannotGate) {
  program("--counter=errors=2 --counter=score=5");
  const std::string unknown = refused({"--metric", "eror:smaller,score:larger"});
  EXPECT_HAS(unknown, "--metric eror: no row of ");
  EXPECT_HAS(unknown, "stated are allocs_per_iter, device_energy, energy, errors, ");
  EXPECT_HAS(unknown, "; did you mean errors?");
  EXPECT_HAS(refused({"--metric", "score"}), "write score:smaller or score:larger");
  EXPECT_EQ(gate({"--metric", "score", "--direction", "larger"}).exit_code, 0);
  EXPECT_HAS(refused({"--metric", "score=:larger"}), "is not NAME, NAME=UNIT");
  EXPECT_HAS(refused({"--metric", "=MB"}), "is not NAME, NAME=UNIT");
  EXPECT_HAS(refused({"--metric", "errors,errors=B"}), "names errors twice");
  EXPECT_HAS(refused({"--metric", "size"}), "is a script, not a program");
  EXPECT_HAS(refused({"--direction", "larger"}), "no effect without --exec or --metric");
  EXPECT_HAS(ratchet({"gate", "--exec", "true", "--metric", "a"}).output,
             "--metric has no effect with --exec");
  plan(std::vector<std::string>());
  EXPECT_HAS(gate_of(worker(), {"--metric", "errors"}).output, "leave --metric out");
}

TEST_F(MetricGate, GatesTheMemoryOfTheProcess) {
  program("--hold=50000000");
  ASSERT_EQ(gate({"--metric", "memory"}).exit_code, 0);
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
  program("--hold=90000000");
  const ProcessResult more = gate();
  EXPECT_EQ(more.exit_code, 1) << more.output;
  EXPECT_HAS(more.output, "REGRESSION (exit 1): 1 slower");
  EXPECT_EQ(rows()["my_bench/counted/memory"]["verdict"], "slower");
  EXPECT_EQ(rows()["my_bench/counted/memory"]["unit"], "MB (smaller is better)");
}

/// Two builds of one program: the same code, one of them with debug information and a note.
TEST_F(MetricGate, TheSizeIsThatOfWhatTheLoaderMaps) {
  const fs::path built = built_program("correctness/third_party_bench");
  fs::copy_file(built, bench());
  ASSERT_EQ(gate_of(bench(), {"plain", "--metric", "size", "--budget-s", "5"}).exit_code, 0);
  EXPECT_EQ(gate_of(bench(), {"my_bench/size", "--metric", "size", "--budget-s", "5"}).exit_code, 0)
      << "as its name is printed";
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
  write(folder() / "text", std::string(100000, 'x'));
  const auto with = [&](const std::string& section) {
    return run_process({"sh", "-c",
                        "objcopy " + section + "=" + (folder() / "text").string() + " " +
                            built.string() + " " + bench().string()},
                       60);
  };
  ASSERT_TRUE(with("--add-section .debug_more").ok());
  const auto size = [&] {
    return gate_of(bench(), {"my_bench/size", "--budget-s", "5", "--by-time", "--stored"});
  };
  const ProcessResult same = size();
  EXPECT_EQ(same.exit_code, 0) << same.output;
  EXPECT_HAS(same.output, "PASS (exit 0): 1 same");
  ASSERT_TRUE(with("--set-section-flags .more=alloc,readonly --add-section .more").ok());
  EXPECT_HAS(size().output, "REGRESSION (exit 1): 1 slower");
}

constexpr gate::ChildCounter::Event page_faults{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
bool counts_page_faults() { return gate::ChildCounter(page_faults).refusal().empty(); }
constexpr char counts_nothing[] = "perf_event_open counts nothing here";

TEST(ChildCounter, CountsWhatACommandAndItsChildrenDoAndNothingElse) {
  if (!counts_page_faults()) GTEST_SKIP() << counts_nothing;
  const auto faults = [](const std::string& command) {
    const gate::ChildCounter counter(page_faults);
    std::vector<char> own(10'000 * 4096, 'x');  // of this process
    EXPECT_TRUE(run_process({"sh", "-c", command}, 600).ok());
    return counter.count();
  };
  const double one = faults("/bin/true"), three = faults("/bin/true; (/bin/true); /bin/true");
  EXPECT_GT(one, 10);
  EXPECT_LT(one, 2000);
  EXPECT_GT(three, one + 20) << "of children, too";
  EXPECT_HAS(gate::ChildCounter({99, 99}).refusal(), "perf_event");
}

TEST(CountOfACall, IsWhatCallsAddWhateverTheStartCosts) {
  const auto program = [](std::int64_t calls) {
    return gate::CountedLaunch{static_cast<double>(calls), 1e6 + 17.3 * static_cast<double>(calls)};
  };
  EXPECT_EQ(gate::count_of_a_call(program, 64), 17);
  EXPECT_HAS(error_of([] {
               gate::count_of_a_call([](std::int64_t) { return gate::CountedLaunch{3, 1e6}; }, 64);
             }),
             "asked for 64 calls, and for 128, it made 3 and 3");
  EXPECT_EQ(gate::calls_to_count(1), 1);
  EXPECT_EQ(gate::calls_to_count(1000), 512);
  EXPECT_EQ(gate::calls_to_count(0), 1);
}

/// The way of the CPU's counter, with an event that every machine counts.
TEST_F(MetricGate, S49TheCpuCountsWhatACallDoes) {
  if (!counts_page_faults()) GTEST_SKIP() << counts_nothing;
  const auto instructions = std::exchange(gate::ChildCounter::instructions, page_faults);
  const auto measured = [&](const char* pages) {
    const gate::ThirdPartyProgram program(
        {.program = built_program("correctness/third_party_bench"),
         .arguments = {pages, "--takes-calls"},
         .metrics = {"instructions"},
         .rows = "^faults$"});
    return program.measure("faults/instructions", {0.01, "", folder() / "launch.json", {}});
  };
  const gate::LaunchOutcome four = measured("--pages=4"), five = measured("--pages=5");
  gate::ChildCounter::instructions = instructions;
  ASSERT_EQ(four.failure, "");
  EXPECT_EQ(four.basis, "instructions (smaller is better)");
  EXPECT_EQ(four.launch->counter("units_per_second"), 1. / 4);
  ASSERT_EQ(five.failure, "");
  EXPECT_EQ(five.launch->counter("units_per_second"), 1. / 5);
}

TEST_F(MetricGate, S49CallgrindCountsInstructionsWhereTheCpuDoesNot) {
  if (!gate::valgrind_refusal().empty()) GTEST_SKIP() << gate::valgrind_refusal();
  fs::copy_file(built_program("correctness/third_party_bench"), bench());
  // Busy machines end at the budget, with the three launches that exact figures need.
  const auto of_plain = [&](const std::string& values, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"plain/instructions", "--budget-s", "40"});
    more.insert(more.end(), {"--", "--values=" + values});
    return gate_of(bench(), more);
  };
  const ProcessResult first = of_plain("1000", {"--metric", "instructions"});
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_HAS(first.output, "instructions are counted by Callgrind (unit Ir), not by the CPU: ");
  ASSERT_EQ(accept({"--allow-unverified"}).exit_code, 0);
  const ProcessResult same = of_plain("1000", {"--by-time", "--stored"});
  EXPECT_EQ(same.exit_code, 0) << same.output;
  EXPECT_HAS(table_line(same.output, "my_bench/plain/instructions"), "exact");
  const ProcessResult worse = of_plain("1030", {"--stored"});
  EXPECT_EQ(worse.exit_code, 1) << worse.output;
  EXPECT_HAS(table_line(worse.output, "my_bench/plain/instructions"), "exact");
  EXPECT_NEAR(rows()["my_bench/plain/instructions"]["ratio"], 1000. / 1030, 0.01);
  EXPECT_EQ(rows()["my_bench/plain/instructions"]["unit"], "Ir (smaller is better)");
  const ProcessResult again = gate_of(bench(), {"plain/instructions", "--stored", "--budget-s",
                                                "40", "--", "--values=1000", "--starts-again"});
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_HAS(table_line(again.output, "my_bench/plain/instructions"), "same");
}

TEST_F(MetricGate, RefusesInstructionsThatNothingCounts) {
  program("");
  EXPECT_HAS(refused({"--metric", "instructions"}), "is a script, and its instructions are not");
  fs::remove(bench());
  fs::copy_file(built_program("correctness/third_party_bench"), bench());
  const auto refused_of = [&](const std::string& metric) {
    return gate_of(bench(), {"plain", "--metric", metric, "--budget-s", "5"}).output;
  };
  EXPECT_HAS(refused_of("instructions=ms"), "instructions are counted, not in ms; leave the unit");
  EXPECT_HAS(refused_of("device_memory"), "; --device-time makes the rows");
}

TEST_F(MetricGate, ComparesWithAnotherRevisionAndBisects) {
  const auto in_folder = [&](const std::string& command) {
    ProcessResult result = run_process({"env", "-C", folder().string(), "sh", "-c", command}, 60);
    result.output += result.errors;
    return result;
  };
  const std::string commit = "git add my_bench && git -c user.name=a -c user.email=a@b commit -qm ";
  program("--allocs=3");
  ASSERT_TRUE(in_folder("git init -q && " + commit + "first").ok());
  program("--allocs=4 --counter=errors=1");
  ASSERT_TRUE(in_folder(commit + "second").ok());
  program("--allocs=4 --counter=errors=1 --counter=score=2");
  ASSERT_TRUE(in_folder(commit + "third").ok());
  const std::string gate = built_program("perf/ratchet") +
                           " gate counted --bench my_bench --base HEAD~2 --build-cmd true"
                           " --budget-s 10 --metric allocs_per_iter,errors";
  const ProcessResult worse = in_folder(gate);
  EXPECT_EQ(worse.exit_code, 1) << worse.output;
  EXPECT_HAS(worse.output, "1 slower, 1 new, 1 same");
  const nlohmann::json run = read_json(results())["context"]["ratchet"]["run"];
  std::string bisect = run["commands"]["bisect"].get<std::string>();
  EXPECT_HAS(bisect, "--metric allocs_per_iter");
  const std::string mark = "{row}";
  if (const std::size_t row = bisect.find(mark); row != std::string::npos)
    bisect.replace(row, mark.size(), "my_bench/counted/allocs_per_iter");
  const ProcessResult found =
      in_folder(built_program("perf/ratchet") + bisect.substr(bisect.find(' ')) + " --budget-s 10");
  EXPECT_EQ(found.exit_code, 1) << found.output;
  EXPECT_HAS(found.output, "my_bench/counted/allocs_per_iter: throughput -25.00 %");
  EXPECT_HAS(found.output, " second\n");
}

TEST_F(MetricGate, ComparesTwoPrograms) {
  program("--allocs=3", "before");
  const fs::path log = folder() / "log";
  program("--allocs=5", "after",
          "case \"$*\" in *benchmark_out=*) echo >> " + log.string() + ";; esac\n");
  const auto compare = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"compare",
                                      "--exec",
                                      folder() / "before",
                                      "--exec",
                                      folder() / "after",
                                      "--results",
                                      folder() / "compared",
                                      "--budget-s",
                                      "10",
                                      "--filter",
                                      "counted"};
    words.insert(words.end(), more.begin(), more.end());
    return ratchet(words);
  };
  const ProcessResult worse = compare({"--metric", "allocs_per_iter"});
  EXPECT_EQ(worse.exit_code, 1) << worse.output;
  EXPECT_HAS(worse.output, "1 slower, 1 same");
  EXPECT_HAS(table_line(worse.output, "counted/allocs_per_iter"), "3.00 -> 5.00 allocs");
  const nlohmann::json kept = read_json(folder() / "compared/gate.json")["context"]["ratchet"];
  EXPECT_HAS(kept["run"]["commands"]["repeat"].get<std::string>(), " --metric allocs_per_iter");
  // One process gives a row and its metrics; to list them takes one more.
  const std::string lines = read(log);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'),
            1 + kept["rows"]["counted"]["launches"].get<int>());
  EXPECT_EQ(kept["rows"]["counted/allocs_per_iter"]["launches"],
            kept["rows"]["counted"]["launches"]);
  program("--allocs=3 --counter=errors=1", "after");
  const ProcessResult added = compare({"--metric", "errors"});
  EXPECT_EQ(added.exit_code, 0) << added.output;
  EXPECT_HAS(added.output, "1 new, 1 same");
  // A row that is slower does not fail by its metrics.
  program("--allocs=3 --slow=50", "after");
  const ProcessResult slower = compare({"--metric", "allocs_per_iter"});
  EXPECT_HAS(slower.output, "REGRESSION (exit 1): 1 slower, 1 same");
  EXPECT_EQ(read_json(folder() /
                      "compared/gate.json")["context"]["ratchet"]["rows"]["counted"]["verdict"],
            "slower");
}

TEST_F(MetricGate, ComparesFiles) {
  const std::string a = left("--allocs=3 --counter=errors=2", "a.json"),
                    b = left("--allocs=6 --counter=errors=2", "b.json"),
                    c = left("--allocs=3", "c.json");
  std::vector<std::string> sides = {"", ""};
  for (const char* number : {"1", "2", "3"}) {
    fs::copy_file(a, folder() / ("a" + std::string(number)));
    fs::copy_file(b, folder() / ("b" + std::string(number)));
    sides[0] += (sides[0].empty() ? "" : ",") + (folder() / "a").string() + number;
    sides[1] += (sides[1].empty() ? "" : ",") + (folder() / "b").string() + number;
  }
  const ProcessResult worse =
      ratchet({"compare", sides[0], sides[1], "--metric", "allocs_per_iter,errors"});
  EXPECT_EQ(worse.exit_code, 1) << worse.output;
  EXPECT_HAS(worse.output, "1 slower, 1 undecided, 1 same");
  EXPECT_HAS(table_line(worse.output, "counted/allocs_per_iter"), "3.00 -> 6.00 allocs");
  // A launch that lacks it is said, as of any row.
  const ProcessResult lacking =
      ratchet({"compare", sides[0], sides[1] + "," + c, "--metric", "errors"});
  EXPECT_EQ(lacking.exit_code, 2) << lacking.output;
  EXPECT_HAS(lacking.output, "missing from 1 of 4 launches");
  const ProcessResult unknown = ratchet({"compare", a, b, "--metric", "eror=errors"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_HAS(unknown.output, "did you mean errors?");
  // Without the option nothing else is compared.
  EXPECT_LACKS(ratchet({"compare", sides[0], sides[1]}).output, "allocs_per_iter");
}

}  // namespace
}  // namespace ratchet
