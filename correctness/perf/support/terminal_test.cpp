// perf/support/terminal: colours where they are wanted, and a line of progress that leaves nothing.
#include "perf/support/terminal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "correctness/support/in_terminal.h"

namespace ratchet {
namespace {

TEST(Terminal, ColoursAreAskedForAndRefused) {
  struct Case {
    std::map<std::string, std::string> environment;
    bool in_terminal, elsewhere;
  };
  const std::vector<Case> cases = {{{}, true, false},
                                   {{{"NO_COLOR", "1"}}, false, false},
                                   {{{"NO_COLOR", ""}}, true, false},
                                   {{{"FORCE_COLOR", "1"}}, true, true},
                                   {{{"CLICOLOR_FORCE", "1"}}, true, true},
                                   {{{"CLICOLOR_FORCE", "0"}}, true, false},
                                   {{{"NO_COLOR", "1"}, {"FORCE_COLOR", "1"}}, false, false},
                                   {{{"TERM", "dumb"}}, false, false}};
  for (const Case& wanted : cases) {
    const auto ask = [&] {
      for (const char* name : {"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"}) unsetenv(name);
      for (const auto& [name, value] : wanted.environment) setenv(name.c_str(), value.c_str(), 1);
      std::cout << (wants_colour(STDOUT_FILENO) ? "yes" : "no");
    };
    EXPECT_EQ(in_terminal(ask), wanted.in_terminal ? "yes" : "no");
    testing::internal::CaptureStdout();
    ask();
    EXPECT_EQ(testing::internal::GetCapturedStdout(), wanted.elsewhere ? "yes" : "no");
    for (const auto& [name, value] : wanted.environment) unsetenv(name.c_str());
  }
}

void three_lines() {
  LiveLine live;
  const auto show = live.show();
  if (!show) std::cout << "none\n";
  if (show) show("one");
  live.err() << "a remark" << std::endl;
  if (show) show("two, which is a line that does not fit into forty columns");
  if (show) show("three");
  live.out() << "the table\n" << std::flush;
  if (show) show("four");
}

TEST(Terminal, OnlyTheLiveLineIsTakenAway) {
  const std::string text = in_terminal(&three_lines);
  EXPECT_EQ(screen_of(text), "a remark\nthe table\n");
  EXPECT_NE(text.find("\r\x1b[Ktwo, which is a line that does not f"), std::string::npos) << text;
  EXPECT_EQ(text.find("columns"), std::string::npos) << "a line that wraps cannot be taken away";
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << "nor does the last one stay";
}

TEST(Terminal, ElsewhereThereIsNoLiveLine) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  three_lines();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "none\nthe table\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "a remark\n");
}

TEST(Terminal, QuietShowsNothing) {
  EXPECT_EQ(in_terminal([] {
              LiveLine live;
              if (live.show(true)) std::cout << "shown";
            }),
            "");
}

}  // namespace
}  // namespace ratchet
