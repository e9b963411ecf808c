// Files of benchmark tools of other languages, in the forms that their sources give: what is a
// launch, what is a sample, and what each malformed file is told. Real files are made by
// correctness/perf/cli/other_tools_test.py.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/other_formats.h"
#include "perf/gate/baseline/third_party_json.h"
#include "perf/support/files.h"

namespace ratchet {
namespace {

using nlohmann::json;

class SampledJson : public testing::Test {
 protected:
  /// A text as it is, another value as JSON.
  ThirdPartyMeasurements read(const json& file) {
    std::ofstream(folder_.path() / "x.json")
        << (file.is_string() ? file.get<std::string>() : file.dump());
    return read_third_party(folder_.path() / "x.json");
  }
  /// "0: 1 2; 1: 3": the processes of a row, and the microseconds of their samples.
  std::string samples(const ThirdPartyMeasurements& file, const std::string& name) {
    const auto row = file.measured.rows.find(name);
    if (row == file.measured.rows.end()) return "no row " + name;
    std::map<std::string, std::string> processes;
    for (const Launch& launch : row->second.launches) {
      std::ostringstream text;
      text << " " << launch.real_ms * 1e3;
      processes[launch.process] += text.str();
    }
    std::string all;
    for (const auto& [process, times] : processes)
      all += (all.empty() ? "" : "; ") + process + ":" + times;
    return all;
  }
  std::string failure(const json& root, const std::string& name) {
    const auto file = read(root);
    const auto found = file.failures.find(name);
    return found == file.failures.end() ? "no failure" : found->second;
  }
  std::string refusal(const json& file) {
    return error_of([&] { read(file); });
  }
  ScratchFolder folder_;
};

json jmh(const std::string& mode, const std::string& unit, const json& raw,
         const json& params = nullptr) {
  json run = {{"benchmark", "org.x.Sums.fold"},
              {"mode", mode},
              {"threads", 1},
              {"forks", 2},
              {"primaryMetric", {{"score", 1}, {"scoreUnit", unit}, {"rawData", raw}}},
              {"secondaryMetrics", json::object()}};
  if (!params.is_null()) run["params"] = params;
  return run;
}

TEST_F(SampledJson, JmhForksAreLaunchesAndIterationsSamples) {
  json threads = jmh("thrpt", "ops/ms", {{500, 250}, {200}});
  threads["threads"] = 4;
  threads["secondaryMetrics"] = {{"gc.alloc.rate.norm", {{"score", 24}}}};
  json sampled = jmh("sample", "us/op", nullptr);
  sampled["primaryMetric"].erase("rawData");
  sampled["primaryMetric"]["rawDataHistogram"] = {{{{1, 3}, {5, 1}}, {{7, 2}}}};
  const auto file = read(json::array(
      {jmh("avgt", "us/op", {{1, 2}, {3}}, {{"size", "10"}, {"kind", "a"}}),
       jmh("avgt", "us/op", {{4}}, {{"size", "20"}, {"kind", "a"}}), threads, sampled}));
  EXPECT_EQ(samples(file, "org.x.Sums.fold/kind:a/size:10/mode:avgt"), "0: 1 2; 1: 3");
  EXPECT_EQ(samples(file, "org.x.Sums.fold/kind:a/size:20/mode:avgt"), "0: 4");
  EXPECT_EQ(samples(file, "org.x.Sums.fold/mode:thrpt/threads:4"), "0: 2 4; 1: 5");
  EXPECT_EQ(samples(file, "org.x.Sums.fold/mode:sample"), "0: 2 7");
  EXPECT_EQ(file.measured.context["not_judged"], json::array({"gc.alloc.rate.norm"}));
  EXPECT_EQ(to_string(file.measured.rows.begin()->second.clock), "wall");

  const std::string name = "org.x.Sums.fold/mode:avgt";
  EXPECT_HAS(failure(json::array({jmh("avgt", "us/op", {{1, "NaN"}})}), name),
             "not a positive number");
  EXPECT_HAS(failure(json::array({jmh("avgt", "us/op", json::array())}), name),
             "JMH reports no samples");
  EXPECT_HAS(failure(json::array({jmh("avgt", "us/op", {{1}, json::array()})}), name),
             "no samples");
  EXPECT_HAS(failure(json::array({jmh("avgt", "us/op", 7)}), name), "no samples");
  EXPECT_HAS(failure(json::array({jmh("thrpt", "MB/sec", {{1}})}), "org.x.Sums.fold/mode:thrpt"),
             "figures in \"MB/sec\", which is not a time");
  EXPECT_HAS(refusal(json::array({jmh("avgt", "us/op", {{1}}), jmh("avgt", "us/op", {{2}})})),
             "x.json: JMH has two benchmarks named " + name);
  EXPECT_HAS(refusal(json::array({{{"primaryMetric", 1}, {"benchmark", ""}}})), "x.json");
}

json dotnet(const std::string& name, const std::string& job, const json& results) {
  json measurements = {{{"IterationMode", "Workload"},
                        {"IterationStage", "Warmup"},
                        {"LaunchIndex", 1},
                        {"Operations", 1},
                        {"Nanoseconds", 99}},
                       {{"IterationMode", "Overhead"},
                        {"IterationStage", "Result"},
                        {"LaunchIndex", 1},
                        {"Operations", 1},
                        {"Nanoseconds", 99}}};
  for (const json& result : results)
    measurements.push_back({{"IterationMode", "Workload"},
                            {"IterationStage", "Result"},
                            {"LaunchIndex", result[0]},
                            {"Operations", 4},
                            {"Nanoseconds", result[1]}});
  return {{"DisplayInfo", "Sums.Fold: " + job + " [N=10]"},
          {"FullName", name},
          {"Statistics", nullptr},
          {"Measurements", measurements}};
}

json dotnet_file(const json& benchmarks) {
  return {{"Title", "Sums"},
          {"HostEnvironmentInfo", {{"ProcessorName", "Some CPU"}, {"LogicalCoreCount", 8}}},
          {"Benchmarks", benchmarks}};
}

TEST_F(SampledJson, BenchmarkDotNetLaunchesAreLaunches) {
  json fold = dotnet("X.Sums.Fold(N: 10)", "DefaultJob", {{1, 4000}, {1, 8000}, {2, 12000}});
  fold["Metrics"] = {{{"Value", 3}, {"Descriptor", {{"DisplayName", "Allocated"}}}}};
  const auto file =
      read(dotnet_file(json::array({fold, dotnet("X.Sums.Fold(N: 20)", "Job", {{1, 4000}})})));
  EXPECT_EQ(samples(file, "X.Sums.Fold(N: 10)"), "0: 1 2; 1: 3");
  EXPECT_EQ(samples(file, "X.Sums.Fold(N: 20)"), "0: 1");
  EXPECT_EQ(file.measured.context["num_cpus"], 8);
  EXPECT_EQ(file.measured.context["not_judged"], json::array({"Allocated"}));
  // Two jobs have one name.
  const auto jobs =
      read(dotnet_file(json::array({dotnet("X.A", ".NET 8.0(Runtime=.NET 8.0)", {{1, 4000}}),
                                    dotnet("X.A", ".NET 9.0(Runtime=.NET 9.0)", {{1, 8000}})})));
  EXPECT_EQ(samples(jobs, "X.A (.NET 9.0(Runtime=.NET 9.0))"), "0: 2");
  EXPECT_HAS(refusal(dotnet_file(
                 json::array({dotnet("X.A", "J", {{1, 1}}), dotnet("X.A", "J", {{1, 1}})}))),
             "BenchmarkDotNet has two benchmarks named X.A (J)");
  EXPECT_HAS(failure(dotnet_file(json::array({dotnet("X.A", "J", json::array())})), "X.A"),
             "no samples");
  EXPECT_HAS(failure(dotnet_file(json::array({dotnet("X.A", "J", {{1, 0}})})), "X.A"),
             "not a positive number");
  json brief = dotnet("X.A", "J", json::array());
  brief.erase("Measurements");
  EXPECT_HAS(failure(dotnet_file(json::array({brief})), "X.A"), "--exporters fulljson");
  EXPECT_HAS(refusal(dotnet_file(json::array())), "BenchmarkDotNet ran no benchmark");
  EXPECT_HAS(refusal(dotnet_file(json::array({{{"FullName", nullptr}}}))), "has no name");
}

json pytest(const json& stats, const std::string& timer = "perf_counter") {
  return {{"machine_info", {{"node", "here"}, {"cpu", {{"count", 2}, {"brand_raw", "Some CPU"}}}}},
          {"benchmarks",
           {{{"fullname", "t.py::test[1]"}, {"options", {{"timer", timer}}}, {"stats", stats}}}}};
}

TEST_F(SampledJson, PytestFilesAreLaunches) {
  const auto file = read(pytest({{"median", 9}, {"data", {1e-6, 5e-6, 3e-6}}}));
  EXPECT_EQ(samples(file, "t.py::test[1]"), "0: 3");
  EXPECT_EQ(file.measured.context["cpu.model"], "Some CPU");
  EXPECT_EQ(file.measured.context["host_name"], "here");
  EXPECT_EQ(samples(read(pytest({{"median", 2e-6}})), "t.py::test[1]"), "0: 2");
  const auto by_cpu = read(pytest({{"median", 2e-6}}, "process_time"));
  EXPECT_EQ(to_string(by_cpu.measured.rows.at("t.py::test[1]").clock), "cpu");
  EXPECT_HAS(failure(pytest(json::object()), "t.py::test[1]"),
             "pytest-benchmark reports no samples");
  EXPECT_HAS(failure(pytest({{"median", -1}}), "t.py::test[1]"), "not a positive number");
  json none = pytest(json::object());
  none["benchmarks"] = json::array();
  EXPECT_HAS(refusal(none), "x.json: pytest-benchmark ran no benchmark");
}

json hyperfine(const json& times, const json& codes, const json& parameters = json::object()) {
  return {{"command", "sleep 1"},
          {"mean", 1},
          {"times", times},
          {"exit_codes", codes},
          {"parameters", parameters}};
}

TEST_F(SampledJson, EachTimeOfHyperfineIsALaunch) {
  const auto file = read({{"results", {hyperfine({1e-6, 2e-6}, {0, 0})}}});
  EXPECT_EQ(samples(file, "sleep 1"), "0: 1; 1: 2");
  const auto several = read({{"results",
                              {hyperfine({1e-6}, {0}, {{"n", "1"}, {"m", "3"}}),
                               hyperfine({2e-6}, {0}, {{"n", "2"}, {"m", "3"}})}}});
  EXPECT_EQ(samples(several, "sleep 1/m:3/n:2"), "0: 2");
  const auto fails = [&](const json& result) {
    return failure({{"results", {result}}}, "sleep 1");
  };
  EXPECT_HAS(fails(hyperfine({1, 1}, {0, 3})), "that process 2 of 2 ended with exit code 3");
  EXPECT_HAS(fails(hyperfine({1}, {nullptr})), "that process 1 of 1 was ended by a signal");
  EXPECT_HAS(fails(hyperfine(json::array(), json::array())), "hyperfine reports no samples");
  EXPECT_HAS(fails(hyperfine({1, nullptr}, {0, 0})), "not a positive number");
  EXPECT_HAS(refusal({{"results", {hyperfine({1}, {0}), hyperfine({1}, {0})}}}),
             "hyperfine has two benchmarks named sleep 1");
  EXPECT_HAS(refusal(R"({"results": [{"command": "sleep 1", "times": [0.1,)"),
             "x.json is not valid JSON");
}

TEST_F(SampledJson, VitestStatesMedians) {
  const auto file = [](const json& benchmarks) {
    return json{
        {"files",
         {{{"filepath", "/a/sums.bench.ts"},
           {"groups", {{{"fullName", "sums.bench.ts > sums"}, {"benchmarks", benchmarks}}}}}}}};
  };
  const json fold = {
      {"name", "fold"}, {"median", 0.002}, {"mean", 0.003}, {"samples", json::array()}};
  EXPECT_EQ(samples(read(file(json::array({fold}))), "sums.bench.ts > sums > fold"), "0: 2");
  EXPECT_HAS(
      failure(file(json::array({{{"name", "fold"}, {"mean", 1}}})), "sums.bench.ts > sums > fold"),
      "vitest reports no samples");
  EXPECT_HAS(refusal(file(json::array({fold, fold}))),
             "vitest has two benchmarks named sums.bench.ts");
  EXPECT_HAS(refusal(file(json::array())), "vitest ran no benchmark");
}

TEST_F(SampledJson, RunsOfPyperfAreLaunches) {
  const json one = {{"metadata", {{"name", "sort"}, {"unit", "second"}, {"hostname", "here"}}},
                    {"runs",
                     {{{"warmups", {{1, 9e-6}}}},
                      {{"values", {1e-6, 2e-6}}, {"warmups", {{1, 9e-6}}}},
                      {{"values", {3e-6}}}}}};
  const auto file = [](const json& benchmarks, const json& metadata = json::object()) {
    return json{{"version", "1.0"}, {"metadata", metadata}, {"benchmarks", benchmarks}};
  };
  const auto read_one = read(file(json::array({one})));
  EXPECT_EQ(samples(read_one, "sort"), "0: 1 2; 1: 3");  // the run that calibrates has no values
  EXPECT_EQ(read_one.measured.context["host_name"], "here");
  json bare = one;
  bare.erase("metadata");
  EXPECT_EQ(
      samples(read(file(json::array({bare}), {{"name", "of all"}, {"cpu_count", 2}})), "of all"),
      "0: 1 2; 1: 3");
  EXPECT_HAS(refusal(file(json::array({bare}))), "x.json: a benchmark of pyperf has no name");
  EXPECT_HAS(refusal(file(json::array({one, one}))), "pyperf has two benchmarks named sort");
  json bytes = one;
  bytes["metadata"]["unit"] = "byte";
  EXPECT_HAS(failure(file(json::array({bytes})), "sort"),
             "figures in \"byte\", which is not a time");
  json calibrated = one;
  calibrated["runs"] = json::array({one["runs"][0]});
  EXPECT_HAS(failure(file(json::array({calibrated})), "sort"), "pyperf reports no samples");
  calibrated["runs"] = {{{"values", {1e-6, "soon"}}}};
  EXPECT_HAS(failure(file(json::array({calibrated})), "sort"), "not a positive number");
}

TEST_F(SampledJson, EpochsOfNanobenchAreSamples) {
  const auto result = [](const char* title, double batch, const json& measurements) {
    return json{{"title", title},
                {"name", "sort"},
                {"epochs", 2},
                {"batch", batch},
                {"measurements", measurements}};
  };
  const json epochs = {{{"iterations", 3}, {"elapsed", 1e-6}}, {{"elapsed", 3e-6}}};
  const auto file = [](const json& results) { return json{{"results", results}}; };
  EXPECT_EQ(samples(read(file(json::array({result("a", 1, epochs)}))), "sort"), "0: 1 3");
  EXPECT_EQ(samples(read(file(json::array({result("a", 2, epochs)}))), "sort"), "0: 0.5 1.5");
  EXPECT_EQ(samples(read(file({result("a", 1, epochs), result("b", 1, epochs)})), "sort (b)"),
            "0: 1 3");
  EXPECT_HAS(refusal(file({result("a", 1, epochs), result("a", 1, epochs)})),
             "nanobench has two benchmarks named sort (a)");
  EXPECT_HAS(failure(file(json::array({result("a", 1, json::array())})), "sort"),
             "nanobench reports no samples");
  EXPECT_HAS(failure(file(json::array({result("a", 0, epochs)})), "sort"), "not a positive number");
  EXPECT_HAS(failure(file(json::array({result("a", 1, {{{"iterations", 3}}})})), "sort"),
             "not a positive number");
}

constexpr char go[] =
    "goos: linux\npkg: example.org/sums\ncpu: Some CPU @ 2 GHz\n"
    "BenchmarkSort/n=10-2   2000   1000 ns/op   311.29 MB/s   15.00 swaps/op   0 B/op\n"
    "BenchmarkSort/n=10-2   2000   3000 ns/op   311.29 MB/s   15.00 swaps/op   0 B/op\n"
    "BenchmarkLog\nBenchmarking is fun 3 times\n"
    "BenchmarkLog-2         2000      0.5 ns/op\n--- BENCH: BenchmarkLog-2\n    a_test.go:1: "
    "hello\n"
    "PASS\nok      example.org/sums        0.135s\n";

TEST_F(SampledJson, GoLinesOfOneNameAreSamples) {
  const auto file = read(go);
  ASSERT_EQ(file.measured.rows.size(), 2u);
  EXPECT_EQ(samples(file, "example.org/sums.BenchmarkSort/n=10-2"), "0: 1 3");
  EXPECT_EQ(samples(file, "example.org/sums.BenchmarkLog-2"), "0: 0.0005");
  EXPECT_EQ(file.measured.context["cpu.model"], "Some CPU @ 2 GHz");
  EXPECT_EQ(file.measured.context["not_judged"], (json::array({"B/op", "swaps/op"})));
  // Two runs after each other.
  EXPECT_EQ(samples(read(std::string(go) + go), "example.org/sums.BenchmarkSort/n=10-2"),
            "0: 1 3; 1: 1 3");
  std::string events;
  for (const char* output : {"pkg: p\n", "BenchmarkA-2  \t", "10\t 2000 ns/op\n", "PASS\n"})
    events += json{{"Action", "output"}, {"Package", "p"}, {"Output", output}}.dump() + "\n";
  EXPECT_EQ(samples(read(events), "p.BenchmarkA-2"), "0: 2");
  EXPECT_HAS(refusal(events + "{\"Action\": \"out"), "x.json, line 5 is not valid JSON");
}

TEST_F(SampledJson, GoFilesThatAreCutOrFailed) {
  const std::string text = go;
  EXPECT_HAS(refusal(text.substr(
                 0, text.find(" ns/op   311.29 MB/s   15.00 swaps/op   0 B/op\nBenchmarkLog"))),
             "x.json, line 5 is cut");
  EXPECT_HAS(refusal("goos: linux\nPASS\n"), "x.json: go test ran no benchmark");
  EXPECT_HAS(refusal("goos: linux\nBenchmarkA-2  10  fast ns/op\n"),
             "line 2: fast is not a number");
  EXPECT_HAS(refusal("goos: linux\nBenchmarkA-2  hello\n 10  5 ns/op\n"),
             "line 3 is a result without a name");
  const auto failed = [&](const std::string& output, const std::string& name) {
    const auto file = read(output);
    return file.failures.count(name) ? file.failures.at(name) : "no failure";
  };
  EXPECT_HAS(
      failed("--- FAIL: BenchmarkB\n    a_test.go:3: broke\n" + text + "FAIL\tother/p\t0.1s\n",
             "other/p.BenchmarkB"),
      "go test reports a failure");
  EXPECT_HAS(failed(text + "FAIL\tother/p [build failed]\nFAIL\n", "other/p"), "a failure");
  EXPECT_HAS(failed("testing: invalid regexp\nexit status 1\nFAIL\tp\t0.05s\nFAIL\n", "p"),
             "go test reports a failure");
  EXPECT_HAS(failed("BenchmarkA  10  0 ns/op\n", "BenchmarkA"), "not a positive number");
  EXPECT_HAS(failed("BenchmarkA  10  7 B/op\n", "BenchmarkA"), "not a positive number");
}

/// A command that prints such a file has a figure for each row: the median over its samples.
TEST_F(SampledJson, FilesOfFiguresAreForTheGate) {
  const std::string figure = R"({"name": "sort", "value": 2, "unit": "ms"})";
  for (const std::string& file : {figure + "\n" + figure, "[" + figure + "]", "[\n" + figure + "]"})
    EXPECT_HAS(
        refusal(file),
        "x.json holds figures of a command and not how often it ran; `ratchet gate --exec 'cat ");
  EXPECT_HAS(refusal("[[]]"), "is not JSON of Google Benchmark");
}

TEST_F(SampledJson, FiguresOfACommand) {
  const auto shown = [](const std::string& output) {
    std::set<std::string> others;
    std::string text;
    for (const Figure& figure : read_figures(output, {}, &others))
      text += figure.name + " " + std::to_string(figure.value) + " " + figure.kind.text() + "\n";
    for (const std::string& other : others) text += "not judged: " + other + "\n";
    return text;
  };
  EXPECT_EQ(shown(go),
            "example.org/sums.BenchmarkLog-2 0.500000 ns (smaller is better)\n"
            "example.org/sums.BenchmarkSort/n=10-2 2000.000000 ns (smaller is better)\n"
            "not judged: B/op\nnot judged: swaps/op\n");
  const json file = {{"results", {hyperfine({1, 3, 2}, {0, 0, 0})}}};
  EXPECT_EQ(shown("Benchmark 1: sleep 1\n  Time: 2 s\n" + file.dump(2) + "\n"),
            "sleep 1 2.000000 s (smaller is better)\n");
  EXPECT_EQ(shown("# Run complete\n" + json::array({jmh("avgt", "us/op", {{1}})}).dump(4) + "\n"),
            "org.x.Sums.fold/mode:avgt 1000.000000 ns (smaller is better)\n");
  const json failing = {{"results", {hyperfine({1}, {1})}}};
  EXPECT_HAS(error_of([&] { read_figures(failing.dump(), {}); }), "ended with exit code 1");
}

}  // namespace
}  // namespace ratchet
