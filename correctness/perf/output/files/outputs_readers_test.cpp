// The gate's exports through the programs that read them: compare.py of Google Benchmark itself,
// xmllint with a schema for JUnit, JSON Schemas for the trackers' files
// (correctness/perf/gate/data/outputs). Readers that are not installed are skipped by name;
// ci/setup installs them all.
#include <nlohmann/json.hpp>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/perf/output/files/outputs_fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/output/files/formats.h"

namespace ratchet::gate {
namespace {

using nlohmann::json;

const std::string python = "/usr/bin/python3";  // Debian's, which sees Debian's scipy

TEST_F(Outputs, ComparePyReadsTheLaunches) {
  const std::string program = "/usr/share/benchmark/compare.py";
  if (!works({python, "-c", "import scipy"}) || !works({python, program, "--help"}))
    GTEST_SKIP() << "compare.py or scipy is missing (packages libbenchmark-tools, python3-scipy)";
  write_outputs(folder(), an_outcome());
  const ProcessResult result =
      run_process({python, program, "--no-color", "--dump_to_json", file("diff.json"), "benchmarks",
                   file("compare_base.json"), file("compare_new.json")},
                  60);
  ASSERT_TRUE(result.ok()) << result.describe() << result.errors;
  std::map<std::string, json> rows;
  for (const json& each : json::parse(read("diff.json"))) rows[each.at("name")] = each;
  // Times over 0.9 of the speed are 1/0.9 as long. Every row, every launch, and its U test.
  ASSERT_TRUE(rows.count("demo/cpu/01_slow")) << result.output;
  EXPECT_TRUE(rows.count(odd_name));
  EXPECT_FALSE(rows.count("demo/cpu/04_here"));  // has no other side
  const json& slow = rows["demo/cpu/01_slow"];
  ASSERT_EQ(slow.at("measurements").size(), 9u);
  for (const json& launch : slow["measurements"])
    EXPECT_NEAR(launch.at("time").get<double>(), 1 / 0.9 - 1, 1e-5);
  EXPECT_LT(slow.at("utest").at("time_pvalue").get<double>(), 0.001);
  EXPECT_GT(rows[odd_name]["utest"]["time_pvalue"].get<double>(), 0.05);
  EXPECT_HAS(result.output, "demo/cpu/01_slow");
}

class Schemas : public Outputs {
 protected:
  void SetUp() override {
    if (!works({python, "-c", "import jsonschema"}))
      GTEST_SKIP() << "jsonschema is missing (package python3-jsonschema)";
  }
  ProcessResult validate(const std::string& schema, const std::string& name) const {
    return run_process({python, data("validate.py"), data(schema + ".schema.json"), file(name)},
                       60);
  }
};

TEST_F(Schemas, TrackersFilesHaveTheFormTheirReadersNeed) {
  write_outputs(folder(), an_outcome());
  for (const auto& [schema, name] :
       std::vector<std::pair<std::string, std::string>>{{"tracker", "tracker.json"},
                                                        {"throughput", "throughput.json"},
                                                        {"bencher", "bencher.json"},
                                                        {"launches", "compare_base.json"},
                                                        {"launches", "compare_new.json"}}) {
    const ProcessResult result = validate(schema, name);
    EXPECT_TRUE(result.ok()) << name << ": " << result.errors;
  }
}

TEST_F(Schemas, TheSchemasRefuseWhatTheReadersRefuse) {
  write_outputs(folder(), an_outcome());
  const std::string tracker = read("tracker.json");
  const auto refuses = [&](const std::string& schema, const std::string& text) {
    std::ofstream(file("bad.json")) << text;
    EXPECT_FALSE(validate(schema, "bad.json").ok()) << text.substr(0, 300);
  };
  const auto swapped = [&](const std::string& from, const std::string& to) {
    const std::size_t at = tracker.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return std::string(tracker).replace(at, from.size(), to);
  };
  refuses("tracker", swapped("\"caches\"", "\"cages\""));
  refuses("tracker", swapped("\"time_unit\":\"ms\"", "\"time_unit\":\"us\""));
  refuses("tracker", swapped("\"cpu_time\":0", "\"cpu_time\":NaN"));
  refuses("tracker", swapped("\"cpu_time\":0", "\"cpu_time\":0,\"cpu_time\":0"));
  refuses("throughput", "[]");
  refuses("bencher", "{}");
}

TEST_F(Outputs, TrackerHasOneMedianRowPerName) {
  Measurements measured = an_outcome().measured;
  measured.rows["demo/cpu/06_none"].name = "demo/cpu/06_none";  // no launches
  const json tracker = tracker_json(measured);
  ASSERT_EQ(tracker["benchmarks"].size(), 4u);
  std::set<std::string> names;
  for (const json& each : tracker["benchmarks"]) names.insert(each["name"]);
  EXPECT_EQ(names.size(), 4u);
  EXPECT_NEAR(tracker["benchmarks"][0]["real_time"].get<double>(), 1 / 0.9, 1e-6);
  EXPECT_EQ(tracker["benchmarks"][0]["units_per_second"], 900000);
  EXPECT_EQ(tracker["benchmarks"][0]["launches"], 9);
  const json throughput = throughput_json(measured, an_outcome().reports);
  EXPECT_EQ(throughput[0]["value"], 900000);
  // Nine launches 0.1 % apart: the 95 % interval goes from the second to the eighth.
  EXPECT_EQ(throughput[0]["range"], "± 0.30 %");
  EXPECT_HAS(throughput[0]["extra"].get<std::string>(), "slower: throughput -10.00 %");
  const json bencher = bencher_json(measured)["demo/cpu/01_slow"]["throughput"];
  EXPECT_EQ(bencher["lower_value"], 897300);
  EXPECT_EQ(bencher["upper_value"], 902700);
  measured.rows["demo/cpu/01_slow"].launches.resize(1);  // which has no interval
  EXPECT_FALSE(throughput_json(measured, an_outcome().reports)[0].contains("range"));
  EXPECT_FALSE(bencher_json(measured)["demo/cpu/01_slow"]["throughput"].contains("lower_value"));
}

TEST_F(Outputs, FiguresThatNobodyCanPlotAreLeftOut) {
  Measurements measured;
  measured.rows["a/cpu/nan"] = row("a/cpu/nan", 1);
  measured.rows["a/cpu/nan"].launches[3].real_ms = std::nan("");
  measured.rows["a/cpu/zero"] = row("a/cpu/zero", 1);
  measured.rows["a/cpu/zero"].launches[3].counters["units_per_second"] = 0;
  const std::string long_name = "a/cpu/" + std::string(2000, 'x');
  measured.rows[long_name] = row(long_name, 1);
  EXPECT_EQ(tracker_json(measured)["benchmarks"].size(), 1u);  // its time is good
  EXPECT_TRUE(throughput_json(measured, {}).empty());
  EXPECT_TRUE(bencher_json(measured).empty());
}

TEST_F(Outputs, JUnitIsValidAndGreenExactlyWhenTheGateIs) {
  Outcome outcome = an_outcome();
  for (RowReport& report : outcome.reports)
    if (report.verdict == Verdict::slower) report.now.call_s = 1e-3 / 0.9;
  const std::string xml = junit_xml(outcome.reports, {});
  EXPECT_HAS(xml, R"(<testsuites name="ratchet" tests="7" failures="1" disabled="0" errors="2" )"
                  R"(skipped="3" )");
  EXPECT_HAS(xml, R"(<testsuite name="demo" tests="5" failures="1" disabled="0" errors="1" )");
  EXPECT_HAS(xml, R"(<failure message="slower: throughput -10.00 % (-11.00 ... -9.00 %), )"
                  R"(1.00 -&gt; 0.900 M items/s, tolerance 3 %)");
  EXPECT_HAS(xml, R"(<skipped message="unavailable: no such device"/>)");
  EXPECT_HAS(xml, "03_&lt;odd&gt;&amp;&quot;quoted&quot;&apos;|%,:é");
  EXPECT_HAS(xml, R"(<property name="ratio" value="0.9"/>)");
  EXPECT_HAS(xml, R"(<property name="detectable" value="0.034"/>)");
  EXPECT_HAS(xml, R"(time="0.00111111111")");
  using enum Verdict;
  for (const Verdict verdict : {slower, failed, unverified, missing, changed, added, undecided,
                                faster, same, uncompared, unavailable}) {
    for (const bool strict : {false, true}) {
      const std::vector<RowReport> one = {report("a/cpu/b", verdict, "why")};
      const ExitCode code = exit_code(one, {.strict = strict});
      const std::string text = junit_xml(one, {.strict = strict});
      const bool green =
          text.find("<failure") == std::string::npos && text.find("<error") == std::string::npos;
      EXPECT_EQ(green, code == ExitCode::pass || code == ExitCode::nothing_ran)
          << to_string(verdict) << strict;
    }
  }
}

TEST_F(Outputs, JUnitFollowsItsSchema) {
  if (!works({"xmllint", "--version"}))
    GTEST_SKIP() << "xmllint is missing (package libxml2-utils)";
  const Outcome outcome = an_outcome();
  const auto lint = [&](const std::string& text) {
    std::ofstream(file("junit.xml")) << text;
    return run_process({"xmllint", "--noout", "--schema", data("junit.xsd"), file("junit.xml")},
                       60);
  };
  const std::string xml = junit_xml(outcome.reports, {.strict = true});
  const ProcessResult result = lint(xml);
  EXPECT_TRUE(result.ok()) << result.errors;
  EXPECT_TRUE(lint(junit_xml({}, {})).ok());
  // What breaks the schema is refused.
  EXPECT_FALSE(lint(std::string(xml).replace(xml.find("failures="), 9, "failuren=")).ok());
  EXPECT_FALSE(
      lint(std::string(xml).replace(xml.find("status=\"run\""), 12, "status=\"ran\"")).ok());
  // What XML cannot hold at all.
  EXPECT_EQ(xml_escape("a\x01\n<"), "a\xef\xbf\xbd &lt;");
  std::string every;
  for (int c = 1; c < 256; ++c) every += static_cast<char>(c);
  const ProcessResult odd = lint(junit_xml({report("a/" + every, Verdict::failed, every)}, {}));
  EXPECT_TRUE(odd.ok()) << odd.errors;
}

/// The whole program: `ratchet gate` leaves the files, and compare.py's view agrees with its
/// verdict.
using Program = ::ratchet::GateFixture;
TEST_F(Program, GateLeavesAllFiles) {
  store({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 1e6 1000"});
  const std::filesystem::path left = folder() / "results";
  EXPECT_FALSE(std::filesystem::exists(left / "compare_new.json"));  // there was no baseline yet
  plan({"demo/cpu/01_a ok 0.5e6 1000", "demo/cpu/02_b ok 1e6 1000"});
  setenv("GITHUB_ACTIONS", "true", 1);
  setenv("GITHUB_STEP_SUMMARY", (folder() / "step.md").c_str(), 1);
  const ProcessResult result = gate();
  unsetenv("GITHUB_ACTIONS");
  unsetenv("GITHUB_STEP_SUMMARY");
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_HAS(result.output,
             "\n::error title=ratchet%3A slower::demo/cpu/01_a: slower: throughput -");
  EXPECT_HAS(read(folder() / "step.md"), "REGRESSION (exit 1): 1 slower, 1 same");
  EXPECT_HAS(read(left / "junit.xml"), "tests=\"2\" failures=\"1\"");
  const json base = json::parse(read(left / "compare_base.json"));
  const json now = json::parse(read(left / "compare_new.json"));
  EXPECT_EQ(base["benchmarks"].size(), 18u);
  EXPECT_EQ(now["benchmarks"].size(), 18u);
  for (const char* name : {"tracker.json", "throughput.json", "bencher.json"})
    EXPECT_HAS(read(left / name), "demo/cpu/02_b");
  EXPECT_EQ(read(left / "tracker.json").find("secret"), std::string::npos);  // the host's name
}

}  // namespace
}  // namespace ratchet::gate
