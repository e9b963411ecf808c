// The past of other tools becomes runs of the history. The files have the forms that these tools
// write: data.js of github-action-benchmark (its benchmark pages), `bencher perf` (JsonPerf), and
// asv, whose own program writes results in json_test.py.
#include <nlohmann/json.hpp>

#include "correctness/perf/output/history/fixture.h"
#include "perf/output/history/keep.h"
#include "perf/output/history/series.h"
#include "perf/support/files.h"

namespace ratchet::history {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class OtherTools : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& text) const {
    const fs::path file = folder_.path() / name;
    write_atomically(file, text);
    return file;
  }
  Imported read(const std::string& name, const std::string& text) const {
    auto found = runs_of_other_tool(write(name, text));
    EXPECT_TRUE(found);
    return found ? *found : Imported();
  }
  HistoryStore store() const {
    return open_store((folder_.path() / "history.sqlite").string(), Access::write);
  }

  ScratchFolder folder_;
};

json entry(const std::string& commit, std::uint64_t date, const json& benches,
           const std::string& tool = "googlecpp") {
  return {{"commit",
           {{"id", commit},
            {"message", "subject of " + commit + "\n\nmore"},
            {"timestamp", "2026-01-01T12:00:00+02:00"},
            {"author", {{"name", "An Author"}}},
            {"url", "https://example.org/" + commit}}},
          {"date", date},
          {"tool", tool},
          {"benches", benches}};
}

json bench(const std::string& name, const json& value, const std::string& unit) {
  return {{"name", name}, {"value", value}, {"unit", unit}, {"extra", "iterations: 7"}};
}

std::string data_js(const json& entries) {
  return "window.BENCHMARK_DATA = " +
         json{{"lastUpdate", 1}, {"repoUrl", "https://example.org"}, {"entries", entries}}.dump(2);
}

TEST_F(OtherTools, DataJsOfGithubActionBenchmark) {
  const json zero = bench("zero", 0, "ns/iter"), fib = bench("fib/10", 200.0, "ns/iter");
  const std::string text = data_js(
      {{"C++", json::array({entry("aaaa", 1767225600123, json::array({fib})),
                            entry("bbbb", 1767312000000,
                                  json::array({fib, bench("fib/10", 1, "ns/iter"), zero}))})},
       {"Rates", json::array({entry("aaaa", 1767225600123,
                                    json::array({bench("ops", 50, "ops/sec")}), "benchmarkjs")})}});
  const Imported found = read("data.js", text);
  ASSERT_EQ(found.runs.size(), 3u);
  ASSERT_EQ(found.notes.size(), 2u);
  EXPECT_HAS(found.notes[0], "left out 1 figure: each has a name that its run repeats");
  EXPECT_HAS(found.notes[1], "left out 1 figure: each is not a positive number");
  const RunRecord& run = found.runs[0];
  EXPECT_EQ(run.time, "2026-01-01T00:00:00.123Z");
  EXPECT_EQ(run.revision, "aaaa");
  EXPECT_EQ(run.mode, "imported");
  EXPECT_EQ(run.commit.at("date"), "2026-01-01T10:00:00.000Z");
  EXPECT_EQ(run.commit.at("subject"), "subject of aaaa");
  ASSERT_EQ(run.rows.size(), 1u);
  EXPECT_EQ(run.rows[0].name, "C++/fib/10");
  EXPECT_EQ(run.rows[0].unit, "ns/iter (smaller is better)");
  EXPECT_DOUBLE_EQ(*run.rows[0].throughput, 1 / 200.0);
  EXPECT_DOUBLE_EQ(run.rows[0].launches.at(0).real_ms, 200e-6);
  EXPECT_FALSE(run.rows[0].verdict);
  const RowRecord& rate = found.runs[2].rows.at(0);
  EXPECT_EQ(rate.unit, "ops/sec (larger is better)");
  EXPECT_DOUBLE_EQ(*rate.throughput, 50);
  // Equal figures of two commits are two points, and importing twice changes nothing.
  HistoryStore history = store();
  std::size_t added = 0;
  for (int i = 0; i < 2; ++i)
    for (const RunRecord& each : read("data.js", text).runs) added += history.import(each);
  EXPECT_EQ(added, 3u);
  const std::vector<Point> series = history.series("C++/fib/10");
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].machine, "github-action-benchmark");
  EXPECT_EQ(series[1].reason, "imported from github-action-benchmark");
}

/// NaN and Infinity are asv's.
const char* const asv_results =
    R"({"commit_hash": "cccc", "env_name": "py3.11", "date": 1767225600000,
  "params": {"machine": "box", "cpu": "Some Chip", "num_cpu": "8", "os": "Linux 6", "python": "3.11"},
  "python": "3.11", "requirements": {}, "env_vars": {},
  "result_columns": ["result", "params", "version", "stats_ci_99_a"],
  "results": {
    "b.Suite.time_x": [[0.5, NaN, 2e-3, null], [["1", "2"], ["'NaN'", "'b'"]], "v", [-Infinity, Infinity]],
    "b.peakmem_y": [[1048576], [], "v"], "b.track_z": [[3], [], "v"], "b.time_gone": [null, [], "v"]},
  "durations": {}, "version": 2})";

TEST_F(OtherTools, ResultsOfAsv) {
  write("results/benchmarks.json",
        R"({"b.track_z": {"unit": "errors", "type": "track"}, "version": 2})");
  const Imported found = read("results/box/cccc-py3.11.json", asv_results);
  ASSERT_EQ(found.runs.size(), 1u);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_HAS(found.notes[0], "left out 3 figures: each is not a positive number");
  const RunRecord& run = found.runs[0];
  EXPECT_EQ(run.time, "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(run.machine, "some-chip-8c");
  std::map<std::string, const RowRecord*> rows;
  for (const RowRecord& row : run.rows) rows[row.name.text()] = &row;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_DOUBLE_EQ(*rows.at("asv/b.Suite.time_x(1, 'NaN')")->throughput, 2);
  EXPECT_DOUBLE_EQ(*rows.at("asv/b.Suite.time_x(2, 'NaN')")->throughput, 500);
  EXPECT_EQ(rows.at("asv/b.Suite.time_x(1, 'NaN')")->unit, "s (smaller is better)");
  EXPECT_EQ(rows.at("asv/b.peakmem_y")->unit, "B (smaller is better)");
  EXPECT_EQ(rows.at("asv/b.track_z")->unit, "errors (smaller is better)");
  // Another environment is another series.
  std::string other = asv_results;
  other.replace(other.find("py3.11"), 6, "py3.12");
  const Imported second = read("results/box/cccc-py3.12.json", other);
  EXPECT_NE(second.runs.at(0).rows.at(0).fingerprint_hash, run.rows.at(0).fingerprint_hash);
  const Imported machine = read("results/box/machine.json", R"({"machine": "box", "version": 1})");
  EXPECT_TRUE(machine.runs.empty());
  EXPECT_HAS(machine.notes.at(0), "describes a machine");
}

json metric(const std::string& report, double value, const json& hash = "dddd") {
  return {{"report", report},
          {"iteration", 0},
          {"start_time", "2026-01-01T00:00:00Z"},
          {"end_time", "2026-01-01T00:01:00Z"},
          {"version", {{"number", 7}, {"hash", hash}}},
          {"metric", {{"value", value}, {"lower_value", nullptr}, {"upper_value", nullptr}}}};
}

json perf(const std::string& slug, const std::string& units, const json& metrics) {
  return {{"branch", {{"name", "main"}}},
          {"testbed", {{"name", "ci box"}}},
          {"benchmark", {{"name", "Parse::large"}}},
          {"measure", {{"slug", slug}, {"units", units}}},
          {"metrics", metrics}};
}

TEST_F(OtherTools, PerfOfBencher) {
  const json latency = perf(
                 "latency", "nanoseconds (ns)",
                 json::array({metric("r1", 100), metric("r1", 102), metric("r2", 90, nullptr)})),
             screams = perf("screams", "screams", json::array({metric("r1", 4)})),
             root = {{"project", {{"slug", "theirs"}}},
                     {"results", json::array({latency, screams})}};
  const Imported found = read("perf.json", root.dump());
  ASSERT_EQ(found.runs.size(), 2u);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_HAS(found.notes[0], "\"screams\" does not say which direction is better: smaller");
  const RunRecord& run = found.runs[0];
  EXPECT_EQ(run.revision, "dddd");
  EXPECT_EQ(run.machine, "ci-box");
  EXPECT_EQ(run.commit.at("branch"), "main");
  ASSERT_EQ(run.rows.size(), 2u);
  EXPECT_EQ(run.rows[0].name, "theirs/Parse::large/latency");
  EXPECT_EQ(run.rows[0].launches.size(), 2u);  // iterations of a report
  EXPECT_EQ(run.rows[0].unit, "ns (smaller is better)");
  EXPECT_EQ(found.runs[1].revision, "main 7");
}

TEST_F(OtherTools, OthersAreLeftToTheirReadersAndMalformedOnesAreNamed) {
  EXPECT_FALSE(runs_of_other_tool(write("a.json", R"({"context": {}, "benchmarks": []})")));
  EXPECT_FALSE(runs_of_other_tool(write("b.json", "[]")));
  const auto refused = [&](const std::string& name, const std::string& text) {
    return message([&] { runs_of_other_tool(write(name, text)); });
  };
  EXPECT_HAS(refused("data.js", "window.BENCHMARK_DATA = {\"entries\""), "data.js");
  EXPECT_HAS(refused("data.js", data_js({{"C++", json::array({{{"commit", {{"id", "a"}}}}})}})),
             "date");
  std::string torn = asv_results;
  torn.replace(torn.find("[0.5, NaN"), 9, "[NaN");
  EXPECT_HAS(refused("c.json", torn), "has 3 results for 4 combinations");
  torn = asv_results;
  torn.replace(torn.find("\"params\", \"version\""), 19, "\"version\"");
  EXPECT_HAS(refused("c.json", torn), "has no column \"params\"");
  json root = {{"project", {{"slug", "x"}}},
               {"results", json::array({perf("latency", "ns", json::array({metric("r", 1)}))})}};
  root["results"][0]["metrics"][0]["start_time"] = "yesterday";
  EXPECT_HAS(refused("d.json", root.dump()), "is not a date");
}

}  // namespace
}  // namespace ratchet::history
