// A gate run as people see it: in colour with a line that renews itself before a terminal, plain
// elsewhere, short where it is to be quiet.
#include <gtest/gtest.h>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/in_terminal.h"

namespace ratchet {
namespace {

#define EXPECT_LACKS(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

class GateTerminal : public GateFixture {
 protected:
  void SetUp() override {
    GateFixture::SetUp();
    for (const char* name : {"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"}) unsetenv(name);
    store({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 1e6 1000"});
    plan({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 0.3e6 1000"});
  }
  std::vector<std::string> command(const std::vector<std::string>& more) {
    std::vector<std::string> words = {built_program("perf/ratchet"),
                                      "gate",
                                      "--bench",
                                      worker(),
                                      "--baseline-dir",
                                      baselines(),
                                      "--results",
                                      folder() / "results"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string before_terminal(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = command(more);
    return in_terminal([&] {
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execv(arguments[0], arguments.data());
    });
  }
};

TEST_F(GateTerminal, BeforeATerminalVerdictsAreColouredAndProgressIsGone) {
  const std::string text = before_terminal();
  EXPECT_HAS(text, "\x1b[1;31mslower\x1b[0m");
  EXPECT_HAS(text, "\x1b[1;32msame\x1b[0m");
  EXPECT_HAS(text, "\x1b[1;31mREGRESSION\x1b[0m (exit 1)");
  EXPECT_HAS(text, "\r\x1b[Kratchet: checking demo/cpu/01_a");
  const std::string screen = screen_of(text);
  EXPECT_LACKS(screen, "checking");
  EXPECT_LACKS(screen, "launches of");
  EXPECT_HAS(screen, "timing them now") << "a remark stays";
  setenv("NO_COLOR", "1", 1);
  const std::string plain = before_terminal();
  unsetenv("NO_COLOR");
  EXPECT_LACKS(plain, "\x1b[1;");
  EXPECT_HAS(plain, "\r\x1b[Kratchet: checking");
}

TEST_F(GateTerminal, BeforeATerminalAcceptMayAsk) {
  std::filesystem::remove_all(baselines());
  std::filesystem::create_directory(baselines());
  const std::string screen = screen_of(before_terminal({"--budget-s", "2"}));
  EXPECT_HAS(screen, " accept --from ");
  EXPECT_LACKS(screen, "--yes");
  EXPECT_HAS(run_process(command({"--budget-s", "2"}), 60).output, " --yes --reason ");
}

TEST_F(GateTerminal, ElsewhereLinesArePlain) {
  const ProcessResult run = run_process(command({}), 60);
  EXPECT_EQ(run.exit_code, 1) << run.errors;
  EXPECT_LACKS(run.output + run.errors, "\x1b");
  EXPECT_LACKS(run.output + run.errors, "\r");
  EXPECT_HAS(run.errors, "timing them now");
  const ProcessResult forced = run_process(command({}), 60, {{"FORCE_COLOR", "1"}});
  EXPECT_HAS(forced.output, "\x1b[1;31mslower");
  EXPECT_LACKS(forced.errors, "\r");
}

TEST_F(GateTerminal, QuietSaysWhatIsNotTheSameAndTheVerdict) {
  const ProcessResult run = run_process(command({"--quiet"}), 60);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.errors, "");
  EXPECT_HAS(run.output, "demo/cpu/02_b");
  EXPECT_LACKS(run.output, "demo/cpu/01_a");
  EXPECT_HAS(run.output, "results in");  // of what did not pass
  EXPECT_LACKS(run.output, "report: ");
  EXPECT_TRUE(run.output.ends_with("REGRESSION (exit 1): 1 slower, 1 same\n")) << run.output;
  plan({"demo/cpu/01_a ok 1e6 1000", "demo/cpu/02_b ok 1e6 1000"});
  EXPECT_EQ(run_process(command({"-q"}), 60).output, "PASS (exit 0): 2 same\n");
  EXPECT_EQ(screen_of(before_terminal({"-q"})).substr(0, 10), "\x1b[1;32mPAS");
}

}  // namespace
}  // namespace ratchet
