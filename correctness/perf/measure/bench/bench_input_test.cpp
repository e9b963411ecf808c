// ratchet-bench --ratchet_input: a pattern file through the program, and every way it is refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "correctness/support/programs.h"
#include "kernels/contract/stage.h"
#include "perf/support/process.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class BenchInput : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  /// A CPU stage of the family that any machine can run.
  static std::string stage_of(const std::string& family) {
    for (const Stage* stage : registry())
      if (stage->info().family() == family && stage->info().backend == Backend::cpu &&
          stage->availability().ok)
        return stage->info().name;
    throw std::runtime_error("no CPU stage of " + family);
  }
  /// The first row of a short run of 40 x 20 cells, 3 steps, and the exit code.
  static json row_of(const std::string& stage, const fs::path& input, int expected_exit) {
    std::vector<std::string> command = {built_program("perf/ratchet-bench"),
                                        "--benchmark_filter=^" + stage + "/",
                                        "--ratchet_input=" + input.string(),
                                        "--ratchet_budget_s=0.01",
                                        "--ratchet_skip_check",
                                        "--benchmark_format=json"};
    if (stage.starts_with("life/"))
      for (const char* set : {"width=40", "height=20", "steps=3"})
        command.push_back(std::string("--ratchet_set=") + set);
    const ProcessResult result = run_process(command, 120);
    EXPECT_EQ(result.exit_code, expected_exit) << result.describe();
    const json rows = json::parse(result.output).at("benchmarks");
    return rows.empty() ? json() : rows.at(0);
  }
  /// The one line that the row is refused with.
  static std::string refusal(const std::string& stage, const fs::path& input) {
    const json row = row_of(stage, input, 2);
    EXPECT_EQ(row.value("error_occurred", false), true) << row;
    const std::string message = row.value("error_message", "");
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("bench_input_" + std::to_string(getpid()));
};

TEST_F(BenchInput, RunsAPatternUnderARowOfItsOwn) {
  const std::string stage = stage_of("life");
  for (const auto& [name, text] :
       {std::pair{"glider.rle", "#N Glider\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n"},
        std::pair{"glider.cells", "!Name: Glider\n.O.\n..O\nOOO\n"}}) {
    const json row = row_of(stage, file(name, text), 0);
    EXPECT_EQ(row.at("name"), stage + "/width:40/height:20/steps:3/input:" + name);
    EXPECT_EQ(row.at("units"), 40 * 20 * 3);
    EXPECT_GT(row.at("units_per_second"), 0);
  }
}

TEST_F(BenchInput, RefusesMalformedFilesByLineAndColumn) {
  const std::string stage = stage_of("life");
  const fs::path bad = file("bad.rle", "x = 3, y = 3\nbo$2bq$3o!\n");
  EXPECT_TRUE(refusal(stage, bad).starts_with(bad.string() + ":2:6: 'q' in the pattern"));
  const fs::path rule = file("rule.rle", "x = 3, y = 3, rule = B36/S23\nbo$2bo$3o!\n");
  EXPECT_TRUE(refusal(stage, rule).starts_with(rule.string() + ":1:22: a rule other than B3/S23"));
}

TEST_F(BenchInput, RefusesWhatIsNotThereOrDoesNotFit) {
  const std::string stage = stage_of("life");
  EXPECT_EQ(refusal(stage, folder_ / "none.rle"),
            (folder_ / "none.rle").string() + ": there is no such file");
  EXPECT_NE(refusal(stage, folder_).find("is not a regular file"), std::string::npos);
  const std::string large = refusal(stage, file("wide.rle", "x = 41, y = 1\n41o!\n"));
  EXPECT_NE(large.find("41 x 1 cells"), std::string::npos) << large;
  EXPECT_NE(large.find("set a larger width and height"), std::string::npos) << large;
}

TEST_F(BenchInput, StagesThatReadNoInputRefuseIt) {
  const fs::path glider = file("glider.rle", "x = 3, y = 3\nbo$2bo$3o!\n");
  const std::string stage = stage_of("graveler");
  const std::string message = refusal(stage, glider);
  EXPECT_TRUE(message.starts_with(stage + " reads no input file")) << message;
  EXPECT_NE(message.find(glider.string()), std::string::npos) << message;
}

}  // namespace
}  // namespace ratchet
