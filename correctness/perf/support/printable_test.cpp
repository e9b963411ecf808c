// Text of other programs made fit for people: perf/support/printable.h.
#include "perf/support/printable.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ratchet {
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

}  // namespace
}  // namespace ratchet
