// Google Benchmark's JSON as it really is, of any version and any program.
#include "perf/gate/baseline/third_party_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/baseline/units.h"
#include "perf/support/error.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// What real programs wrote: correctness/perf/gate/tools/third_party_bench.cpp with Google
// Benchmark 1.7.1,
//   third_party_bench --benchmark_repetitions=3 --benchmark_min_time=0.01 --benchmark_out=...
// the same with 1.5.0 (which knows no seconds) and 1.8.0, some rows twice, and a Python program of
// two rows with 1.9.5.
const fs::path folder = fs::path(RATCHET_DATA_DIR) / "perf/gate/baseline/data";

TEST(ThirdPartyJson, ReadsWhatGoogleBenchmark17Writes) {
  const ThirdPartyMeasurements read = read_third_party(folder / "google_benchmark_1.7.1.json");
  std::vector<std::string> names;
  for (const auto& [name, row] : read.measured.rows) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"bytes", "complex/128", "complex/64", "items/100",
                                             "items/1000", "plain", "repeated", "stated",
                                             "sum<int, 2>(a+b)*[c]/^x$|y?.\\", "threads/threads:2",
                                             "twice/iterations:2/manual_time", "twice/real_time"}));
  for (const auto& [name, row] : read.measured.rows) EXPECT_EQ(row.launches.size(), 3u) << name;
  EXPECT_EQ(read.failures, (std::map<RowId, std::string>{{"refuse", "no such \"device\""}}));
  EXPECT_EQ(read.measured.rows.at("items/100").basis, to_string(ThroughputBasis::items));
  EXPECT_EQ(read.measured.rows.at("bytes").basis, to_string(ThroughputBasis::bytes));
  EXPECT_EQ(read.measured.rows.at("plain").basis, to_string(ThroughputBasis::cpu_time));
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

TEST(ThirdPartyJson, ReadsWhatGoogleBenchmark19Writes) {
  const ThirdPartyMeasurements read = read_third_party(folder / "google_benchmark_1.9.5.json");
  EXPECT_EQ(read.measured.rows.at("BM_Python/100").launches.size(), 2u);
  EXPECT_EQ(read.measured.rows.at("BM_Python/100").units(), 100);
  EXPECT_EQ(read.failures, (std::map<RowId, std::string>{{"BM_Skip", "not today"}}));
}

TEST(ThirdPartyJson, ReadsWhatOtherVersionsWrite) {
  for (const char* version : {"1.5.0", "1.8.0"}) {
    const auto read =
        read_third_party(folder / (std::string("google_benchmark_") + version + ".json"));
    EXPECT_EQ(read.measured.rows.size(), 6u) << version;
    for (const char* row : {"items/100", "items/1000", "plain", "threads/threads:2",
                            "twice/iterations:2/manual_time", "twice/real_time"})
      EXPECT_EQ(read.measured.rows.count(row), 1u) << version << row;
    for (const auto& [name, row] : read.measured.rows)
      EXPECT_EQ(row.launches.size(), 2u) << version << name;
    EXPECT_EQ(read.measured.rows.at("items/1000").units(), 1000) << version;
    EXPECT_EQ(read.failures, (std::map<RowId, std::string>{{"refuse", "no such \"device\""}}))
        << version;
  }
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
ThirdPartyMeasurements parse(const std::vector<json>& rows,
                             ClockChoice clock = ClockChoice::automatic) {
  return parse_third_party(file_of(rows), "x.json", {clock});
}

Row only_row(const ThirdPartyMeasurements& read) { return read.measured.rows.begin()->second; }

/// The row's clock, its throughput, and the time of a call by it.
void expect_clock(const Row& row, Clock clock, double per_second, double ms) {
  EXPECT_EQ(to_string(row.clock), to_string(clock)) << row.name;
  EXPECT_NEAR(row.throughputs().at(0) / per_second, 1, 1e-9) << row.name;
  EXPECT_DOUBLE_EQ(call_ms(row.launches.at(0), row.clock), ms) << row.name;
}

/// 50 us of wall time, 40 us of CPU time: 80 items a call.
TEST(ThirdPartyJson, EachRowHasTheClockThatItsRatesAreDividedBy) {
  const json items = {{"items_per_second", 2e6}};
  const auto named = [](const char* name, double rate) {
    return json{{"name", name}, {"items_per_second", rate}};
  };
  expect_clock(only_row(parse({items})), Clock::cpu, 2e6, 0.04);
  expect_clock(only_row(parse({json::object()})), Clock::cpu, 25000, 0.04);
  expect_clock(only_row(parse({named("a/1/process_time", 2e6)})), Clock::cpu, 2e6, 0.04);
  expect_clock(only_row(parse({named("a/1/real_time", 1.6e6)})), Clock::wall, 1.6e6, 0.05);
  expect_clock(only_row(parse({named("a/1/process_time/real_time", 1.6e6)})), Clock::wall, 1.6e6,
               0.05);
  expect_clock(only_row(parse({named("a/1/manual_time", 1.6e6)})), Clock::manual, 1.6e6, 0.05);
  expect_clock(only_row(parse({named("real_time_of/1", 2e6)})), Clock::cpu, 2e6, 0.04);
  // Google Benchmark adds up the CPU times of threads.
  json threads = named("a/1/threads:2", 2e6);
  threads["threads"] = 2;
  expect_clock(only_row(parse({threads})), Clock::wall, 1.6e6, 0.05);
  EXPECT_EQ(only_row(parse({threads})).units(), 80);
  // ratchet::timing states its timer.
  const json timed = {{"timer", 1}, {"units", 80}, {"units_per_second", 1.6e6}};
  expect_clock(only_row(parse({timed})), Clock::gpu, 1.6e6, 0.05);
  // nvbench and others state what stands as real_time.
  expect_clock(only_row(parse({{{"time_basis", "1/GPU time (mean)"}}})), Clock::gpu, 20000, 0.05);
  expect_clock(only_row(parse({{{"time_basis", "1/real_time"}}})), Clock::wall, 20000, 0.05);
  expect_clock(only_row(parse({{{"cpu_time", 0}}})), Clock::wall, 20000, 0.05);
}

TEST(ThirdPartyJson, AClockThatTheUserNamesHolds) {
  const json items = {{"items_per_second", 2e6}};
  expect_clock(only_row(parse({items}, ClockChoice::wall)), Clock::wall, 1.6e6, 0.05);
  expect_clock(only_row(parse({json::object()}, ClockChoice::wall)), Clock::wall, 20000, 0.05);
  const json real = {{"name", "a/1/real_time"}, {"items_per_second", 1.6e6}};
  expect_clock(only_row(parse({real}, ClockChoice::cpu)), Clock::cpu, 2e6, 0.04);
  EXPECT_EQ(only_row(parse({real}, ClockChoice::cpu)).units(), 80);
  // Its wall time is not in the file.
  const json manual = {{"name", "a/1/manual_time"}, {"items_per_second", 1.6e6}};
  expect_clock(only_row(parse({manual}, ClockChoice::wall)), Clock::manual, 1.6e6, 0.05);
}

/// A row of one launch of 50 us wall time and 40 us CPU time.
Row stored_row(const char* basis, Clock clock, double per_second, double units) {
  Row row;
  row.name = "p/a";
  row.basis = basis;
  row.clock = clock;
  row.launches = {{0, 0.05, 0.04, 1000, {{"units_per_second", per_second}}}};
  if (units > 0) row.launches[0].counters["units"] = units;
  return row;
}

TEST(Clocks, AnOldBaselineIsReadByTheClockOfNow) {
  const Row by_wall = stored_row("1/real_time", Clock::unknown, 20000, 1);
  EXPECT_EQ(clock_of(by_wall), Clock::wall);
  const Row now = stored_row("1/cpu_time", Clock::cpu, 25000, 1);
  const auto [before, after] = on_one_clock(by_wall, now);
  EXPECT_EQ(before.basis, "1/cpu_time");
  expect_clock(before, Clock::cpu, 25000, 0.04);
  expect_clock(after, Clock::cpu, 25000, 0.04);
  // Of rates, the work of a call tells which time was the divisor.
  EXPECT_EQ(clock_of(stored_row("items_per_second", Clock::unknown, 2e6, 80)), Clock::cpu);
  EXPECT_EQ(clock_of(stored_row("items_per_second", Clock::unknown, 1.6e6, 80)), Clock::wall);
  EXPECT_EQ(clock_of(stored_row("items_per_second", Clock::unknown, 1.7e6, 0)), Clock::unknown);
}

TEST(Clocks, ARowThatWaitsIsJudgedByWallTimeOnBothSides) {
  const Row busy = stored_row("items_per_second", Clock::cpu, 2e6, 80);
  const Row waits = stored_row("items_per_second", Clock::waits, 1.6e6, 80);
  for (const auto& [one, other] : {std::pair(busy, waits), std::pair(waits, busy)}) {
    const auto [before, now] = on_one_clock(one, other);
    expect_clock(before, Clock::wall, 1.6e6, 0.05);
    expect_clock(now, Clock::wall, 1.6e6, 0.05);
  }
  Row named = busy;
  named.clock_named = true;
  expect_clock(on_one_clock(waits, named).first, Clock::cpu, 2e6, 0.04);
  Row joined = busy;
  add_launches(joined, waits);
  ASSERT_EQ(joined.launches.size(), 2u);
  expect_clock(joined, Clock::wall, 1.6e6, 0.05);
}

/// 1000 calls of 50 us, of which 5 us are CPU time: 45 ms off the CPU.
TEST(Clocks, OnlySleepsProveThatARowWaits) {
  Launch launch = stored_row("1/cpu_time", Clock::cpu, 25000, 1).launches[0];
  launch.cpu_ms = 0.005;
  EXPECT_TRUE(mainly_waits(launch, Scheduled{0.001, 1010}));
  EXPECT_FALSE(mainly_waits(launch, Scheduled{0.030, 1010})) << "others used its CPU";
  EXPECT_FALSE(mainly_waits(launch, Scheduled{0.001, 12})) << "stolen by the hypervisor, say";
  EXPECT_FALSE(mainly_waits(launch, std::nullopt)) << "not counted here";
  launch.cpu_ms = 0.04;
  EXPECT_FALSE(mainly_waits(launch, Scheduled{0.001, 1010}));
}

/// 1000 calls of 1 ms in a program of 1.1 s.
TEST(Clocks, WaitingForACpuContendsARowByWallOrManualTime) {
  Launch launch = stored_row("1/real_time", Clock::wall, 1000, 1).launches[0];
  launch.real_ms = launch.cpu_ms = 1;
  launch.iterations = 1000;
  const auto contended = [&](Clock clock, double queued_s) {
    const auto share = queued_share(launch, clock, Scheduled{queued_s, 5}, 1.1);
    launch.counters.erase(counter::queued);
    if (share) launch.counters[counter::queued] = *share;
    return launch.contended();
  };
  for (const Clock clock : {Clock::wall, Clock::manual}) {
    EXPECT_FALSE(contended(clock, 0.05));
    EXPECT_TRUE(contended(clock, 0.06));
  }
  EXPECT_FALSE(contended(Clock::cpu, 0.6)) << "CPU time does not grow";
  EXPECT_FALSE(contended(Clock::waits, 0.6)) << "it was not queued while it slept";
  EXPECT_FALSE(contended(Clock::gpu, 0.6));
  EXPECT_EQ(queued_share(launch, Clock::wall, std::nullopt, 1.1), std::nullopt);
  launch.iterations = 10;
  EXPECT_EQ(queued_share(launch, Clock::wall, Scheduled{0.019, 5}, 0.03), 0.0) << "its start";
}

TEST(Units, FiguresHaveThreeDigitsAndAPrefix) {
  EXPECT_EQ(rate_text(113244, "calls"), "113 k calls/s");
  EXPECT_EQ(rate_text(1.0342e9, "B"), "1.03 GB/s");
  EXPECT_EQ(rate_text(2.1e9, "items"), "2.10 G items/s");
  EXPECT_EQ(rate_text(512, "B"), "512 B/s");
  EXPECT_EQ(rate_text(0.05, "calls"), "0.0500 calls/s");
  EXPECT_EQ(rate_text(999.6, "calls"), "1.00 k calls/s");
  EXPECT_EQ(rate_text(99.97e3, "calls"), "100 k calls/s");
  EXPECT_EQ(rates_text(1.03e9, 0.957e9, "B"), "1.03 -> 0.957 GB/s");
  EXPECT_EQ(rates_text(990, 1010, "calls"), "0.990 -> 1.01 k calls/s");
  EXPECT_EQ(time_text(15.4e-6), "15.4 us");
  EXPECT_EQ(time_text(2), "2.00 s");
  EXPECT_EQ(times_text(3.69e-9, 5.026e-9), "3.69 -> 5.03 ns");
}

TEST(Units, ComeFromTheRowsBasisAndTheRegistry) {
  EXPECT_EQ(unit_of("p/a", "items_per_second"), "items");
  EXPECT_EQ(unit_of("p/a", "bytes_per_second"), "B");
  EXPECT_EQ(unit_of("p/a", "1/cpu_time"), "calls");
  EXPECT_EQ(unit_of("p/a", "1/GPU time (CUPTI)"), "calls");
  EXPECT_EQ(unit_of("p/a", "units_per_second"), "units");
  EXPECT_EQ(unit_of("no/cpu/01_stage", ""), "units");
}

TEST(ThirdPartyJson, UnitsOfTimeAndThroughput) {
  const std::map<std::string, double> rates = {
      {"ns", 2.5e7}, {"us", 2.5e4}, {"ms", 25}, {"s", 0.025}};
  for (const auto& [unit, rate] : rates) {
    const auto read = parse({{{"time_unit", unit}}});
    EXPECT_NEAR(read.measured.rows.at("a/1").throughputs().at(0) / rate, 1, 1e-12) << unit;
  }
  const auto by_cpu = parse({{{"name", "a/1/real_time"}}}, ClockChoice::cpu);
  EXPECT_EQ(by_cpu.measured.rows.at("a/1").basis, to_string(ThroughputBasis::cpu_time));
  EXPECT_NEAR(by_cpu.measured.rows.at("a/1").throughputs().at(0), 25000, 1e-6);
  // Our own counter, then items, then bytes, then calls.
  json row = {{"bytes_per_second", 3.0}};
  EXPECT_EQ(parse({row}, ClockChoice::cpu).measured.rows.at("a/1").basis,
            to_string(ThroughputBasis::bytes));
  row["items_per_second"] = 5.0;
  EXPECT_EQ(parse({row}).measured.rows.at("a/1").basis, to_string(ThroughputBasis::items));
  EXPECT_EQ(parse({row}).measured.rows.at("a/1").throughputs(), std::vector<double>{5});
  row["units_per_second"] = 7.0;
  row["units"] = 3.0;
  EXPECT_EQ(parse({row}).measured.rows.at("a/1").basis, to_string(ThroughputBasis::units));
  EXPECT_EQ(parse({row}).measured.rows.at("a/1").throughputs(), std::vector<double>{7});
  EXPECT_EQ(parse({row}).measured.rows.at("a/1").units(), 3);
  // Work that no time explains is unknown, not wrong.
  EXPECT_EQ(parse({{{"items_per_second", 12345.678}}}).measured.rows.at("a/1").units(), 0);
}

TEST(ThirdPartyJson, OldVersionsLackKeys) {
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

TEST(ThirdPartyJson, RowsThatFail) {
  const auto reason = [](const std::vector<json>& rows) {
    const auto read = parse(rows);
    EXPECT_EQ(read.measured.rows.count("a/1"), 0u);
    return read.failures.count("a/1") ? read.failures.at("a/1") : "none";
  };
  EXPECT_EQ(reason({{{"skipped", true}, {"skip_message", "no GPU"}, {"real_time", 0.0}}}),
            "no GPU");
  EXPECT_EQ(reason({{{"real_time", 0.0}}}),
            "its time is 0: its clock is too coarse; do more work in one iteration");
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
  EXPECT_HAS(reason({median, {{"name", "b"}}}), "only aggregates");
  EXPECT_HAS(error_of([&] { parse({median}); }), "x.json holds aggregates only");
}

TEST(ThirdPartyJson, BenchmarksOfOneNameAreNumbered) {
  const json again = {{"repetition_index", 1}, {"real_time", 3}};
  const auto rows = parse({json{{"repetition_index", 0}, {"real_time", 2}}, again,
                           json{{"repetition_index", 0}, {"real_time", 7}}})
                        .measured.rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.at("a/1").launches.size(), 2u);  // its repetitions
  ASSERT_EQ(rows.at("a/1#2").launches.size(), 1u);
  EXPECT_GT(rows.at("a/1#2").launches[0].real_ms, rows.at("a/1").launches[1].real_ms);
  EXPECT_EQ(numbered_names({"a", "b", "a", "a"}),
            (std::vector<std::string>{"a", "b", "a#2", "a#3"}));
}

/// Old files do not number repetitions; what does not say that it is one is another benchmark.
TEST(ThirdPartyJson, RowsOfOneNameAreNeverMerged) {
  const auto rows_of = [](const json& more) {
    json slow = more;
    slow["real_time"] = 900;
    std::map<std::string, std::size_t> launches;
    for (const auto& [name, row] : parse({more, slow, {{"name", "b"}}}).measured.rows)
      launches[name] = row.launches.size();
    return launches;
  };
  using Launches = std::map<std::string, std::size_t>;
  const Launches two = {{"a/1", 1}, {"a/1#2", 1}, {"b", 1}}, one = {{"a/1", 2}, {"b", 1}};
  EXPECT_EQ(rows_of({{"repetition_index", "DROP"}}), two);
  EXPECT_EQ(rows_of({{"repetition_index", "DROP"}, {"repetitions", "DROP"}}), two);
  EXPECT_EQ(rows_of({{"repetition_index", "DROP"}, {"repetitions", 2}}), one);
}

TEST(ThirdPartyJson, MergedRunsAreToldByWhatABenchmarkIs) {
  const auto row = [](const char* name, int family, double time) {
    return json{{"name", name},
                {"family_index", family},
                {"per_family_instance_index", 0},
                {"real_time", time}};
  };
  std::vector<json> rows;
  for (int run = 0; run < 12; ++run)
    rows.insert(rows.end(), {row("a/1", 0, 100), row("a/1", 1, 900 + run), row("b", 2, 5)});
  const auto runs = merged_runs(file_of(rows));
  ASSERT_EQ(runs.size(), 12u);
  const auto last = parse_third_party(runs.back(), "x.json").measured.rows;
  ASSERT_EQ(last.size(), 3u);  // two benchmarks of one name in each
  EXPECT_NEAR(last.at("a/1#2").launches.at(0).real_ms, 0.911, 1e-9);
  EXPECT_EQ(merged_runs(file_of({row("a/1", 0, 1), row("a/1", 1, 2)})).size(), 1u);
  EXPECT_EQ(merged_runs(file_of({json::object(), json::object()})).size(), 1u);
}

TEST(ThirdPartyJson, ANameThatFilesCannotHaveCostsNoRow) {
  EXPECT_EQ(storable_name("sum<int>/8"), "sum<int>/8");
  const std::string big = "Big<" + std::string(1100, 'T') + ">";
  for (const std::string& name : {big, std::string("tab\there"), std::string("slice\u202earound"),
                                  std::string("latin\xe9"), std::string(799, 'x') + "\u20ac"}) {
    const std::string stored = storable_name(name);
    EXPECT_FALSE(complaint_of_name("family/" + stored)) << stored;
    EXPECT_EQ(parse({{{"name", name}}, {{"name", "b"}}}).measured.rows.count(stored), 1u) << name;
  }
  EXPECT_NE(storable_name("a\tb"), storable_name("a\nb"));
  EXPECT_NE(storable_name(big), storable_name(big + ">"));
}

TEST(ThirdPartyJson, WhatCannotBeParsedStrictly) {
  const auto text_of = [](const std::string& more) {
    return R"({"context": {}, "benchmarks": [{"name": "a", "threads": 1, "iterations": 9, "real_time": 5,
      "cpu_time": 5, "time_unit": "ms")" +
           more + "}]}";
  };
  const auto rows = [&](const std::string& more) {
    return parse_third_party(parse_their_json(text_of(more), "x.json"), "x.json").measured.rows;
  };
  // Counters of the user's, called as Google Benchmark's own keys are.
  EXPECT_EQ(rows(R"(, "threads": 4.0, "real_time": 7)").at("a").launches.at(0).real_ms, 5);
  EXPECT_EQ(rows(", \"label\": \"latin\xe9\"").size(), 1u);
  const auto said = [&](const std::string& more) {
    return error_of([&] { parse_their_json(text_of(more), "x.json"); });
  };
  EXPECT_HAS(said(R"(, "items_per_second": 1,5e+01)"),
             "the number 1,5e+01 is written in a locale's style");
  EXPECT_HAS(said(R"(, "iterations": 1.234.567)"), "LC_ALL=C");
  EXPECT_LACKS(said(", \"b\": [1,5]]"), "locale");
}

TEST(ThirdPartyJson, ABadRowCostsThatRow) {
  const auto said = [](const json& row) {
    const auto read = parse({row, {{"name", "good"}}});
    EXPECT_EQ(read.measured.rows.size(), 1u);
    EXPECT_EQ(read.failures.size(), 1u);
    EXPECT_TRUE(read.skipped.empty());
    return read.failures.empty() ? std::pair<const RowId, std::string>() : *read.failures.begin();
  };
  EXPECT_EQ(said({{"real_time", json()}}).second,
            "x.json: real_time is not a number; measure the row again, or leave it out");
  EXPECT_EQ(said({{"real_time", -3}}).second, "x.json: real_time is not positive");
  EXPECT_EQ(said({{"cpu_time", "DROP"}}).second, "x.json: \"cpu_time\" is missing");
  EXPECT_EQ(said({{"time_unit", "min"}}).second, "x.json: unknown time_unit \"min\"");
  EXPECT_EQ(said({{"iterations", 0}}).second, "x.json: iterations is not positive");
  EXPECT_EQ(said({{"iterations", json()}}).first, "a/1");
  const auto nameless = said({{"name", "DROP"}});
  EXPECT_EQ(nameless.first, "benchmarks[0]");
  EXPECT_EQ(nameless.second, "x.json: \"name\" is missing or not a text");
}

TEST(ThirdPartyJson, SkippedOnPurposeIsNoError) {
  const json skip = {{"skipped", true}, {"skip_message", "no GPU"}, {"real_time", 0.0}};
  const auto read = parse({skip, {{"name", "b"}, {"error_occurred", true}}});
  EXPECT_EQ(read.skipped, std::set<RowId>{"a/1"});
  EXPECT_EQ(read.failures.size(), 2u);
}

TEST(ThirdPartyJson, BadInputNamesFile) {
  for (const json& root :
       {json::array(), json{{"context", json::object()}}, json{{"benchmarks", json::array()}},
        json{{"context", 1}, {"benchmarks", json::array()}}})
    EXPECT_HAS(error_of([&] { parse_third_party(root, "x.json"); }),
               "x.json is not JSON of Google Benchmark");
  json broken = file_of({json::object()});
  broken["benchmarks"].push_back(7);
  const auto read = parse_third_party(broken, "x.json");
  EXPECT_EQ(read.failures.at("benchmarks[1]"), "x.json: is not an object");
  EXPECT_EQ(read.measured.rows.size(), 1u);
}

TEST(ThirdPartyJson, BareNan) {
  EXPECT_EQ(without_bare_nan(R"({"a": NaN, "b":-NaN,"c": [Infinity, -Infinity], "nan": inf})"),
            R"({"a": null, "b":null,"c": [null, null], "nan": null})");
  // Strings stay as they are, whatever they contain, and so does anything that is no such word.
  for (const char* text : {R"({"NaN": "x NaN \" inf \\", "b": 1})", "[NaNny]", "[infinite]",
                           "\"open NaN", "\"open \\"})
    EXPECT_EQ(without_bare_nan(text), text);
}

}  // namespace
}  // namespace ratchet
