// `ratchet reproduce`: what it measures, keeps, leaves out and says.
#include "correctness/perf/cli/cli_fixture.h"

namespace ratchet {
namespace {

class Reproduce : public Cli {
 protected:
  const std::filesystem::path here_ = folder() / "results" / "reproduce" / "here";

  /// Without the machine's peaks, which take seconds.
  void SetUp() override {
    Cli::SetUp();
    write(here_ / "peaks.json", R"({"measured_by": "a test", "peaks": []})");
  }
  ProcessResult command(const std::string& name, std::vector<std::string> more) {
    more.insert(more.begin(), {name, "life", "--baseline-dir", RATCHET_SOURCE_DIR "/baselines"});
    return ratchet(more);
  }
  ProcessResult reproduce() {
    return command("reproduce", {"--bench", worker(), "--results", folder() / "results"});
  }
};

TEST_F(Reproduce, MeasuresOnceWhatThisMachineCanAndFillsTheColumnHere) {
  plan({"life/cpu/01_trivial ok 1.234e9 1000", "demo/cpu/01_a ok 1e6 1000",
        "life/cuda/02_tiled unavailable"});
  const ProcessResult first = reproduce();
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_HAS(first.output, "not here: life/cuda/02_tiled: no such device");
  EXPECT_HAS(first.output, "1 of 1 rows have figures");
  EXPECT_HAS(first.output, "empty cell: Implementations on CPUs: SIMD, i7 5820K: not a row of");
  EXPECT_HAS(first.output, "cells of the tables that are filled: 3 of ");
  const std::string launched = read(folder() / "plan.order");
  EXPECT_EQ(std::count(launched.begin(), launched.end(), '\n'), 3) << launched;
  EXPECT_EQ(reproduce().exit_code, 0);
  EXPECT_EQ(read(folder() / "plan.order"), launched) << "all is there: nothing to launch";
  const std::string shown = command("tables", {"--results", folder() / "results"}).output;
  EXPECT_HAS(shown, "| here |");
  EXPECT_HAS(shown, "what `ratchet reproduce` left");
}

/// Also where all rows of a stage are in its survey, whose output alone names its revision.
TEST_F(Reproduce, RowsAndSurveysAreFiguresOfOneBuild) {
  plan({"life/cpu/01_trivial ok 1e9 1000", "life/cpu/02_nibbles/width:64 survey 1e9 1000"});
  const ProcessResult result = reproduce();
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_HAS(result.output, "2 of 2 rows have figures");
}

TEST_F(Reproduce, KeepsTheFiguresOfAnotherMachineApart) {
  plan({"life/cpu/01_trivial ok 1.234e9 1000"});
  ASSERT_EQ(reproduce().exit_code, 0);
  const std::string before = read(here_ / "life_survey.json");
  plan({"life/cpu/01_trivial ok 1.234e9 1000", "life/cpu/02_tiled ok 1.234e9 1000"});
  setenv("RATCHET_FAKE_CPU", "Other CPU", 1);
  expect_error(reproduce(), 2, {"life_survey.json", "cpu.model", "--results"});
  EXPECT_EQ(read(here_ / "life_survey.json"), before);
}

/// A build that changed nothing that the rows execute goes on where the other ended.
TEST_F(Reproduce, KeepsTheFiguresOfAnotherBuildWhoseCodeIsTheSame) {
  const auto bench = folder() / "bench" / "worker.sh";
  write(bench, read(worker()));
  std::filesystem::permissions(bench, std::filesystem::perms::owner_all);
  const auto built = [&](const std::string& revision, const std::string& digest) {
    write(bench.parent_path() / "revision", revision);
    plan({"life/cpu/01_trivial ok 1e9 1000 0.001 same",
          "life/cpu/02_nibbles ok 1e9 1000 0.001 " + digest});
    return command("reproduce", {"--bench", bench, "--results", folder() / "results"});
  };
  EXPECT_EQ(built("r1", "old").exit_code, 0);
  const auto counters = folder() / "results/reproduce/metrics/here-counters/life.json";
  write(counters, "{}");
  const ProcessResult next = built("r2", "new");
  EXPECT_EQ(next.exit_code, 0) << next.errors;
  EXPECT_HAS(next.errors, "1 of 2 rows are of revision r1, whose code for them is another");
  const std::string launched = read(folder() / "plan.order");
  EXPECT_LACKS(launched, "01_trivial");
  EXPECT_HAS(launched, "02_nibbles");
  EXPECT_FALSE(std::filesystem::exists(counters)) << "of other code";
  EXPECT_EQ(built("r3", "new").errors, "");
  write(counters, "{}");
  EXPECT_HAS(built("r4", "").errors, "or not known; they are measured anew\n");
  EXPECT_TRUE(std::filesystem::exists(counters)) << "of no code that is known to be another";
  write(counters, "mine");
  setenv("RATCHET_FAKE_CPU", "Other CPU", 1);
  const ProcessResult elsewhere = built("r5", "new");
  unsetenv("RATCHET_FAKE_CPU");
  expect_error(elsewhere, 2, {"life_survey.json", "cpu.model", "--results"});
  plan({"life/cpu/01_trivial ok 1e9 1000 0.001 other"});
  write(bench.parent_path() / "revision", "r5");
  expect_error(command("reproduce", {"--bench", bench, "--results", folder() / "results"}), 2,
               {"life_survey.json", "revision r4", "of r5", "--results"});
  EXPECT_EQ(read(counters), "mine") << "what is refused removes nothing";
}

TEST_F(Reproduce, ARowThatFailsIsNamedAndTheOthersAreKept) {
  plan({"life/cpu/01_trivial failcheck 1e9 1000", "life/cpu/02_tiled ok 1e9 1000"});
  const ProcessResult result = reproduce();
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_HAS(result.output, "failed: life/cpu/01_trivial: check: counted 3 of 4");
  EXPECT_HAS(result.output, "1 of 2 rows have figures");
}

TEST_F(Reproduce, SaysWhatIsEmptyWhenInterrupted) {
  plan({"graveler/cpu/03_bit_and ok 1e9 1000"});
  const auto interrupted = folder() / "interrupted.sh";
  write(interrupted,
        "#!/bin/sh\ncase \"$*\" in *benchmark_out*) kill -INT $PPID; sleep 60;; esac\n"
        "exec sh " +
            worker() + " \"$@\"\n");
  std::filesystem::permissions(interrupted, std::filesystem::perms::owner_all);
  // A shell ignores the interrupt for what it starts in the background.
  signal(SIGINT, SIG_DFL);
  const ProcessResult result =
      ratchet({"reproduce", "graveler", "--baseline-dir", RATCHET_SOURCE_DIR "/baselines",
               "--bench", interrupted, "--results", folder() / "results"});
  EXPECT_EQ(result.exit_code, 130) << result.describe() << result.output;
  EXPECT_HAS(result.output, ": not measured yet");
  EXPECT_HAS(result.output, "interrupted: 3 launches are left");
}

/// By ci/lab, with the results' folder and what is left of the budget.
TEST_F(Reproduce, BuildsWithSettingsAreMadeInTheSources) {
  plan({"graveler/cpu/03_bit_and ok 1e9 1000"});
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(folder());
  const auto output = [&] {
    return ratchet({"reproduce", "graveler", "--baseline-dir", RATCHET_SOURCE_DIR "/baselines",
                    "--bench", worker(), "--results", "results"})
        .output;
  };
  const std::string title = "not here: Compilation settings, one at a time: ";
  EXPECT_HAS(output(), title + "call it in the sources");
  write(folder() / "ci/lab/__main__.py", "import sys\nsys.exit(' '.join(sys.argv[1:3]))\n");
  EXPECT_HAS(output(), "failed" + title.substr(8) +
                           "build-settings results/reproduce/here/graveler_build_settings.json");
  std::filesystem::current_path(before);
}

/// Points that no survey has, too: where the program has them. A cell of a sweep names its row by
/// settings alone.
TEST_F(Reproduce, MeasuresRowsThatOnlyATableNames) {
  const std::string swept = "life/opencl/04_work_per_item/width:65536/height:65536/rows:8";
  plan({"life/cpu/01_trivial ok 1e9 1000", "life/cpu/01_trivial/copy_back:1 set 1e9 1000",
        "life/opencl/04_work_per_item ok 1e9 1000", swept + " set 1e9 1000"});
  EXPECT_HAS(reproduce().output, "4 of 4 rows have figures");
  const std::string launched = read(folder() / "plan.order");
  EXPECT_HAS(launched, "copy_back:1");
  EXPECT_HAS(launched, swept);
}

TEST_F(Reproduce, AnUnknownFamilyIsNamedWithTheKnownOnes) {
  expect_error(ratchet({"reproduce", "lief", "--baseline-dir", RATCHET_SOURCE_DIR "/baselines"}), 2,
               {"lief", "graveler", "officers"});
  expect_error(ratchet({"reproduce", "life", "--baseline-dir", folder()}), 2, {"--baseline-dir"});
}

TEST_F(Reproduce, TablesTakeASurveyAsMeasured) {
  const ProcessResult shown = command(
      "tables", {"--measured", RATCHET_SOURCE_DIR "/baselines/nvidia-h200/life_survey.json"});
  EXPECT_EQ(shown.exit_code, 0) << shown.errors;
  EXPECT_HAS(shown.output, "| here |");
}

}  // namespace
}  // namespace ratchet
