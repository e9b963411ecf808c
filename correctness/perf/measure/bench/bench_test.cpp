// ratchet-bench as a program: its names, its exit codes, and that `verified` cannot be claimed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "correctness/perf/measure/fixture.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/programs.h"
#include "kernels/contract/stage.h"
#include "kernels/contract/survey_only.h"
#include "perf/gate/base/base_build.h"
#include "perf/identity/build/build_options.h"
#include "perf/support/child_process.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

using nlohmann::json;

ProcessResult bench(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), built_program("perf/ratchet-bench"));
  return run_process(arguments, 120);
}

/// A stage that any machine can run, small.
const Stage& some_stage() {
  for (const Stage* stage : registry())
    if (stage->info().backend == Backend::cpu && stage->availability().ok &&
        stage->defaults().has("battles") && !stage->info().threaded())
      return *stage;
  throw std::runtime_error("no CPU stage");
}

std::string only(const Stage& stage) { return "--benchmark_filter=^" + stage.info().name; }

/// One line that holds `what`, and nothing is run.
void expect_refused(const std::vector<std::string>& arguments, const std::string& what = "") {
  const ProcessResult result = bench(arguments);
  EXPECT_EQ(result.exit_code, 2) << arguments.front() << ": " << result.describe();
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  EXPECT_HAS(result.errors, what);
  EXPECT_EQ(result.output, "") << arguments.front();
}

/// The row of a short run of `stage`.
json row_of(const Stage& stage, std::vector<std::string> arguments) {
  // In front: what the test asks for comes later and wins.
  arguments.insert(arguments.begin(), {"--ratchet_set=battles=4096", "--ratchet_budget_s=0.05",
                                       "--ratchet_skip_check", "--benchmark_format=json"});
  arguments.push_back(only(stage));
  const ProcessResult result = bench(arguments);
  EXPECT_TRUE(result.ok()) << result.describe();
  return json::parse(result.output).at("benchmarks").at(0);
}

TEST(Bench, TakesTheSurveyInPlaceOfTheRows) {
  for (const Stage* stage : registry()) {
    if (stage->info().survey.empty() || !stage->availability().ok) continue;
    const auto rows = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.end(),
                       {"--benchmark_list_tests", "--benchmark_filter=^" + stage->info().name});
      const ProcessResult result = bench(arguments);
      EXPECT_TRUE(result.ok()) << result.describe();
      return static_cast<std::size_t>(std::count(result.output.begin(), result.output.end(), '\n'));
    };
    EXPECT_EQ(rows({}), 1 + stage->info().sweep.size()) << stage->info().name;
    // A point of the survey may be another name of the defaults.
    EXPECT_GE(rows({"--ratchet_survey"}) + 1, stage->info().survey.size()) << stage->info().name;
    return;
  }
  GTEST_SKIP() << "no stage that can run here has a survey";
}

TEST(Bench, AStageOfSurveysAloneIsNoRowOfTheGate) {
  const auto found = std::find_if(registry().begin(), registry().end(), [](const Stage* stage) {
    return SurveyOnly::is(stage->info().name) && stage->availability().ok;
  });
  if (found == registry().end()) GTEST_SKIP() << "no such stage can run here";
  const StageInfo& info = (*found)->info();
  const auto rows = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--benchmark_list_tests"});
    std::istringstream lines(bench(arguments).output);
    std::vector<std::string> ours;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(info.name)) ours.push_back(line);
    return ours;
  };
  EXPECT_TRUE(rows({}).empty());
  EXPECT_EQ(rows({"--ratchet_survey"}).size(), 1 + info.survey.size()) << "its defaults, too";
  const Parameter& first = info.parameters.front();
  EXPECT_EQ(rows({"--ratchet_set=" + first.name + "=" + std::to_string(first.max)}).size(), 1u);
}

/// What is kept beside the baselines as it was written names the revision that measured it, as
/// accepted results do; what is not, does not ask git.
TEST(Bench, FilesOfSurveysAndSweepsNameTheirRevision) {
  const std::string out = testing::TempDir() + "/bench_revision.json";
  const auto context = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"--ratchet_budget_s=0.05", "--ratchet_skip_check",
                                    "--benchmark_out=" + out};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProcessResult result = bench(all);
    EXPECT_TRUE(result.ok()) << result.describe();
    const std::string text = read_text(out);
    const json content = json::parse(text);
    // One launch a line, as in the baselines.
    if (content.at("context").contains("ratchet.revision")) {
      EXPECT_EQ(text, launches_text(content, out));
    }
    return content.at("context");
  };
  const std::string built = built_revision(built_program("perf/ratchet-bench"));
  EXPECT_NE(built, "");
  const std::string stage = only(some_stage());
  EXPECT_EQ(context({"--ratchet_set=battles=4096", stage}).at("ratchet.revision"), built);
  EXPECT_FALSE(context({stage}).contains("ratchet.revision"));
  if (find_stage("officers/cpu/06_threads") == nullptr) GTEST_SKIP() << "no stage with a survey";
  EXPECT_EQ(context({"--ratchet_survey", "--benchmark_filter=^officers/cpu/06_threads/threads:1$"})
                .at("ratchet.revision"),
            built);
}

TEST(Bench, RefusesBadInputInOneLine) {
  for (const char* argument :
       {"--benchmark_filter=no_such_stage", "--benchmark_filter=(", "--ratchet_nonsense",
        "--ratchet_budget_s=-1", "--ratchet_budget_s=inf", "--ratchet_set=battles",
        "--ratchet_set=battles=0", "--ratchet_set=battles=-5", "--ratchet_set=no_such_parameter=1",
        "--ratchet_verified=/nowhere", "--ratchet_slowdown=0", "--ratchet_slowdown=2",
        "--ratchet_slowdown=x", "--ratchet_peaks=/nowhere", "--benchmark_format=csv",
        "--benchmark_nonsense=1", "--ratchet_profile=maybe", "nonsense"})
    expect_refused({argument});
}

/// A variable of a script that is not set.
TEST(Bench, RefusesEmptyValues) {
  for (const std::string option :
       {"--benchmark_filter", "--benchmark_format", "--benchmark_out", "--benchmark_out_format",
        "--benchmark_min_time", "--ratchet_set", "--ratchet_input", "--ratchet_budget_s",
        "--ratchet_slowdown", "--ratchet_verify_in_situ_s", "--ratchet_verified", "--ratchet_peaks",
        "--ratchet_samples", "--ratchet_survey", "--ratchet_list_work"}) {
    expect_refused({option + "=", "--benchmark_list_tests"}, option + " has an empty value");
    expect_refused({option, "", "--benchmark_list_tests"}, option + " has an empty value");
  }
  expect_refused({"", "--benchmark_list_tests"}, "an argument is empty");
}

TEST(Bench, RefusesNumbersThatAreNone) {
  for (const std::string option :
       {"--ratchet_budget_s", "--ratchet_slowdown", "--ratchet_verify_in_situ_s"})
    for (const char* number : {"nan", "inf", "-inf", "1e999", "1s", "1,5", "0", "-1", " "})
      expect_refused({option + "=" + number, "--benchmark_list_tests"}, option);
}

/// Two values of one option: it is unknown which is meant.
TEST(Bench, RefusesAnOptionGivenTwice) {
  for (const auto& [option, value] :
       {std::pair<std::string, std::string>{"--benchmark_filter", "life"},
        {"--benchmark_format", "json"},
        {"--benchmark_out", "/dev/null"},
        {"--benchmark_out_format", "json"},
        {"--benchmark_repetitions", "1"},
        {"--ratchet_input", "/dev/null"},
        {"--ratchet_budget_s", "1"},
        {"--ratchet_slowdown", "0.1"},
        {"--ratchet_verify_in_situ_s", "1"},
        {"--ratchet_verified", "/dev/null"},
        {"--ratchet_peaks", "/dev/null"},
        {"--ratchet_samples", "/dev/null"}})
    expect_refused({option + "=" + value, option + "=" + value, "--benchmark_list_tests"}, option);
}

/// CI systems hand on an input that is not given as an empty variable.
TEST(Bench, AnEmptyVariableCountsAsNotSet) {
  const ProcessResult result = run_process(
      {built_program("perf/ratchet-bench"), only(some_stage()), "--ratchet_set=battles=4096",
       "--ratchet_budget_s=0.05", "--ratchet_skip_check", "--benchmark_format=json"},
      120, {{"RATCHET_TIMER", ""}, {"RATCHET_CPU", ""}, {"RATCHET_OPENCL_DEVICE", ""}});
  EXPECT_TRUE(result.ok()) << result.describe();
  EXPECT_EQ(json::parse(result.output).at("benchmarks").size(), 1u);
}

/// A parameter of two stages that the former, which can run here, lets have a value that the latter
/// does not.
struct RangesApart {
  const Stage *wide = nullptr, *narrow = nullptr;
  std::string assignment;  ///< of such a value
};

RangesApart ranges_apart() {
  for (const Stage* wide : registry())
    for (const Stage* narrow : registry())
      for (const Parameter& own : wide->info().parameters)
        for (const Parameter& other : narrow->info().parameters) {
          if (own.name != other.name || !wide->availability().ok) continue;
          if (own.max > other.max) return {wide, narrow, own.name + "=" + std::to_string(own.max)};
          if (own.min < other.min) return {wide, narrow, own.name + "=" + std::to_string(own.min)};
        }
  return {};
}

/// A value need fit the rows that the filter selects, and no others.
TEST(Bench, RefusesAValueOfSelectedRowsOnly) {
  const RangesApart found = ranges_apart();
  if (found.wide == nullptr) GTEST_SKIP() << "no two stages differ in what a parameter may be";
  const std::string set = "--ratchet_set=" + found.assignment;
  const auto listed = [&](const std::string& filter) {
    return bench({"--benchmark_list_tests", set, "--benchmark_filter=" + filter});
  };
  const ProcessResult fits = listed("^" + found.wide->info().name + "(/|$)");
  EXPECT_TRUE(fits.ok()) << set << ": " << fits.describe();
  EXPECT_EQ(fits.output.rfind(found.wide->info().name, 0), 0u) << fits.output;
  const std::string narrow = found.narrow->info().name;
  const std::string point = narrow + "/" + found.assignment.substr(0, found.assignment.find('=')) +
                            ":" + found.assignment.substr(found.assignment.find('=') + 1);
  for (const std::string& filter : {narrow, "^" + narrow, point, std::string("all")}) {
    const ProcessResult refused = listed(filter);
    EXPECT_EQ(refused.exit_code, 2) << set << " " << filter << ": " << refused.describe();
    EXPECT_HAS(refused.errors, "is out of range, give ");
    EXPECT_EQ(refused.output, "");
  }
  EXPECT_HAS(listed(narrow).errors, narrow + ": ");
}

TEST(Bench, ListsEveryAvailableStageByItsOwnName) {
  const ProcessResult result = bench({"--benchmark_list_tests"});
  ASSERT_TRUE(result.ok()) << result.describe();
  for (const Stage* stage : registry()) {
    const bool listed =
        ("\n" + result.output).find("\n" + stage->info().name + "\n") != std::string::npos;
    EXPECT_EQ(listed, stage->availability().ok && !SurveyOnly::is(stage->info().name))
        << stage->info().name;
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

TEST(Bench, AListOfValuesMakesARowOfEachChoice) {
  const std::string& stage = some_stage().info().name;
  const ProcessResult result =
      bench({"--benchmark_list_tests", "--benchmark_filter=^" + stage + "(/[a-z]+:[0-9]+)*$",
             "--ratchet_set=battles=100,200", "--ratchet_set=seed=7,8,9"});
  ASSERT_TRUE(result.ok()) << result.describe();
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 6) << result.output;
  for (const std::string battles : {"100", "200"})
    for (const std::string seed : {"7", "8", "9"})
      EXPECT_HAS(result.output, stage + "/battles:" + battles + "/seed:" + seed + "\n");
  EXPECT_FALSE(bench({"--benchmark_list_tests", "--ratchet_set=battles=100,"}).ok());
}

TEST(Bench, CpuRowsTellOfTheMachineBesideTheirTime) {
  const json row = row_of(some_stage(), {});
  EXPECT_GT(row.at("control_per_second"), 10);
  EXPECT_EQ(row.at("control_version"), 1);
  EXPECT_GE(row.at("control_passes"), 5);
  EXPECT_GT(row.at("cpu_mhz"), 100);
  EXPECT_FALSE(row.contains("gpu_others"));
  EXPECT_GE(row.at("preempted"), 0);
  EXPECT_GT(row.at("start_up_ms"), 0);
  EXPECT_GT(row.at("launch_s"), 0);
  EXPECT_EQ(row.at("centre"), 0.25);
  EXPECT_FALSE(row.contains("slowdown"));
}

TEST(Bench, AnInjectedSlowdownIsRealWorkAndSaidSo) {
  const Stage& stage = some_stage();
  const auto ratio = [&] {
    const json plain = row_of(stage, {"--ratchet_set=battles=20000"});
    const json slowed = row_of(stage, {"--ratchet_set=battles=20000", "--ratchet_slowdown=1"});
    EXPECT_EQ(slowed.at("slowdown"), 1);
    EXPECT_EQ(slowed.at("units"), plain.at("units"));
    return slowed.at("cpu_time").get<double>() / plain.at("cpu_time").get<double>();
  };
  // The ratio is 2 on a quiet machine; that of a slowdown without work would be 1 on any.
  const double median = timing::median_of_disturbed(ratio, 1.2, 8);
  EXPECT_GT(median, 1.2);
  EXPECT_LT(median, 8);
}

TEST(Bench, IsInterleavedAsItIsTold) {
  const std::string out = (std::filesystem::temp_directory_path() / "slices.json").string();
  const auto start = [&](std::vector<std::string> more) {
    std::vector<std::string> command = {built_program("perf/ratchet-bench"),
                                        only(some_stage()) + "$", "--ratchet_skip_check",
                                        "--ratchet_interleaved", "--benchmark_out=" + out};
    command.insert(command.end(), more.begin(), more.end());
    return std::make_unique<ChildProcess>(command, Environment{}, Stdin::open);
  };
  const auto said = [](ChildProcess& child) {
    std::optional<std::string> line;
    do {
      line = child.read_line(60);
    } while (line && !line->starts_with("slices: "));
    return line.value_or("nothing");
  };
  const auto worker = start({});
  EXPECT_TRUE(said(*worker).starts_with("slices: ready 0."));
  worker->write_line("go 3");
  EXPECT_EQ(said(*worker), "slices: done");
  worker->write_line("go 2");
  EXPECT_EQ(said(*worker), "slices: done");
  worker->write_line("pause 5 10");
  worker->write_line("end");
  EXPECT_EQ(worker->finish(60).exit_code, 0);
  const json row = json::parse(std::ifstream(out)).at("benchmarks").at(0);
  EXPECT_EQ(row.at("samples"), 5);
  EXPECT_EQ(row.at("slices"), 3);
  EXPECT_EQ(row.at("warmup_samples"), 1);
  EXPECT_EQ(row.at("one_cpu"), 1);
  EXPECT_FALSE(row.contains("control_per_second"));
  EXPECT_NEAR(row.at("cpu_time").get<double>(), row.at("real_time").get<double>(),
              0.2 * row.at("real_time").get<double>());

  const auto cold = start({"--ratchet_skip_warm_up"});
  EXPECT_EQ(said(*cold), "slices: ready 0.000000");
  cold->write_line("stop");
  const ProcessResult result = cold->finish(60);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_HAS(result.output, "'stop' came on stdin instead of go COUNT") << result.errors;
}

TEST(Bench, ListsTheRowsThatAreInterleaved) {
  const ProcessResult result = bench({"--ratchet_list_interleaved", only(some_stage()) + "$"});
  EXPECT_EQ(json::parse(result.output), json({{"row", some_stage().info().name},
                                              {"one_cpu", true},
                                              {"between_runs", true},
                                              {"one_at_a_time", true}}));
  for (const int threads : {1, 2}) {
    const ProcessResult of_threads = bench(
        {"--ratchet_list_interleaved", "--benchmark_filter=graveler/cpu/11_threads(/threads:.)?$",
         "--ratchet_set=threads=" + std::to_string(threads)});
    const json listed = json::parse(of_threads.output);
    EXPECT_EQ(listed.at("one_cpu"), false);
    EXPECT_EQ(listed.at("one_at_a_time"), threads == 1);
  }
  const ProcessResult several = bench({"--ratchet_interleaved", "--benchmark_filter=graveler/cpu"});
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_HAS(several.errors, "--ratchet_interleaved is for one row");
}

TEST(Bench, AFailedRowLeavesTheOthersWhole) {
  // The file says that the second of three stages failed its check: as any row that throws.
  std::vector<std::string> names;
  for (const Stage* stage : registry())
    if (stage->info().backend == Backend::cpu && stage->defaults().has("battles") &&
        !stage->info().threaded() && names.size() < 3)
      names.push_back(stage->info().name);
  ASSERT_EQ(names.size(), 3u);
  const std::string verified = testing::TempDir() + "bench_test_failed.jsonl";
  std::ofstream(verified) << json{{"name", names[1]}, {"passed", false}, {"token", ""}} << "\n";
  const ProcessResult result =
      bench({"--benchmark_filter=^(" + names[0] + "|" + names[1] + "|" + names[2] + ")/",
             "--ratchet_set=battles=4096", "--ratchet_budget_s=0.02", "--ratchet_skip_check",
             "--ratchet_verified=" + verified, "--benchmark_format=json"});
  EXPECT_EQ(result.exit_code, 2);
  const json all = json::parse(result.output).at("benchmarks");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].at("error_occurred"), true);
  for (const int i : {0, 2}) EXPECT_GT(all[i].at("units_per_second"), 0) << all[i];
}

/// Of a program that was carried to another machine, however many rows miss it.
TEST(Bench, MissingDataOfChecksAreReportedOnce) {
  const char *first = "bmn/cpu/01_original", *second = "officers/cpu/01_naive_set";
  if (find_stage(first) == nullptr || find_stage(second) == nullptr)
    GTEST_SKIP() << "built without " << first << " or " << second;
  const std::string rows = fmt::format("--benchmark_filter=^({}|{})$", first, second);
  for (const char* what : {"--ratchet_check_only", "--ratchet_budget_s=0.01"}) {
    const ProcessResult result = run_process({built_program("perf/ratchet-bench"), rows, what}, 120,
                                             {{"RATCHET_DATA_DIR", "/nowhere"}});
    EXPECT_EQ(result.exit_code, 2) << result.describe();
    const std::string all = result.output + result.errors, variable = "RATCHET_DATA_DIR";
    EXPECT_HAS(all, "cannot be read; set " + variable);
    EXPECT_EQ(all.find(variable), all.rfind(variable)) << all;
  }
}

/// Whatever the library of the language calls that.
TEST(Bench, ARowWithoutMemorySaysSo) {
  if (find_stage("bmn/cpu/07_climb") == nullptr) GTEST_SKIP() << "built without bmn/cpu/07_climb";
  const ProcessResult result = run_process(
      {"sh", "-c",
       "ulimit -v 3000000; exec \"$0\" --benchmark_filter=^bmn/cpu/07_climb/ --ratchet_skip_check "
       "--ratchet_set=climbers=4194304 --ratchet_set=candidates=64",
       built_program("perf/ratchet-bench")},
      120);
  EXPECT_EQ(result.exit_code, 2) << result.describe();
  EXPECT_HAS(result.output, "not enough memory to prepare it");
}

TEST(Bench, JudgesWhatWasTimedAtItsOwnPoint) {
  const Stage& stage = some_stage();
  const auto row = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--ratchet_set=battles=4096", "--ratchet_budget_s=0.05",
                                         "--benchmark_format=json", only(stage)});
    const ProcessResult result = bench(arguments);
    EXPECT_TRUE(result.ok()) << result.describe();
    return json::parse(result.output).at("benchmarks").at(0);
  };
  json judged = row({"--ratchet_verify_in_situ_s=0.1"});
  EXPECT_EQ(judged.at("verified_in_situ"), 1);
  const std::string detail = judged.at("label");
  EXPECT_HAS(detail, "in situ checked: ");
  EXPECT_HAS(detail, "of the battles missing");
  EXPECT_EQ(row({"--ratchet_verify_in_situ_s=0.0000001"}).at("verified_in_situ"), 0);
  EXPECT_EQ(row({"--ratchet_skip_check"}).at("verified_in_situ"), 0);
}

TEST(Bench, TheConsoleShowsTimeAndThroughputUnlessAskedForMore) {
  const auto console = [](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"--ratchet_set=battles=4096", "--ratchet_budget_s=0.05", only(some_stage())});
    const ProcessResult result = bench(more);
    EXPECT_HAS(result.errors, "Run on (");
    EXPECT_LACKS(result.errors, "built as DEBUG");  // it is not timed
    return result.output;
  };
  const std::string few = console({}), all = console({"--ratchet_counters"});
  EXPECT_HAS(few, "units_per_second=");
  EXPECT_LACKS(few, "half_width=");
  EXPECT_LACKS(few, "in situ");
  EXPECT_HAS(all, "half_width=");
  EXPECT_HAS(all, "in situ checked");
}

TEST(Bench, ClaimsAJudgedPointOnlyWithTheTokenOfThisBuildAndThisRow) {
  const Stage& stage = some_stage();
  const ProcessResult check = bench({"--ratchet_verify_in_situ", "--ratchet_verify_in_situ_s=0.1",
                                     "--ratchet_set=battles=4096", only(stage)});
  ASSERT_TRUE(check.ok()) << check.describe();
  json line = json::parse(check.output);
  EXPECT_EQ(line.at("row"), stage.info().name + "/battles:4096");
  ASSERT_EQ(line.at("state"), "right") << line.at("detail");
  const std::string file = testing::TempDir() + "bench_test_points.jsonl";
  std::ofstream(file) << line << "\n";
  EXPECT_EQ(row_of(stage, {"--ratchet_verified=" + file}).at("verified_in_situ"), 1);
  // Another point is another row.
  EXPECT_EQ(row_of(stage, {"--ratchet_verified=" + file, "--ratchet_set=battles=2048"})
                .at("verified_in_situ"),
            0);
  line["token"] = "0123456789abcdef";
  std::ofstream(file) << line << "\n";
  EXPECT_EQ(row_of(stage, {"--ratchet_verified=" + file}).at("verified_in_situ"), 0);
  line["state"] = "wrong";
  std::ofstream(file) << line << "\n";
  const ProcessResult refused = bench({"--ratchet_verified=" + file, "--ratchet_skip_check",
                                       "--ratchet_set=battles=4096", only(stage)});
  EXPECT_EQ(refused.exit_code, 2) << refused.describe();
  EXPECT_HAS((refused.output + refused.errors), "in-situ check");
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

/// Another program may compute something else, though it differs in what no check sees.
TEST(Bench, ATokenIsOfTheProgramThatChecked) {
  const std::filesystem::path copy = testing::TempDir() + "bench_test_copy";
  std::filesystem::copy_file(built_program("perf/ratchet-bench"), copy,
                             std::filesystem::copy_options::overwrite_existing);
  const auto token_of = [](const std::filesystem::path& program) {
    const ProcessResult check =
        run_process({program.string(), "--ratchet_check_only", only(some_stage())}, 120);
    EXPECT_TRUE(check.ok()) << check.describe();
    return json::parse(check.output).at("token").get<std::string>();
  };
  const std::string token = token_of(built_program("perf/ratchet-bench"));
  EXPECT_EQ(token_of(copy), token);  // wherever it lies
  std::ofstream(copy, std::ios::binary | std::ios::app) << "x";
  EXPECT_NE(token_of(copy), token);
  std::filesystem::remove(copy);
}

}  // namespace
}  // namespace ratchet
