// The gate and its history, and `ratchet history`, from outside.
#include <cstdlib>
#include <map>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

class History : public GateFixture {
 protected:
  void SetUp() override {
    GateFixture::SetUp();
    unsetenv("RATCHET_HISTORY");
    setenv("LC_ALL", "C", 1);
  }
  fs::path database() const { return folder() / "results" / "history.sqlite"; }
  ProcessResult history(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"history", "--history", database()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ratchet(arguments);
  }
  void expect_error(const ProcessResult& result, const std::string& word) {
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_TRUE(result.errors.starts_with("ratchet: ")) << result.errors;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_HAS(result.errors, word);
  }
  /// Runs git in the folder `repository`.
  void git(std::vector<std::string> arguments) {
    const std::vector<std::string> start = {"git",         "-C", folder() / "repository", "-c",
                                            "user.name=x", "-c", "user.email=x@y"};
    arguments.insert(arguments.begin(), start.begin(), start.end());
    const ProcessResult result = run_process(arguments, 30);
    ASSERT_TRUE(result.ok()) << result.describe();
  }
};

TEST_F(History, EveryGateRunIsAppended) {
  store({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 2e6 1000"});
  plan({"demo/cpu/01_a ok 0.5e6 1000", "demo/cpu/02_b crash"});
  ASSERT_EQ(gate().exit_code, 1);
  const nlohmann::json series = parse_json(history({"01_a", "--json"}).output, "output");
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].at("row"), "demo/cpu/01_a");
  EXPECT_EQ(series[0].at("machine"), "fake-4c");
  const nlohmann::json points = series[0].at("points");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].at("verdict"), "uncompared");
  EXPECT_EQ(points[1].at("verdict"), "slower");
  EXPECT_EQ(points[1].at("mode"), "stored");
  EXPECT_NEAR(points[1].at("ratio").get<double>(), 0.5, 0.01);
  EXPECT_NEAR(points[1].at("units_per_second").get<double>(), 5e5, 1e4);
  EXPECT_EQ(points[1].at("launches").size(), 9u);
  const nlohmann::json failed = parse_json(history({"02_b", "--json"}).output, "output");
  EXPECT_EQ(failed[0].at("points")[1].at("verdict"), "failed");
  EXPECT_TRUE(failed[0].at("points")[1].at("units_per_second").is_null());
}

TEST_F(History, ListTablePlotAndDrawing) {
  for (const char* speed : {"1e6", "1.1e6", "1.2e6"}) {
    plan({std::string("demo/cpu/01_a ok ") + speed + " 1000"});
    ASSERT_EQ(gate().exit_code, 0);
  }
  const ProcessResult list = history();
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_HAS(list.output, "demo/cpu/01_a");
  EXPECT_HAS(list.output, "fake-4c");
  EXPECT_EQ(parse_json(history({"--json"}).output, "output")[0].at("runs"), 3);
  const fs::path drawing = folder() / "series.svg";
  const ProcessResult shown = history({"demo/cpu/01_a", "--svg", drawing, "--width", "60"});
  EXPECT_HAS(shown.output, "3 runs");
  EXPECT_HAS(shown.output, "+10.");  // percent to the run before
  EXPECT_HAS(shown.output, "|*");    // the plot
  EXPECT_HAS(shown.output, "change points");
  EXPECT_HAS(read(folder() / "series.vl.json"), "demo/cpu/01_a on fake-4c");
  if (fs::exists(drawing)) {
    EXPECT_EQ(shown.exit_code, 0) << shown.errors;
    EXPECT_HAS(shown.output, "drawing: " + drawing.string() +
                                 ", its specification: " + (folder() / "series.vl.json").string());
    EXPECT_TRUE(read(drawing).starts_with("<svg "));
  }
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const std::string before = cache ? cache : "";
  setenv("XDG_CACHE_HOME", folder().c_str(), 1);  // without the converter of ci/setup
  const ProcessResult undrawn = history({"demo/cpu/01_a", "--svg", drawing});
  cache ? setenv("XDG_CACHE_HOME", before.c_str(), 1) : unsetenv("XDG_CACHE_HOME");
  if (undrawn.exit_code != 0) {
    EXPECT_EQ(undrawn.exit_code, 77);
    EXPECT_HAS(undrawn.errors, drawing.string() + " was not drawn, only " +
                                   (folder() / "series.vl.json").string() +
                                   " was written: vl_convert is missing");
  }
  const ProcessResult last = history({"demo/cpu/01_a", "--last", "1"});
  EXPECT_LACKS(last.output, "+10.");
}

TEST_F(History, RunsOfTwoMachinesAreNotMixed) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  ASSERT_EQ(gate().exit_code, 0);
  setenv("RATCHET_FAKE_CPU", "Other Box", 1);
  ASSERT_EQ(gate().exit_code, 0);
  const ProcessResult both = history({"demo/cpu/01_a"});
  expect_error(both, "2 fingerprints");
  EXPECT_HAS(both.errors, "fake-4c");
  EXPECT_HAS(both.errors, "other-box-4c");
  EXPECT_HAS(both.errors, "--machine");
  EXPECT_HAS(history({"demo/cpu/01_a", "--machine", "fake-4c"}).output, ", 1 run\n");
  const std::string print =
      parse_json(history({"--json"}).output, "output")[1].at("fingerprint").get<std::string>();
  EXPECT_HAS(history({"demo/cpu/01_a", "--machine", print.substr(0, 8)}).output, "other-box-4c");
  expect_error(history({"demo/cpu/01_a", "--machine", "third"}), "third");
}

TEST_F(History, AnUnwritableHistoryNeverHidesTheVerdict) {
  store({"demo/cpu/01_a ok 1e6 1000"});
  const std::string bad = "postgresql://127.0.0.1:1/x";
  plan({"demo/cpu/01_a ok 1e6 1000"});
  const ProcessResult pass = gate({"--history", bad});
  EXPECT_EQ(pass.exit_code, 2) << pass.output;
  EXPECT_HAS(pass.output, "The verdicts above stand, but the exit code is 2");
  EXPECT_HAS(pass.output, "\nFAILED (exit 2): 1 same");
  EXPECT_HAS(pass.output, "THIS RUN IS NOT IN THE HISTORY YET");
  EXPECT_HAS(pass.errors, "measuring goes on");  // said before minutes were spent, too
  const auto left = [&](const char* name) { return folder() / "results" / name; };
  const std::string unsent = left("history-unsent.sqlite"),
                    other = folder() / "results" / "history-other.sqlite";
  EXPECT_HAS(pass.output, "`ratchet history --import " + unsent + " --history URL`");
  EXPECT_HAS(ratchet({"history", "--import", unsent, "--history", other}).output, "added 1 run ");
  // Every file says so.
  EXPECT_HAS(read(left("summary.md")), "FAILED (exit 2): 1 same");
  EXPECT_HAS(read(left("summary.md")), "THIS RUN IS NOT IN THE HISTORY YET");
  EXPECT_EQ(read_json(left("gate.json"))["context"]["ratchet"]["run"]["exit_code"], 2);
  EXPECT_HAS(read(left("junit.xml")), "<error message=\"THIS RUN IS NOT IN THE HISTORY YET");
  EXPECT_HAS(read(left("report.html")), "\"exit_code\":2");
  plan({"demo/cpu/01_a ok 0.5e6 1000"});
  const ProcessResult slower = gate({"--history", bad});
  EXPECT_EQ(slower.exit_code, 1);  // a regression stays one
  EXPECT_HAS(slower.output, "\nREGRESSION (exit 1): 1 slower");
  EXPECT_HAS(slower.output, "THIS RUN IS NOT IN THE HISTORY YET");
  // Both were kept until there is a history, and are added to it once.
  plan({"demo/cpu/01_a ok 1e6 1000"});
  const ProcessResult mended = gate();
  EXPECT_EQ(mended.exit_code, 0) << mended.output;
  EXPECT_HAS(mended.output, "2 earlier unsent runs were added to the history");
  EXPECT_LACKS(read(left("junit.xml")), "<error");
  EXPECT_FALSE(fs::exists(folder() / "results" / "history-unsent.sqlite"));
  EXPECT_HAS(history({"demo/cpu/01_a"}).output, "4 runs");  // with the one that store() made
}

TEST_F(History, WhatCanHoldNoHistoryIsRefusedBeforeAnythingIsMeasured) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  fs::create_directory(folder() / "adir");
  write(folder() / "text", "no database");
  const std::string text = folder() / "text";
  for (const auto& [place, word] :
       std::map<std::string, std::string>{{folder() / "adir", "adir is a folder; name a file, "},
                                          {text, "text is not a history: it is not an SQLite"},
                                          {text + "/file", "text is not a folder"},
                                          {"/proc/x.sqlite", "the folder /proc cannot be written"},
                                          {"mysql://host/x", "mysql://"}}) {
    expect_error(gate({"--history", place}), word);
    expect_error(ratchet({"gate", "--merge", folder(), "--history", place, "--results",
                          folder() / "merged"}),
                 word);
  }
  EXPECT_EQ(read(text), "no database");
  EXPECT_FALSE(fs::exists(folder() / "results" / "gate.json"));
}

TEST_F(History, AnotherHistoryIsAddedOnce) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  const fs::path other = folder() / "other.sqlite";
  ASSERT_EQ(gate({"--history", other}).exit_code, 0);
  ASSERT_EQ(gate({"--history", other}).exit_code, 0);
  ASSERT_EQ(gate().exit_code, 0);
  const ProcessResult first = history({"--import", other});
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_HAS(first.output, "added 2 runs of " + other.string());
  EXPECT_HAS(history({"--import", other}).output, "added 0 runs");
  EXPECT_HAS(history({"demo/cpu/01_a"}).output, "3 runs");
}

TEST_F(History, TheEnvironmentAndNone) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  ASSERT_EQ(gate({"--history", "none"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(database()));
  setenv("RATCHET_HISTORY", (folder() / "elsewhere").c_str(), 1);
  ASSERT_EQ(gate().exit_code, 0);
  EXPECT_FALSE(fs::exists(database()));
  EXPECT_HAS(ratchet({"history"}).output, "demo/cpu/01_a");
  setenv("RATCHET_HISTORY", "postgresql://user:s3cr3t@127.0.0.1:1/x", 1);
  const ProcessResult away = gate();
  EXPECT_EQ(away.exit_code, 2);
  EXPECT_HAS(away.output, "cannot be reached");
  EXPECT_LACKS(away.output, "s3cr3t");
  EXPECT_LACKS(ratchet({"history", "--help"}).output, "s3cr3t");
  setenv("RATCHET_HISTORY", "none", 1);
  expect_error(ratchet({"history"}), "none");
  // An empty one counts as not set.
  setenv("RATCHET_HISTORY", "", 1);
  ASSERT_EQ(gate().exit_code, 0);
  EXPECT_TRUE(fs::exists(database()));
  unsetenv("RATCHET_HISTORY");
}

TEST_F(History, BadInputIsOneLine) {
  expect_error(history(), "there is no history at " + database().string());
  plan({"demo/cpu/01_a ok 1e6 1000"});
  ASSERT_EQ(gate().exit_code, 0);
  expect_error(history({"pong"}), "\"pong\" matches no row");
  expect_error(history({"("}), "regular expression");
  // An option has its effect, or is refused by its name.
  expect_error(history({"--machine", "third"}), "no such row of the machine \"third\"");
  for (const auto& [option, value] : std::map<std::string, std::string>{{"--svg", "x.svg"},
                                                                        {"--last", "2"},
                                                                        {"--clock", "cpu"},
                                                                        {"--width", "60"},
                                                                        {"--false-alarms", "0.5"}})
    expect_error(history({option, value}),
                 option + " has no effect without ROWS; add that, or leave it out");
  expect_error(history({"demo", "--json", "--last", "2"}), "--last has no effect with --json");
  expect_error(history({"demo", "--import", results()}), "ROWS has no effect with --import");
  expect_error(history({"--baseline-dir", folder()}), "no effect without --import-git");
  expect_error(history({"demo", "--clock", "gpu"}),
               "no row that is named has figures by --clock gpu");
  expect_error(history({"demo", "--svg", folder() / "results"}), "must end in .svg");
  fs::create_directories(folder() / "d.svg");
  expect_error(history({"demo", "--svg", folder() / "d.svg"}), "left as");
  expect_error(history({"--import", folder() / "none.json"}), "does not exist");
  write(folder() / "bad.json", "{");
  expect_error(history({"--import", folder() / "bad.json"}), "not valid JSON");
  expect_error(history({"--import-git", "--baseline-dir", folder() / "none"}), "no folder");
  expect_error(history({"demo", "--false-alarms", "2"}), "--false-alarms");
}

TEST_F(History, ResultsAreImportedOnce) {
  plan({"demo/cpu/01_a ok 1e6 1000"});
  ASSERT_EQ(gate({"--history", "none"}).exit_code, 0);
  EXPECT_HAS(history({"--import", results()}).output, "imported 1 row of 1 run into");
  EXPECT_HAS(history({"--import", results()}).output, "; 1 run was there already");
  // Nor is a run that the gate itself appended.
  fs::remove(database());
  ASSERT_EQ(gate().exit_code, 0);
  EXPECT_HAS(history({"--import", results()}).output, "imported 0 rows of 0 runs");
  const auto points = parse_json(history({"demo", "--json"}).output, "output")[0].at("points");
  EXPECT_EQ(points.size(), 1u);
  // By its id: of rows that were measured in pairs, the file holds other launches.
  nlohmann::json file = read_json(results());
  file["benchmarks"].erase(0);
  write(folder() / "again.json", file.dump());
  EXPECT_HAS(history({"--import", folder() / "again.json"}).output,
             "0 rows of 0 runs into " + database().string() + "; 1 run was there already");
}

TEST_F(History, BaselinesAreImportedFromGit) {
  const fs::path repository = folder() / "repository";
  fs::create_directories(repository);
  git({"init", "-q"});
  for (const char* speed : {"1e6", "2e6"}) {
    store({std::string("demo/cpu/01_a ok ") + speed + " 1000"});
    write(repository / "baselines" / "fake-4c" / "demo.json", read(stored()));
    write(repository / "baselines" / "fake-4c" / "demo_timesink.json", "not a baseline");
    git({"add", "-A"});
    git({"commit", "-q", "-m", speed});
  }
  write(repository / "baselines" / "fake-4c" / "demo.json", "half a fi");
  git({"commit", "-q", "-a", "-m", "broken"});
  fs::remove(database());
  const std::vector<std::string> import = {"--import-git", "--baseline-dir",
                                           repository / "baselines"};
  const ProcessResult first = history(import);
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_HAS(first.output, "imported 2 rows of 2 runs");
  EXPECT_HAS(first.errors, "left out baselines/fake-4c/demo.json of commit");
  EXPECT_HAS(history(import).output, "imported 0 rows");
  const auto points = parse_json(history({"demo", "--json"}).output, "output")[0].at("points");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].at("mode"), "accepted");
  EXPECT_EQ(points[0].at("reason"), "a test");
  expect_error(history({"--import-git", "--baseline-dir", baselines()}), "cannot be read from git");

  // As in a pipeline: the clone's own branch has no baseline, and origin's has.
  const fs::path clone = folder() / "clone";
  git({"checkout", "-q", "--orphan", "bare"});
  git({"rm", "-rqf", "."});
  git({"commit", "-q", "--allow-empty", "-m", "nothing"});
  ASSERT_TRUE(run_process({"git", "clone", "-q", "file://" + repository.string(), clone}, 60).ok());
  fs::remove(database());
  const std::vector<std::string> of_clone = {"--import-git", "--baseline-dir", clone / "baselines"};
  EXPECT_HAS(history(of_clone).output, "imported 2 rows of 2 runs");
  EXPECT_LACKS(history(of_clone).errors, "shallow");
  ASSERT_TRUE(
      run_process(
          {"git", "clone", "-q", "--depth", "1", "file://" + repository.string(), clone / "s"}, 60)
          .ok());
  expect_error(history({"--import-git", "--baseline-dir", clone / "s" / "baselines"}),
               "and no branch has one");
}

}  // namespace
}  // namespace ratchet
