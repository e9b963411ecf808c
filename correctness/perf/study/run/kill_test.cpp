// `ratchet run` as a process, on the programs of one family: killed at any moment, stopped, gone on
// with.
#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>
#include <vector>

#include "correctness/support/expect_has.h"
#include "correctness/support/programs.h"
#include "perf/study/run/run.h"
#include "perf/support/files.h"
#include "perf/support/process.h"

namespace ratchet::run {
namespace {

class RunningProgram : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return (scratch_.path() / name).string(); }
  ProcessResult ratchet(std::vector<std::string> arguments, double limit_s = 300) const {
    arguments.insert(arguments.begin(), {built_program("perf/ratchet"), "run", "bmn"});
    // Without a GPU, so that a slice takes as long here as there.
    return run_process(arguments, limit_s, {{"CUDA_VISIBLE_DEVICES", ""}});
  }
  static std::vector<std::string> records(const std::string& file) {
    std::vector<std::string> found;
    for (const Found& each : read_records(file).found) found.push_back(each.record);
    return found;
  }

 private:
  ScratchFolder scratch_;
};

TEST_F(RunningProgram, RefusesWhatCannotBeMeant) {
  const std::string records = file("refused");
  const auto said = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--records", records});
    const ProcessResult result = ratchet(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_FALSE(std::filesystem::exists(records));
    return result.errors;
  };
  EXPECT_HAS(said({"exhaust", "first=10", "end=10"}), "there is nothing between first=10 and end=10");
  EXPECT_HAS(said({"exhaust", "first=10", "end=5"}), "there is nothing between first=10 and end=5");
  EXPECT_HAS(said({"exhaust", "end=5", "end=6"}), "end is given twice");
  EXPECT_HAS(said({"exhaust", "end=5", "--for", "nan"}), "nan is not a finite number");
  EXPECT_HAS(said({"exhaust", "end=5", "--for", "inf"}), "--for");
  EXPECT_HAS(said({"exhaust", "end=5", "--for", "1", "--for", "2"}), "--for");
}

/// Killed again and again, until it gets to the end: the same records and the same number of deals
/// as in one go.
TEST_F(RunningProgram, SurvivesKillsAtAnyMoment) {
  // Around published deals that never end.
  const std::vector<std::string> range = {"exhaust", "first=105475684000000", "end=105475686000000",
                                          "slice=20000"};
  const auto with_file = [&](const std::string& name) {
    std::vector<std::string> arguments = range;
    arguments.insert(arguments.end(), {"--records", file(name)});
    return arguments;
  };
  const ProcessResult whole = ratchet(with_file("whole"));
  ASSERT_EQ(whole.exit_code, 0) << whole.errors;
  const std::vector<std::string> wanted = records(file("whole"));
  EXPECT_GE(wanted.size(), 3u);

  std::mt19937 draw(17);
  std::uniform_real_distribution<double> moment(0.02, 0.4 + whole.seconds / 3);
  int killed = 0;
  while (killed < 500) {
    const ProcessResult result = ratchet(with_file("killed"), moment(draw));
    if (!result.timed_out) {
      ASSERT_EQ(result.exit_code, 0) << result.errors;
      break;
    }
    ++killed;
  }
  EXPECT_GE(killed, 1);
  EXPECT_EQ(records(file("killed")), wanted);
  EXPECT_EQ(read_records(file("killed")).units, 2'000'000u);
  // Done is done.
  EXPECT_EQ(ratchet(with_file("killed")).exit_code, 0);
  EXPECT_EQ(read_records(file("killed")).units, 2'000'000u);
}

TEST_F(RunningProgram, StopsWhenAskedAndGoesOn) {
  const std::string command = built_program("perf/ratchet") +
                              " run bmn search seed=5 slice=20000 " + "--records " + file("search");
  for (const char* signal : {"INT", "TERM"}) {
    const ProcessResult result =
        run_process({"sh", "-c", command + " & sleep 1; kill -" + signal + " $!; wait $!"}, 100,
                    {{"CUDA_VISIBLE_DEVICES", ""}});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_HAS(result.output, "stopped after ");
  }
  const Kept kept = read_records(file("search"));
  EXPECT_EQ(kept.state.substr(0, kept.state.find(' ')),
            "next=" + std::to_string(kept.units / 20'000));
  const std::regex form("[-JQKA]{52}: [0-9]+ turns, [0-9]+ tricks \\[seed [0-9]+, deal [0-9]+\\]");
  for (const std::string& record : records(file("search")))
    EXPECT_TRUE(std::regex_match(record, form)) << record;
  EXPECT_GE(kept.found.size(), 1u);
  // The parameters are those of the file, and the log is that of the file.
  const ProcessResult more = ratchet({"search", "--records", file("search"), "--for", "0.1"});
  EXPECT_EQ(more.exit_code, 0) << more.errors;
  EXPECT_GT(read_records(file("search")).units, kept.units);
  const ProcessResult log = ratchet({"search", "--records", file("search"), "--log"});
  EXPECT_TRUE(log.output.starts_with("bmn/search method=0 seed=5 ")) << log.output;
  EXPECT_HAS(log.output, "sizeof(Deal) is ");
}

/// Hands begin with number cards, which are written like options.
TEST_F(RunningProgram, ADealMayBeginLikeAnOption) {
  for (const char* deal : {"-J/-K", "--J/-K", "---J/-K"}) {
    const ProcessResult result = ratchet({"replay", deal});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_HAS(result.output, "player ");
  }
}

TEST_F(RunningProgram, SaysWhatIsWrong) {
  const auto errors = [&](const std::vector<std::string>& arguments) {
    const ProcessResult result = ratchet(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(result.errors.starts_with("ratchet: ")) << result.errors;
    return result.errors;
  };
  EXPECT_HAS(errors({"dig"}), "it has exhaust, replay, search");
  EXPECT_HAS(errors({"search", "--sede"}), "'--sede' is not an option");
  EXPECT_HAS(errors({"replay"}), "bmn/replay takes one DEAL, and none is given");
  EXPECT_HAS(errors({"replay", "-J/-", "--log"}), "keeps no records");
  EXPECT_HAS(errors({"search", "sede=1"}), "sede");
  EXPECT_HAS(errors({"search", "sede"}), "name=value");
  EXPECT_HAS(errors({"search", "--for", "-1"}), "--for");
  ASSERT_EQ(ratchet({"search", "slice=1000", "--for", "0.01", "--records", file("a")}).exit_code,
            0);
  EXPECT_HAS(errors({"search", "seed=2", "--records", file("a")}), "was begun with seed=1");
  EXPECT_HAS(errors({"exhaust", "--records", file("a")}), "holds the records of bmn/search");
  EXPECT_HAS(errors({"search", "--log", "--records", file("b")}), "does not exist");
}

}  // namespace
}  // namespace ratchet::run
