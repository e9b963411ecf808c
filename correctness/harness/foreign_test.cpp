// Programs and files that are not ratchet's own: Google Benchmark's JSON as it really is, and any
// program that writes it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "kernels/support/error.h"
#include "perf/baseline/foreign_json.h"
#include "perf/baseline/json_file.h"
#include "perf/gate/foreign_worker.h"
#include "perf/gate/session.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

template <typename Act>
std::string message_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::failed);
    return error.what();
  }
  return "no error";
}

// What real programs wrote: correctness/tools/foreign_bench.cpp with Google Benchmark 1.7.1,
//   foreign_bench --benchmark_repetitions=3 --benchmark_min_time=0.01 --benchmark_out=...
// and a Python program of two rows with 1.9.5.
const fs::path folder = fs::path(RATCHET_DATA_DIR) / "foreign";

TEST(ForeignJson, ReadsWhatGoogleBenchmark17Writes) {
  const ForeignMeasurements read = read_foreign(folder / "google_benchmark_1.7.1.json");
  std::vector<std::string> names;
  for (const auto& [name, row] : read.measured.rows) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"bytes", "complex/128", "complex/64", "items/100",
                                             "items/1000", "plain", "repeated", "stated",
                                             "sum<int, 2>(a+b)*[c]/^x$|y?.\\", "threads/threads:2",
                                             "twice/iterations:2/manual_time", "twice/real_time"}));
  for (const auto& [name, row] : read.measured.rows) EXPECT_EQ(row.launches.size(), 3u) << name;
  EXPECT_EQ(read.failures, (std::map<std::string, std::string>{{"refuse", "no such \"device\""}}));
  EXPECT_EQ(read.basis.at("items/100"), ThroughputBasis::items);
  EXPECT_EQ(read.basis.at("bytes"), ThroughputBasis::bytes);
  EXPECT_EQ(read.basis.at("plain"), ThroughputBasis::real_time);
  // Seconds stated by the program: 10 ms, in spite of NaN and Infinity beside it.
  const Launch& stated = read.measured.rows.at("stated").launches.at(2);
  EXPECT_NEAR(stated.real_ms, 10, 1e-9);
  EXPECT_NEAR(*stated.counter("units_per_second"), 100, 1e-7);
  EXPECT_FALSE(stated.counter("nothing"));
  // Items by CPU time, bytes by real time: both give the work of one call exactly.
  EXPECT_EQ(read.measured.rows.at("items/1000").units(), 1000);
  EXPECT_EQ(read.measured.rows.at("bytes").units(), 4000);
  EXPECT_EQ(read.measured.rows.at("plain").units(), 1);
}

TEST(ForeignJson, ReadsWhatGoogleBenchmark19Writes) {
  const ForeignMeasurements read = read_foreign(folder / "google_benchmark_1.9.5.json");
  EXPECT_EQ(read.measured.rows.at("BM_Python/100").launches.size(), 2u);
  EXPECT_EQ(read.measured.rows.at("BM_Python/100").units(), 100);
  EXPECT_EQ(read.failures, (std::map<std::string, std::string>{{"BM_Skip", "not today"}}));
}

/// The common file with one row, changed by `change`.
json file_of(const std::vector<json>& rows) {
  json root = {{"context", {{"num_cpus", 2}}}, {"benchmarks", json::array()}};
  for (const json& more : rows) {
    json row = {{"name", "a/1"},      {"run_name", "a/1"}, {"run_type", "iteration"},
                {"repetitions", 1},   {"threads", 1},      {"repetition_index", 0},
                {"iterations", 1000}, {"real_time", 50.0}, {"cpu_time", 40.0},
                {"time_unit", "us"}};
    for (const auto& [key, value] : more.items()) {
      row[key] = value;
      if (value == "DROP") row.erase(key);
    }
    root["benchmarks"].push_back(row);
  }
  return root;
}
ForeignMeasurements parse(const std::vector<json>& rows, bool cpu_time = false) {
  return parse_foreign(file_of(rows), "x.json", {cpu_time});
}

TEST(ForeignJson, UnitsOfTimeAndThroughput) {
  const std::map<std::string, double> rates = {{"ns", 2e7}, {"us", 2e4}, {"ms", 20}, {"s", 0.02}};
  for (const auto& [unit, rate] : rates) {
    const auto read = parse({{{"time_unit", unit}}});
    EXPECT_NEAR(read.measured.rows.at("a/1").throughputs().at(0) / rate, 1, 1e-12) << unit;
  }
  const auto by_cpu = parse({{{"name", "a/1/real_time"}}}, true);
  EXPECT_EQ(by_cpu.basis.at("a/1"), ThroughputBasis::cpu_time);
  EXPECT_NEAR(by_cpu.measured.rows.at("a/1").throughputs().at(0), 25000, 1e-6);
  // Our own counter, then items, then bytes, then calls.
  json row = {{"bytes_per_second", 3.0}};
  EXPECT_EQ(parse({row}, true).basis.at("a/1"), ThroughputBasis::bytes);
  row["items_per_second"] = 5.0;
  EXPECT_EQ(parse({row}).basis.at("a/1"), ThroughputBasis::items);
  EXPECT_EQ(parse({row}).measured.rows.at("a/1").throughputs(), std::vector<double>{5});
  row["units_per_second"] = 7.0;
  row["units"] = 3.0;
  EXPECT_EQ(parse({row}).basis.at("a/1"), ThroughputBasis::units);
  EXPECT_EQ(parse({row}).measured.rows.at("a/1").throughputs(), std::vector<double>{7});
  EXPECT_EQ(parse({row}).measured.rows.at("a/1").units(), 3);
  // Work that no time explains is unknown, not wrong.
  EXPECT_EQ(parse({{{"items_per_second", 12345.678}}}).measured.rows.at("a/1").units(), 0);
}

TEST(ForeignJson, OldVersionsLackKeys) {
  const json old = {{"run_type", "DROP"}, {"repetition_index", "DROP"}, {"run_name", "DROP"}};
  json mean = old;
  mean["name"] = "a/1_mean";
  json own = old;  // a benchmark that only looks like an aggregate
  own["name"] = "my_mean";
  json complexity = {{"name", "a_BigO"},    {"run_type", "DROP"},   {"cpu_coefficient", 1.0},
                     {"real_time", "DROP"}, {"iterations", "DROP"}, {"cpu_time", "DROP"}};
  const auto read = parse({old, old, old, mean, own, complexity});
  ASSERT_EQ(read.measured.rows.size(), 2u);
  EXPECT_EQ(read.measured.rows.at("a/1").launches.size(), 3u);
  EXPECT_EQ(read.measured.rows.at("a/1").launches.at(2).index, 2);
  EXPECT_EQ(read.measured.rows.at("my_mean").launches.size(), 1u);
  EXPECT_TRUE(read.failures.empty());
}

TEST(ForeignJson, RowsThatFail) {
  const auto reason = [](const std::vector<json>& rows) {
    const auto read = parse(rows);
    EXPECT_EQ(read.measured.rows.count("a/1"), 0u);
    return read.failures.count("a/1") ? read.failures.at("a/1") : "none";
  };
  EXPECT_EQ(reason({{{"skipped", true}, {"skip_message", "no GPU"}, {"real_time", 0.0}}}),
            "no GPU");
  EXPECT_EQ(reason({{{"error_occurred", true}, {"real_time", 0.0}}}),
            "the benchmark reports an error");
  // One repetition of several.
  EXPECT_EQ(reason({json::object(),
                    {{"repetition_index", 1}, {"error_occurred", true}, {"error_message", "b"}}}),
            "b");
  for (const json& rate : {json(0), json(-1.5), json(), json("fast")})
    EXPECT_EQ(reason({{{"items_per_second", rate}}}),
              "its items_per_second is not a positive number");
  const json median = {
      {"run_type", "aggregate"}, {"name", "a/1_median"}, {"aggregate_name", "median"}};
  EXPECT_HAS(reason({median, {{"name", "b"}}}), "only its aggregates");
  EXPECT_HAS(message_of([&] { parse({median}); }), "x.json holds aggregates only");
}

TEST(ForeignJson, BadInputNamesFileAndRow) {
  const auto said = [](const json& row) { return message_of([&] { parse({row}); }); };
  EXPECT_EQ(said({{"real_time", json()}}), "x.json, row a/1: \"real_time\" is not a number");
  EXPECT_EQ(said({{"real_time", 0}}), "x.json, row a/1: real_time is not positive");
  EXPECT_EQ(said({{"real_time", -3}}), "x.json, row a/1: real_time is not positive");
  EXPECT_EQ(said({{"cpu_time", "DROP"}}), "x.json, row a/1: \"cpu_time\" is missing");
  EXPECT_EQ(said({{"time_unit", "min"}}), "x.json, row a/1: unknown time_unit \"min\"");
  EXPECT_EQ(said({{"name", "DROP"}}), "x.json, benchmarks[0]: \"name\" is missing or not a text");
  EXPECT_EQ(message_of([] {
              parse({json::object(), json::object()});
            }),
            "x.json, row a/1 appears twice: two benchmarks have this name");
  for (const json& root :
       {json::array(), json{{"context", json::object()}}, json{{"benchmarks", json::array()}},
        json{{"context", 1}, {"benchmarks", json::array()}}})
    EXPECT_HAS(message_of([&] { parse_foreign(root, "x.json"); }),
               "x.json is no output of Google Benchmark");
  json broken = file_of({json::object()});
  broken["benchmarks"].push_back(7);
  EXPECT_EQ(message_of([&] { parse_foreign(broken, "x.json"); }),
            "x.json, benchmarks[1] is not an object");
}

TEST(ForeignJson, BareNan) {
  EXPECT_EQ(without_bare_nan(R"({"a": NaN, "b":-NaN,"c": [Infinity, -Infinity], "nan": inf})"),
            R"({"a": null, "b":null,"c": [null, null], "nan": null})");
  // Strings stay as they are, whatever they contain, and so does anything that is no such word.
  for (const char* text : {R"({"NaN": "x NaN \" inf \\", "b": 1})", "[NaNny]", "[infinite]",
                           "\"open NaN", "\"open \\"})
    EXPECT_EQ(without_bare_nan(text), text);
}

}  // namespace

namespace gate {
namespace {

class ForeignWorkerTest : public testing::Test {
 protected:
  fs::path scratch() const { return folder_.path() / "launch.json"; }
  static ForeignWorker worker(std::vector<std::string> arguments = {}, double limit_s = 60) {
    return ForeignWorker({RATCHET_FOREIGN_PROGRAM, std::move(arguments), "", limit_s, false});
  }
  LaunchOutcome measure(const BenchProgram& program, const std::string& row) {
    return program.measure(row, 0.01, "", scratch());
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

TEST_F(ForeignWorkerTest, MeasuresEachRowAlone) {
  const ForeignWorker program = worker();
  const std::vector<std::string> rows = program.list().rows;
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
  EXPECT_EQ(measure(program, "plain").basis, "1/real_time");
  EXPECT_NEAR(*measure(program, "repeated").launch->counter("units_per_second"), 100, 1e-6);
  // Two rows of one plain name are told apart.
  EXPECT_NEAR(measure(program, "twice/iterations:2/manual_time").launch->real_ms, 10, 1e-6);
  EXPECT_LT(measure(program, "twice/real_time").launch->real_ms, 1);
}

TEST_F(ForeignWorkerTest, PassesArgumentsAndFilterOn) {
  const ForeignWorker slow = worker({"--slow=25"});
  EXPECT_NEAR(measure(slow, "stated").launch->real_ms, 12.5, 1e-6);
  const ForeignWorker some({RATCHET_FOREIGN_PROGRAM, {}, "items|plain", 60, false});
  EXPECT_EQ(some.list().rows, (std::vector<std::string>{"plain", "items/100", "items/1000"}));
  const ForeignWorker by_cpu({RATCHET_FOREIGN_PROGRAM, {}, "", 60, true});
  EXPECT_EQ(measure(by_cpu, "plain").basis, "1/cpu_time");
}

TEST_F(ForeignWorkerTest, NobodyChecks) {
  const ForeignWorker program = worker();
  EXPECT_FALSE(program.can_check());
  const CheckOutcome outcome = program.check("plain");
  EXPECT_TRUE(outcome.passed);
  EXPECT_EQ(outcome.line, "");
  EXPECT_HAS(outcome.detail, "nobody can check");
}

TEST_F(ForeignWorkerTest, FailuresCostTheirOwnRow) {
  EXPECT_HAS(measure(worker({"--crash"}), "crash").failure, "the program killed by signal 6");
  EXPECT_HAS(measure(worker({"--hang"}, 1), "hang").failure, "no end within 1 s");
  EXPECT_HAS(measure(worker(), "nowhere").failure, "lists no row of this name");
  EXPECT_EQ(measure(worker({"--hang"}, 1), "stated").failure, "");
}

TEST_F(ForeignWorkerTest, MinimumTimeInEitherForm) {
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
    const ForeignWorker program({script(text), {}, "", 10, false});
    EXPECT_EQ(measure(program, "row").failure, "") << form;
    EXPECT_EQ(read_text(log), want) << form;
  }
  // Neither form: the program's own word.
  EXPECT_HAS(message_of([&] {
               ForeignWorker({script("echo 'no such library' >&2; exit 4\n"), {}, "", 10, false});
             }),
             "cannot list its benchmarks: exit code 4: no such library");
}

TEST_F(ForeignWorkerTest, OutputsThatCannotBe) {
  const auto failure = [&](const std::string& act) {
    const ForeignWorker program({script("for a; do case $a in\n"
                                        "  --benchmark_list_tests=true) echo row; exit ;;\n"
                                        "  --benchmark_out=*) o=${a#*=} ;;\nesac; done\n" +
                                        act),
                                 {},
                                 "",
                                 10,
                                 false});
    return measure(program, "row").failure;
  };
  const std::string row =
      R"({"name": "row", "iterations": 1, "real_time": 2, "cpu_time": 2, "time_unit": "ms"})";
  const auto writes = [](const std::string& rows) {
    return "echo '{\"context\": {}, \"benchmarks\": [" + rows + "]}' > $o\n";
  };
  EXPECT_EQ(failure(writes(row)), "");
  EXPECT_EQ(failure("exit 0\n"), "the program wrote no output");
  EXPECT_EQ(failure(": > $o\nexit 3\n"), "the program exit code 3");
  EXPECT_EQ(failure(writes(row) + "exit 3\n"), "the program gave a row, but exit code 3");
  EXPECT_EQ(failure(writes("")), "the program gave no row of this name");
  EXPECT_EQ(failure(writes(row + ", {\"name\": \"b\"," + row.substr(15))),
            "the program gave more rows than this one");
  EXPECT_EQ(failure(writes("{\"name\": \"b\"," + row.substr(15))),
            "the program gave another row, b");
  EXPECT_HAS(failure("echo '{\"context\": {' > $o\n"), "its output is not valid JSON");
  EXPECT_HAS(message_of([&] {
               ForeignWorker({script("echo row; echo row\n"), {}, "", 10, false});
             }),
             "lists row twice");
  EXPECT_HAS(message_of([&] {
               ForeignWorker({folder_.path() / "none", {}, "", 10, false});
             }),
             "there is no benchmark program");
}

TEST_F(ForeignWorkerTest, TellsOursFromForeign) {
  const fs::path plan = folder_.path() / "plan";
  std::ofstream(plan) << "demo/cpu/01_a ok 1e6 1000\n";
  setenv("RATCHET_FAKE_PLAN", plan.c_str(), 1);
  EXPECT_TRUE(knows_ratchet(RATCHET_DATA_DIR "/gate/worker.sh"));
  std::ofstream(plan) << "demo/cpu/01_a unavailable\n";  // ours, though nothing can run
  EXPECT_TRUE(knows_ratchet(RATCHET_DATA_DIR "/gate/worker.sh"));
  EXPECT_FALSE(knows_ratchet(RATCHET_FOREIGN_PROGRAM));
  // One that takes any flag, and one that hands them on to ours.
  EXPECT_FALSE(knows_ratchet(script("echo row\n")));
  EXPECT_TRUE(knows_ratchet(script("[ $1 = --help ] && echo ' --ratchet''_check_only'; exit 0\n")));
  EXPECT_FALSE(knows_ratchet(script("# ratchet_check_only\nexit 1\n")));

  const auto opened = open_program({RATCHET_FOREIGN_PROGRAM, "", 60, 60}, {"--slow=10"}, "stated");
  EXPECT_FALSE(opened->can_check());
  EXPECT_NEAR(measure(*opened, "stated").launch->real_ms, 11, 1e-6);
  const WorkerOptions ours{RATCHET_DATA_DIR "/gate/worker.sh", "", 60, 60};
  EXPECT_TRUE(open_program(ours)->can_check());
  EXPECT_HAS(message_of([&] { open_program(ours, {"--x"}); }), "takes no arguments");
}

}  // namespace
}  // namespace gate
}  // namespace ratchet
