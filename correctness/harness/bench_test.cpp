// ratchet-bench as a program: its names, its exit codes, and that `verified` cannot be claimed.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "kernels/stage.h"
#include "perf/gate/process.h"

namespace ratchet {
namespace {

using nlohmann::json;

ProcessResult bench(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), RATCHET_BENCH_PROGRAM);
  return run_process(arguments, 120);
}

/// A stage that any machine can run, small.
const Stage& some_stage() {
  for (const Stage* stage : registry())
    if (stage->info().backend == Backend::cpu && stage->availability().ok &&
        stage->defaults().has("battles") && !stage->defaults().has("threads"))
      return *stage;
  throw std::runtime_error("no CPU stage");
}

std::string only(const Stage& stage) { return "--benchmark_filter=^" + stage.info().name; }

/// The row of a short run of `stage`.
json row_of(const Stage& stage, std::vector<std::string> arguments) {
  for (const char* each : {"--ratchet_set=battles=4096", "--ratchet_budget_s=0.05",
                           "--ratchet_skip_check", "--benchmark_format=json"})
    arguments.push_back(each);
  arguments.push_back(only(stage));
  const ProcessResult result = bench(arguments);
  EXPECT_TRUE(result.ok()) << result.describe();
  return json::parse(result.output).at("benchmarks").at(0);
}

TEST(Bench, RefusesBadInputInOneLine) {
  for (const char* argument :
       {"--benchmark_filter=no_such_stage", "--benchmark_filter=(", "--ratchet_nonsense",
        "--ratchet_budget_s=-1", "--ratchet_budget_s=inf", "--ratchet_set=battles",
        "--ratchet_set=battles=0", "--ratchet_set=battles=-5", "--ratchet_set=no_such_parameter=1",
        "--ratchet_verified=/nowhere", "--ratchet_limits=/nowhere", "--benchmark_format=csv"}) {
    const ProcessResult result = bench({argument});
    EXPECT_EQ(result.exit_code, 2) << argument << ": " << result.describe();
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_EQ(result.output, "") << argument;
  }
}

TEST(Bench, ListsEveryAvailableStageByItsOwnName) {
  const ProcessResult result = bench({"--benchmark_list_tests"});
  ASSERT_TRUE(result.ok()) << result.describe();
  for (const Stage* stage : registry()) {
    const bool listed =
        ("\n" + result.output).find("\n" + stage->info().name + "\n") != std::string::npos;
    EXPECT_EQ(listed, stage->availability().ok) << stage->info().name;
  }
}

TEST(Bench, NamesTheRowAndCountsTheWork) {
  const Stage& stage = some_stage();
  const json row = row_of(stage, {});
  EXPECT_EQ(row.at("name"), stage.info().name + "/battles:4096");
  EXPECT_EQ(row.at("time_unit"), "ms");
  EXPECT_EQ(row.at("units"), 4096);
  EXPECT_GT(row.at("real_time"), 0);
  EXPECT_NEAR(row.at("units_per_second").get<double>(),
              4096 / (1e-3 * row.at("real_time").get<double>()), 1);
  EXPECT_EQ(row.at("timer"), 3);
}

TEST(Bench, ClaimsVerifiedOnlyWithTheTokenOfACheckOfThisBuild) {
  const Stage& stage = some_stage();
  const ProcessResult check = bench({"--ratchet_check_only", only(stage)});
  ASSERT_TRUE(check.ok()) << check.describe();
  json line = json::parse(check.output);
  EXPECT_EQ(line.at("name"), stage.info().name);
  ASSERT_EQ(line.at("passed"), true) << line.at("detail");
  const std::string file = testing::TempDir() + "bench_test_verified.jsonl";
  std::ofstream(file) << line << "\n";
  EXPECT_EQ(row_of(stage, {"--ratchet_verified=" + file}).at("verified"), 1);
  EXPECT_EQ(row_of(stage, {}).at("verified"), 0);
  line["token"] = "0123456789abcdef";
  std::ofstream(file) << line << "\n";
  EXPECT_EQ(row_of(stage, {"--ratchet_verified=" + file}).at("verified"), 0);
  // A line that says the stage failed keeps it from being timed.
  line["passed"] = false;
  std::ofstream(file) << line << "\n";
  const ProcessResult refused =
      bench({"--ratchet_verified=" + file, "--ratchet_skip_check", only(stage)});
  EXPECT_EQ(refused.exit_code, 2);
}

}  // namespace
}  // namespace ratchet
