// perf/support/terminal: colours where they are wanted, and a line of progress that leaves nothing.

#include "perf/support/terminal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "correctness/support/in_terminal.h"
#include "perf/support/printable.h"

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
  double now_s = 100;
  ProgressDisplay display([&] { return now_s; });
  const Phase phase("one");
  now_s += 2;
  display.beat();
  std::cerr << "a remark" << std::endl;
  now_s += 1;
  phase.now("two, which is a line that does not fit into forty columns");
  now_s += 1;
  phase.now("three");
  std::cout << "the table\n" << std::flush;
  now_s += 1;
  display.beat();
}

TEST(Terminal, OnlyTheLineOfProgressIsTakenAway) {
  const std::string text = in_terminal(&three_lines);
  EXPECT_EQ(screen_of(text), "a remark\nthe table\n");
  EXPECT_NE(text.find("\r\x1b[Kratchet: one (2 s)"), std::string::npos) << text;
  EXPECT_NE(text.find("\r\x1b[Kratchet: two, which is a line tha"), std::string::npos) << text;
  EXPECT_EQ(text.find("columns"), std::string::npos) << "a line that wraps cannot be taken away";
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << "nor does the last one stay";
}

TEST(Terminal, HiddenProgressShowsNothing) {
  EXPECT_EQ(in_terminal([] {
              double now_s = 100;
              ProgressDisplay display([&] { return now_s; });
              hide_progress();
              const Phase phase("one");
              now_s += 20;
              display.beat();
              phase.now("two");
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

/// What a log gets, by the clock of the test.
class InALog : public testing::Test {
 protected:
  std::string at(double second) {
    now_s_ = 100 + second;
    testing::internal::CaptureStderr();
    display_.beat();
    return testing::internal::GetCapturedStderr();
  }
  double now_s_ = 100;
  ProgressDisplay display_{[this] { return now_s_; }};
};

TEST_F(InALog, APhaseIsShownAfterTwoSecondsAndThenEveryTen) {
  const Phase outer("building");
  EXPECT_EQ(at(1.9), "");
  EXPECT_EQ(at(2), "ratchet: building (2 s)\n");
  EXPECT_EQ(at(11.9), "");
  EXPECT_EQ(at(12), "ratchet: building (12 s)\n");
  {
    const Phase inner("listing");
    EXPECT_EQ(at(13), "");
    EXPECT_EQ(at(14), "ratchet: listing (2 s)\n") << "each phase that takes long is named";
    inner.now("listing more");
    EXPECT_EQ(at(23.9), "") << "a step of it is none";
    EXPECT_EQ(at(24), "ratchet: listing more (10 s)\n");
  }
  EXPECT_EQ(at(33.9), "");
  EXPECT_EQ(at(34), "ratchet: building (34 s)\n") << "the outer one goes on";
}

TEST_F(InALog, AnEmptyPhaseBeginsWithItsFirstText) {
  const Phase phase;
  EXPECT_EQ(at(5), "");
  phase.now("launching a");
  EXPECT_EQ(at(6.9), "");
  EXPECT_EQ(at(7), "ratchet: launching a (2 s)\n");
}

TEST_F(InALog, WhatIsPrintedAnywayCountsAsProgress) {
  const Phase phase("measuring");
  now_s_ = 101.5;
  std::cout << "a line\n" << std::flush;
  EXPECT_EQ(at(3), "");
  EXPECT_EQ(at(3.5), "ratchet: measuring (4 s)\n");
  now_s_ = 104;
  std::cout << "half of a line" << std::flush;
  EXPECT_EQ(at(30), "") << "it would stand in the middle of that line";
  std::cout << "\n";
}

TEST_F(InALog, AForecastRunsDown) {
  const Phase phase;
  phase.now("a", {"3 rows are undecided", Forecast{130, 190}});
  EXPECT_EQ(at(10), "ratchet: 3 rows are undecided, 20 s to 1 min 20 s left: a (10 s)\n");
  EXPECT_EQ(at(20), "ratchet: 3 rows are undecided, 10 s to 1 min 10 s left: a (20 s)\n");
  EXPECT_EQ(at(30), "ratchet: 3 rows are undecided, at most 1 min 00 s left: a (30 s)\n")
      << "the least is over, and nothing but the bound is known";
  EXPECT_EQ(at(95), "ratchet: 3 rows are undecided, about to end: a (1 min 35 s)\n");
}

TEST(TimeLeft, IsARangeOrABound) {
  EXPECT_EQ(time_left(20, 180), "20 s to 3 min 00 s left");
  EXPECT_EQ(time_left(3, 180), "at most 3 min 00 s left");  // hardly anything is known
  EXPECT_EQ(time_left(180, 180), "at most 3 min 00 s left");
  EXPECT_EQ(time_left(200, 180), "at most 3 min 00 s left");
  EXPECT_EQ(time_left(-5, 7), "at most 7 s left");
  EXPECT_EQ(time_left(-5, 0.4), "about to end");
}

}  // namespace

}  // namespace ratchet
