// perf/support/terminal: colours where they are wanted, and a line of progress that leaves nothing.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "correctness/support/in_terminal.h"
#include "perf/support/printable.h"
#include "perf/support/terminal.h"

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

// Text of other programs made fit for people: perf/support/printable.h.

namespace {

const std::string bad = "\xef\xbf\xbd";  // U+FFFD

TEST(Printable, KeepsTextAndReplacesWhatIsNone) {
  EXPECT_EQ(printable("graveler/cpu/01_a"), "graveler/cpu/01_a");
  EXPECT_EQ(printable("dém😀 一"), "dém😀 一");
  EXPECT_EQ(printable("one\ntwo\r\nthree\t4"), "one two  three 4");
  EXPECT_EQ(printable("\x1b[31mred"), bad + "[31mred");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a" + bad + "b");
  EXPECT_EQ(printable("\xc2\x9b"), bad);      // a control character of ISO 6429
  EXPECT_EQ(printable("\xe2\x80\xae"), bad);  // from right to left
  EXPECT_EQ(printable("\xef\xbf\xbe"), bad);  // U+FFFE
  EXPECT_EQ(printable("\xff\xfe"), bad + bad);
  EXPECT_EQ(printable("\xc0\x80"), bad + bad);                      // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), bad + bad + bad);            // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), bad + bad + bad + bad);  // beyond U+10FFFF
  EXPECT_EQ(printable("\xe4\xb8"), bad + bad);                      // cut short
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, EveryTwoBytesGiveUtf8AndStayThemselves) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second), 'x'};
      const std::string once = printable(text);
      EXPECT_NO_THROW(nlohmann::json(once).dump()) << first << " " << second;
      EXPECT_EQ(printable(once), once);
    }
  }
}

TEST(Printable, CutsByCharacters) {
  EXPECT_EQ(printable("ééééé", 3), "ééé...");
  EXPECT_EQ(printable("éé", 2), "éé");
  EXPECT_EQ(characters("é一x"), 3u);
}

TEST(Terminal, StepsAreShownWhenTheyTakeLong) {
  double now_s = 100;
  const auto shown_at = [&](SlowSteps& steps, double second, const std::string& line) {
    now_s = 100 + second;
    testing::internal::CaptureStderr();
    steps.show(line);
    return testing::internal::GetCapturedStderr();
  };
  SlowSteps steps([&] { return now_s; });
  EXPECT_EQ(shown_at(steps, 1.9, "a"), "");
  EXPECT_EQ(shown_at(steps, 2.1, "b"), "ratchet: b\n");
  EXPECT_EQ(shown_at(steps, 12, "c"), "");
  EXPECT_EQ(shown_at(steps, 12.2, "d"), "ratchet: d\n");
  const std::string in_place = in_terminal([] {
    double clock_s = 0;
    SlowSteps live([&] { return clock_s; });
    for (const char* line : {"a", "b", "c"}) {
      live.show(line);
      clock_s += 2;
    }
  });
  EXPECT_EQ(in_place, "\r\x1b[Kratchet: b\r\x1b[Kratchet: c\r\x1b[K");
}

}  // namespace

}  // namespace ratchet
