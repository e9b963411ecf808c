// `ratchet explain` where it cannot explain: one line each, exit code 2.
#include <gtest/gtest.h>

#include <algorithm>

#include "correctness/support/programs.h"

namespace ratchet {
namespace {

void expect_refused(const std::vector<std::string>& arguments, const std::string& why) {
  std::vector<std::string> command = {built_program("perf/ratchet"), "explain"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const ProcessResult result = run_process(command, 60);
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_NE(result.errors.find(why), std::string::npos) << result.errors;
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
}

TEST(ExplainCommand, S09RefusesWhatItCannotExplain) {
  expect_refused({"graveler/cpu/99_none"}, "'graveler/cpu/99_none' selects no row of this build");
  expect_refused({"graveler/cpu"}, " rows of this build, not one; `ratchet list` shows the stages");
  expect_refused({"graveler/cpu/01_naive_chacha12", "--base", "no-such-revision"},
                 "has no revision \"no-such-revision\"");
  expect_refused({"graveler/cpu/01_naive_chacha12", "--bench", "/nonexistent"},
                 "there is no benchmark program /nonexistent");
  expect_refused({}, "ROW is required");
}

}  // namespace
}  // namespace ratchet
