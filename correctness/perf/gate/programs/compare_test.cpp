// `ratchet compare` on files: what is a launch, what is compared, and what is refused.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/programs.h"
#include "perf/gate/programs/compare_files.h"
#include "perf/gate/run/run.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// One row of a file: a name, the milliseconds of its repetitions, and other keys.
struct FileRow {
  std::string name;
  std::vector<double> ms;
  json more = json::object();
};

class Compare : public testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_.path() / name; }
  /// Writes a file of Google Benchmark's.
  void write(const std::string& name, const std::vector<FileRow>& rows,
             const json& context = {{"num_cpus", 2}, {"mhz_per_cpu", 2600}, {"host_name", "a"}}) {
    json root = {{"context", context}, {"benchmarks", json::array()}};
    for (const FileRow& row : rows) {
      for (std::size_t i = 0; i < row.ms.size(); ++i) {
        json element = {{"name", row.name},      {"run_name", row.name}, {"run_type", "iteration"},
                        {"repetition_index", i}, {"iterations", 10},     {"real_time", row.ms[i]},
                        {"cpu_time", row.ms[i]}, {"time_unit", "ms"}};
        element.update(row.more);
        root["benchmarks"].push_back(element);
      }
    }
    fs::create_directories(path(name).parent_path());
    std::ofstream(path(name)) << root.dump();
  }
  /// A folder of launches, one a file, of a row whose time lies around `ms`.
  void launches(const std::string& name, double ms, std::size_t count = 12,
                const json& more = json::object()) {
    for (std::size_t i = 0; i < count; ++i)
      write(fmt(name, i), {{"sum", {ms * (1 + 0.0002 * static_cast<double>(i))}, more}});
  }
  static std::string fmt(const std::string& name, std::size_t i) {
    return name + "/" + std::to_string(100 + i) + ".json";
  }
  ProcessResult compare(const std::string& a, const std::string& b,
                        const std::vector<std::string>& more = {}) {
    std::vector<std::string> command = {built_program("perf/ratchet"), "compare", a, b};
    command.insert(command.end(), more.begin(), more.end());
    ProcessResult result = run_process(command, 60);
    result.output += result.errors;
    return result;
  }
  /// Between folders or files of this test's folder.
  ProcessResult sides(const std::string& a, const std::string& b,
                      const std::vector<std::string>& more = {}) {
    return compare(path(a), path(b), more);
  }
  static std::string line_of(const ProcessResult& result, const std::string& row) {
    return table_line(result.output, row);
  }
  ScratchFolder folder_;
};

TEST_F(Compare, FilesAreLaunches) {
  launches("a", 10);
  launches("same", 10.01);
  launches("slow", 10.5);
  launches("fast", 9.5);
  const ProcessResult same = sides("a", "same");
  EXPECT_EQ(same.exit_code, 0) << same.output;
  EXPECT_HAS(line_of(same, "sum"), "same");
  EXPECT_HAS(line_of(same, "sum"), "12 + 12");
  EXPECT_HAS(same.output, "Unchecked: no test covers what 1 row computes.");
  EXPECT_HAS(same.output, "Throughput is 1/cpu_time (1 row).");
  const ProcessResult slow = sides("a", "slow");
  EXPECT_EQ(slow.exit_code, 1);
  EXPECT_HAS(line_of(slow, "sum"), "slower   sum  -4.76 %");
  EXPECT_EQ(sides("a", "fast").exit_code, 0);
  EXPECT_HAS(line_of(sides("a", "fast"), "sum"), "faster");
  // The tolerance is the user's.
  EXPECT_EQ(sides("a", "slow", {"--tolerance", "0.1"}).exit_code, 0);
  EXPECT_EQ(sides("a", "slow", {"--tolerance", "su=0.1"}).exit_code, 0);
  EXPECT_EQ(sides("a", "slow", {"--tolerance", "-sum=0.1"}).exit_code, 2) << "selects no row";
  // Files one by one are what their folder is.
  std::string list = path(fmt("slow", 0)).string();
  for (std::size_t i = 1; i < 12; ++i) list.append(",").append(path(fmt("slow", i)).string());
  EXPECT_EQ(compare(path("a"), list).output, slow.output);
}

TEST_F(Compare, TheSideWithTooFewLaunchesIsNamed) {
  launches("many", 10, 9);
  launches("few", 10, 2);
  launches("others", 10, 2);
  EXPECT_HAS(sides("many", "few").output,
             "B has 2 launches, too few: at least 4 are needed next to A's 9");
  EXPECT_HAS(sides("few", "many").output,
             "A has 2 launches, too few: at least 4 are needed next to B's 9");
  EXPECT_HAS(sides("few", "others").output,
             "A has 2 launches and B has 2, too few: at least 6 on each side are needed");
  launches("enough", 10, 4);
  EXPECT_LACKS(sides("many", "enough").output, "too few");
}

TEST_F(Compare, RowsThatFailedOnBothSidesAreShown) {
  const json failed = {{"error_occurred", true}, {"error_message", "no such file"}};
  for (const char* side : {"a.json", "b.json"}) write(side, {{"sum", {10}, failed}});
  const ProcessResult result = sides("a.json", "b.json");
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_HAS(line_of(result, "sum"), "A: no such file");
  EXPECT_HAS(result.output, "FAILED (exit 2): 1 failed");
  // Files of gate runs have no launch of such a row.
  const json run = {{"format", 1},
                    {"rows", {{"sum", {{"verdict", "failed"}, {"reason", "killed by signal 6"}}}}}};
  for (const char* side : {"a.json", "b.json"}) write(side, {}, {{"ratchet", run}});
  const ProcessResult gates = sides("a.json", "b.json");
  EXPECT_EQ(gates.exit_code, 2) << gates.output;
  EXPECT_HAS(line_of(gates, "sum"), "A: killed by signal 6");
}

TEST_F(Compare, RepetitionsAreNoLaunches) {
  std::vector<double> a;
  for (int i = 0; i < 40; ++i) a.push_back(10 * (1 + 0.0001 * i));
  std::vector<double> b = a;
  for (double& ms : b) ms *= 1.1;
  write("a.json", {{"sum", a}});
  write("b.json", {{"sum", b}});
  const ProcessResult result = sides("a.json", "b.json");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_HAS(line_of(result, "sum"), "undecided");
  EXPECT_EQ(sides("a.json", "b.json", {"--strict"}).exit_code, 3);
  EXPECT_HAS(line_of(result, "sum"), "-9.09 %");
  EXPECT_HAS(line_of(result, "sum"), "1 + 1");
  EXPECT_HAS(
      line_of(result, "sum"),
      "only one launch in A and in B: the noise between launches is unknown; measure several");
  const ProcessResult forced = sides("a.json", "b.json", {"--repetitions-are-launches"});
  EXPECT_EQ(forced.exit_code, 1) << forced.output;
  EXPECT_HAS(line_of(forced, "sum"), "40 + 40");
  EXPECT_HAS(forced.output, "Repetitions of one process count as launches");
}

TEST_F(Compare, RepetitionsGiveTheMedianOfTheirLaunch) {
  for (std::size_t i = 0; i < 12; ++i) {
    write(fmt("a", i), {{"sum", {10, 10, 10}}});
    std::vector<double> disturbed = {10, 10, 10};  // one of them, whichever: the centre stays
    disturbed[i % 3] = 90;
    write(fmt("b", i), {{"sum", disturbed}});
  }
  EXPECT_HAS(line_of(sides("a", "b"), "sum"), "same");
}

TEST_F(Compare, RowsThatCannotBeCompared) {
  const json items = {{"items_per_second", 1000.0}};
  const std::vector<double> once = {10};
  write("a.json", {{"gone", once},
                   {"by", once},
                   {"refused", once},
                   {"work", once, {{"items_per_second", 1000.0}}},
                   {"cold", once, {{"samples", 30.0}, {"cold", 1.0}}},
                   {"own", once, {{"cold", 1.0}}},
                   {"unsure", once, {{"units_per_second", 100.0}, {"units", 1.0}}}});
  write("b.json",
        {{"more", once},
         {"by", once, items},
         {"refused", once, {{"error_occurred", true}, {"error_message", "out of memory"}}},
         {"work", once, {{"items_per_second", 2000.0}}},
         {"cold", once, {{"samples", 30.0}}},
         {"own", once, {{"cold", 2.0}}},
         {"unsure", once, {{"units_per_second", 100.0}, {"units", 1.0}, {"verified", 0.0}}}});
  const ProcessResult result = sides("a.json", "b.json");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_HAS(line_of(result, "gone"), "missing");
  EXPECT_HAS(line_of(result, "more"), "new");
  EXPECT_HAS(line_of(result, "by"), "throughput is 1/cpu_time in A, items_per_second in B");
  EXPECT_HAS(line_of(result, "refused"), "B: out of memory");
  EXPECT_HAS(line_of(result, "work"), "the work of one call is 10 in A, 20 in B");
  EXPECT_HAS(line_of(result, "cold"),
             "samples begin with a cold L2 cache in A, with a warm one in B");
  EXPECT_LACKS(line_of(result, "own"), "cache");  // a program's own counter of this name
  EXPECT_HAS(line_of(result, "unsure"), "unverified");
  // A filter leaves the others alone.
  const ProcessResult one = sides("a.json", "b.json", {"--filter", "gone"});
  EXPECT_LACKS(one.output, "refused");
  EXPECT_EQ(sides("a.json", "b.json", {"--filter", "nothing"}).exit_code, 2);
}

TEST_F(Compare, OwnFilesHoldLaunches) {
  Measurements own;
  own.context = {{"cpu.model", "Box"}, {"build.flags", "-O3"}};
  Row& row = own.rows["demo/cpu/01_a"];
  row.name = "demo/cpu/01_a";
  row.tolerance = 0.2;
  for (int i = 0; i < 12; ++i) {
    const double rate = 1000 + 0.1 * i;
    row.launches.push_back(
        {i, 1e3 / rate, 0, 1, {{"units", 1}, {"units_per_second", rate}, {"verified", 1}}});
  }
  write_atomically(path("a.json"), to_text(own));
  for (Launch& launch : row.launches) {
    launch.real_ms *= 1.1;
    launch.counters["units_per_second"] /= 1.1;
  }
  write_atomically(path("b.json"), to_text(own));
  const ProcessResult result = sides("a.json", "b.json");
  EXPECT_HAS(line_of(result, "demo/cpu/01_a"), "12 + 12");
  EXPECT_LACKS(result.output, "Unchecked");
  EXPECT_EQ(result.exit_code, 0) << result.output;  // within the row's own tolerance
  EXPECT_EQ(sides("a.json", "b.json", {"--tolerance", "0.03"}).exit_code, 1);
  // Another build is what may be compared; another machine is not.
  own.context["build.flags"] = "-O2";
  own.context["cpu.model"] = "Other";
  write_atomically(path("b.json"), to_text(own));
  const ProcessResult other = sides("a.json", "b.json");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_HAS(other.output,
             "different machines: cpu.model is Box in A, Other in B; to compare them anyway, add "
             "--across");
  EXPECT_LACKS(other.output, "build.flags");
}

/// As the gate's results and baselines state the digest of what a row executed.
TEST_F(Compare, IdenticalWorkIsSaidToBeIt) {
  const std::string name = "demo/cpu/01_a", remark = "identical work, judged by time";
  const auto written = [&](const char* file, double rate, const json& ratchet,
                           const char* cpu = "Box") {
    Measurements own;
    own.context = {{"cpu.model", cpu}, {"ratchet", ratchet}};
    Row& row = own.rows[name];
    row.name = name;
    for (int i = 0; i < 12; ++i) {
      const double here = rate + 0.1 * i;
      row.launches.push_back(
          {i, 1e3 / here, 0, 1, {{"units", 1}, {"units_per_second", here}, {"verified", 1}}});
    }
    write_atomically(path(file), to_text(own));
  };
  const auto judged = [&](const char* work) {
    return json{{"rows", {{name, {{"verdict", "same"}, {"work", work}}}}}};
  };
  written("a.json", 1000, judged("d1"));
  written("b.json", 900, judged("d1"));
  written("stored.json", 900, {{"work", {{name, "d1"}}}});
  written("other.json", 900, judged("d2"));
  written("away.json", 900, judged("d1"), "Other");
  EXPECT_HAS(line_of(sides("a.json", "b.json"), name), remark);
  EXPECT_HAS(sides("a.json", "b.json").output, "1 slower");
  EXPECT_HAS(sides("a.json", "stored.json").output, remark);
  EXPECT_LACKS(sides("a.json", "other.json").output, remark);
  EXPECT_LACKS(sides("a.json", "away.json", {"--across-machines"}).output, remark);
  EXPECT_LACKS(sides("a.json,b.json", "b.json").output, remark);  // perhaps of two builds
}

TEST_F(Compare, MachinesMustAgree) {
  launches("a", 10);
  const json here = {{"num_cpus", 2}, {"mhz_per_cpu", 2610}, {"host_name", "a"}};
  for (std::size_t i = 0; i < 12; ++i) {
    write(fmt("b", i), {{"sum", {10}}}, here);
    write(fmt("c", i), {{"sum", {10}}}, {{"num_cpus", 64}, {"mhz_per_cpu", 3000}});
  }
  EXPECT_EQ(sides("a", "b").exit_code, 0);  // the clock as read differs by 0.4 %
  const ProcessResult refused = sides("a", "c");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_HAS(refused.output, "mhz_per_cpu is 2600 in A, 3000 in B, num_cpus is 2 in A, 64 in B");
  const ProcessResult across = sides("a", "c", {"--across-machines"});
  EXPECT_EQ(across.exit_code, 0) << across.output;
  EXPECT_HAS(across.output, "Across machines: num_cpus is 2 in A, 64 in B.");
  // Within one side, too.
  write(fmt("b", 3), {{"sum", {10}}}, {{"num_cpus", 8}});
  EXPECT_HAS(sides("a", "b").output,
             "the files of side B are of different machines: num_cpus is 2 in ");
}

TEST_F(Compare, LeavesResults) {
  launches("a", 10);
  launches("b", 10.5);
  EXPECT_EQ(sides("a", "b", {"--results", path("out")}).exit_code, 1);
  const json left = read_json(path("out") / "compare.json");
  EXPECT_EQ(left["context"]["ratchet"]["rows"]["sum"]["verdict"], "slower");
  EXPECT_EQ(left["context"]["ratchet"]["throughput"]["sum"], "1/cpu_time");
  EXPECT_EQ(left["benchmarks"].size(), 12u);
  EXPECT_FALSE(left["context"].contains("host_name"));
  const std::string summary = read_text(path("out") / "summary.md");
  EXPECT_HAS(summary, "REGRESSION (exit 1)");
  EXPECT_HAS(summary, "Unchecked: no test covers");
}

TEST_F(Compare, LeavesAReportOfWhoeversRows) {
  launches("a", 10);
  launches("same", 10.001);
  const auto reported = [&](const std::string& b, ExitCode code) {
    const std::string out = path("of " + b);
    const ProcessResult result = sides("a", b, {"--results", out});
    EXPECT_EQ(result.exit_code, static_cast<int>(code)) << result.output;
    EXPECT_HAS(result.output, "\nreport: " + out + "/report.html\n");
    EXPECT_LACKS(result.output, "no report");
    return fs::exists(path("of " + b) / "report.html") ? read_text(out + "/report.html") : "";
  };
  EXPECT_HAS(reported("same", ExitCode::pass), R"("verdict":"same")");
  fs::create_directories(fs::path(path("taken")) / "report.html" / "by a folder");
  const ProcessResult lost = sides("a", "same", {"--results", path("taken")});
  EXPECT_EQ(lost.exit_code, 2);
  EXPECT_HAS(lost.output, "no report: ");
  launches("slow", 10.5);
  EXPECT_HAS(reported("slow", ExitCode::regression), R"("verdict":"slower")");
  launches("items", 10, 12, {{"items_per_second", 1000.0}});
  EXPECT_HAS(reported("items", ExitCode::failed), R"("verdict":"changed")");
  // What neither a baseline nor the gate would take, a report must still show.
  launches("wrong", 10, 12, {{"verified", 0.0}});
  EXPECT_HAS(reported("wrong", ExitCode::failed), R"("verdict":"unverified")");
  launches("failed", 10, 12, {{"error_occurred", true}, {"error_message", "out of memory"}});
  EXPECT_HAS(reported("failed", ExitCode::failed), "out of memory");
  write("more/1.json", {{"/sum/of parts", {10}}, {"sum", {10}}});
  EXPECT_HAS(reported("more", ExitCode::pass), "/sum/of parts");
}

/// Of those that ended; what else the machine does is not in it.
double cpu_seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

/// A folder of twelve launches of these rows.
#define TWELVE(name, ...) \
  for (std::size_t i = 0; i < 12; ++i) write(fmt(name, i), __VA_ARGS__)

TEST_F(Compare, RowsOfOneNameStayApart) {
  const json bare = {{"repetitions", 1}, {"repetition_index", 0}};
  const auto ms = [](double base, std::size_t i) {
    return std::vector<double>{base * (1 + 0.0002 * static_cast<double>(i))};
  };
  TWELVE("a", {{"sum", ms(100, i), bare}, {"sum", ms(900, i), bare}});
  TWELVE("b", {{"sum", ms(100, i), bare}, {"sum", ms(945, i), bare}});
  const ProcessResult result = sides("a", "b");
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_HAS(line_of(result, "sum"), "same");
  EXPECT_HAS(line_of(result, "sum#2"), "slower");
  EXPECT_HAS(result.output, "give each benchmark a name, and each run a file");
}

TEST_F(Compare, RunsInOneFileAreLaunches) {
  const auto merged = [&](const std::string& name, double ms) {
    std::vector<FileRow> rows;
    for (int i = 0; i < 12; ++i)
      rows.push_back({"sum",
                      {ms * (1 + 0.0002 * i)},
                      {{"family_index", 0}, {"per_family_instance_index", 0}}});
    write(name, rows);
  };
  merged("a.json", 10);
  merged("b.json", 10.5);
  const ProcessResult result = sides("a.json", "b.json");
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_HAS(line_of(result, "sum"), "12 + 12");
}

TEST_F(Compare, ARowThatLaunchesLackIsMissing) {
  TWELVE("a", {{"sum", {10}}, {"other", {10}}});
  for (std::size_t i = 0; i < 12; ++i) {
    write(fmt("b", i), i < 2 ? std::vector<FileRow>{{"sum", {10}}, {"other", {10}}}
                             : std::vector<FileRow>{{"sum", {10}}});
    write(fmt("parts", i), {{i % 2 == 0 ? "sum" : "other", {10}}});
  }
  for (const auto& [a, b, side] : {std::tuple("a", "b", "B"), std::tuple("b", "a", "A")}) {
    const ProcessResult result = sides(a, b);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_HAS(line_of(result, "other"), "missing");
    EXPECT_HAS(result.output, std::string(side) + ": missing from 10 of 12 launches");
  }
  // One is enough.
  for (std::size_t i = 0; i < 12; ++i)
    write(fmt("one", i), i > 0 ? std::vector<FileRow>{{"sum", {10}}, {"other", {10}}}
                               : std::vector<FileRow>{{"sum", {10}}});
  EXPECT_HAS(sides("a", "one").output, "B: missing from 1 of 12 launches");
  // Files without a common row are parts of one run.
  EXPECT_EQ(sides("a", "parts").exit_code, 0);
}

TEST_F(Compare, ABadRowCostsThatRow) {
  TWELVE("a", {{"sum", {10}}, {"bad", {10}}});
  for (const auto& [name, more] : std::map<std::string, json>{{"negative", {{"real_time", -1}}},
                                                              {"null", {{"real_time", json()}}},
                                                              {"unit", {{"time_unit", "h"}}},
                                                              {"none", {{"iterations", 0}}}}) {
    TWELVE(name, {{"sum", {10}}, {"bad", {10}, more}});
    const ProcessResult result = sides("a", name);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_HAS(line_of(result, "bad"), "failed");
    EXPECT_HAS(line_of(result, "sum"), "same");
  }
}

TEST_F(Compare, SkippedOnBothSidesIsNoFailure) {
  const json skip = {{"skipped", true}, {"skip_message", "needs AVX-512"}, {"real_time", 0}};
  TWELVE("all", {{"sum", {10}}, {"wide", {10}}});
  TWELVE("some", {{"sum", {10}}, {"wide", {10}, skip}});
  const ProcessResult both = sides("some", "some");
  EXPECT_EQ(both.exit_code, 0) << both.output;
  EXPECT_HAS(both.output, "skipped: needs AVX-512");
  const ProcessResult now = sides("all", "some");
  EXPECT_EQ(now.exit_code, 2);
  EXPECT_HAS(now.output, "in A, skipped in B: needs AVX-512");
  EXPECT_HAS(line_of(sides("some", "all"), "wide"), "new");
  write(fmt("mixed", 0), {{"sum", {10}}, {"wide", {10}}});
  for (std::size_t i = 1; i < 12; ++i)
    write(fmt("mixed", i), {{"sum", {10}}, {"wide", {10}, skip}});
  EXPECT_EQ(sides("some", "mixed").exit_code, 2);
}

/// By its basis and clock, as the rows of both sides.
TEST_F(Compare, ARowOfOneSideHasItsUnit) {
  write("a.json", {{"sum", {10}}, {"gone", {0.01}}});
  write("b.json", {{"sum", {10}}, {"added", {0.01}}, {"rate", {10}, {{"items_per_second", 1e5}}}});
  const ProcessResult result = sides("a.json", "b.json");
  EXPECT_HAS(line_of(result, "added"), "100 k calls/s");
  EXPECT_HAS(line_of(result, "added"), "  cpu  ");
  EXPECT_HAS(line_of(result, "rate"), "100 k items/s");
  const std::vector<RowReport> rows =
      compare_sides(read_side("A", path("a.json"), {}), read_side("B", path("b.json"), {}), {});
  for (const RowReport& row : rows) EXPECT_FALSE(row.basis.empty()) << row.name.text();
}

TEST_F(Compare, AWaitThatIsNotCountedIsSaid) {
  const json waits = {{"cpu_time", 0.1}, {"items_per_second", 1e6}};  // 100 items
  launches("a", 10, 12, waits);
  EXPECT_HAS(sides("a", "a").output,
             "judged by CPU time, which is 1 % of wall time at most: other processes used its CPU");
  launches("b", 10, 12, {{"cpu_time", 9.9}, {"items_per_second", 100 / 9.9e-3}});
  EXPECT_LACKS(sides("b", "b").output, "it waits");
  launches("c", 10, 12, {{"cpu_time", 0.1}});
  EXPECT_HAS(sides("c", "c").output, "it waits");
  EXPECT_LACKS(sides("c", "c", {"--clock", "wall"}).output, "it waits");
}

/// 5 % more wall time and the same CPU time: others used the CPU.
TEST_F(Compare, OneClockDecidesForTimeAndRate) {
  const auto row = [&](const char* folder, double ms) {
    launches(folder, ms, 12, {{"cpu_time", 9.0}, {"items_per_second", 100 / 9e-3}});
  };
  row("a", 10);
  row("b", 10.5);
  const ProcessResult by_cpu = sides("a", "b");
  EXPECT_EQ(by_cpu.exit_code, 0) << by_cpu.output;
  EXPECT_HAS(line_of(by_cpu, "sum"), "11.1 -> 11.1 k items/s");
  EXPECT_HAS(line_of(by_cpu, "sum"), "  cpu  ");
  const ProcessResult by_wall = sides("a", "b", {"--clock", "wall"});
  EXPECT_EQ(by_wall.exit_code, 1) << by_wall.output;
  EXPECT_HAS(line_of(by_wall, "sum"), "9.99 -> 9.51 k items/s");
  EXPECT_HAS(line_of(by_wall, "sum"), "  wall  ");
  EXPECT_EQ(sides("a", "b", {"--cpu-time"}).output, sides("a", "b", {"--clock", "cpu"}).output);
  for (const std::vector<std::string>& bad : {std::vector<std::string>{"--clock", "sun"},
                                              {"--clock", ""},
                                              {"--clock="},
                                              {"--clock", "wall", "--cpu-time"}}) {
    const ProcessResult refused = sides("a", "b", bad);
    EXPECT_EQ(refused.exit_code, 2) << refused.output;
    EXPECT_HAS(refused.output, "--clock");
    EXPECT_EQ(std::count(refused.output.begin(), refused.output.end(), '\n'), 1) << refused.output;
  }
}

TEST_F(Compare, TimeGrowsWithTheRowsAlone) {
  const auto seconds = [&](std::size_t count) {
    std::vector<FileRow> rows;
    for (std::size_t i = 0; i < count; ++i) rows.push_back({"row/" + std::to_string(i), {10}});
    write("a.json", rows);
    const double before = cpu_seconds_of_children();
    sides("a.json", "a.json", {"--quiet"});
    return cpu_seconds_of_children() - before;
  };
  // Eight times the rows: linear work takes 8 times the CPU time, quadratic work 64 times. A busy
  // second thread of the same core can double either.
  const double some = seconds(5000);
  EXPECT_LT(seconds(40000), 24 * some + 0.5);
}

TEST_F(Compare, BadInput) {
  launches("a", 10, 3);
  const auto refused = [&](const std::string& a, const std::string& why) {
    const ProcessResult result = compare(a, path("a"));
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_HAS(result.output, why);
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  };
  refused(path("none.json"), "none.json does not exist");
  std::ofstream(path("cut.json")) << "{\"context\": {}, \"benchm";
  refused(path("cut.json"), "cut.json is not valid JSON");
  refused(path("cut.json"), "; restore the file, or make it anew");
  std::ofstream(path("none-in-it.json")) << R"({"context": {}, "benchmarks": []})";
  refused(path("none-in-it.json"), "none-in-it.json has no benchmarks");
  std::ofstream(path("list.json")) << "[]";
  refused(path("list.json"), "list.json is not JSON of Google Benchmark");
  std::ofstream(path("own.json")) << R"({"context": {"ratchet": {}}, "benchmarks": []})";
  refused(path("own.json"), "own.json is not a file of ratchet");
  std::ofstream(path("latin.json")) << "{\"context\": {\"a\": \"\xe9\"}, \"benchmarks\": []}";
  refused(path("latin.json"), "latin.json is not valid JSON");
  std::ofstream(path("deep.json")) << std::string(100, '[') << std::string(100, ']');
  refused(path("deep.json"), "nests deeper than");
  fs::create_directories(path("empty"));
  refused(path("empty"), "holds no *.json");
  refused(path(fmt("a", 0)).string() + "," + path(fmt("a", 0)).string(), "is given twice");
  refused(",", "has an empty item");
  write("no_row.json", {});
  EXPECT_HAS(sides("no_row.json", "no_row.json").output,
             path("no_row.json").string() + " has no benchmarks");
}

}  // namespace
}  // namespace ratchet::gate
