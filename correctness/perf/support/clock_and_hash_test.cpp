// What files keep: hashes, which never change, and points in time.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "perf/support/clock.h"
#include "perf/support/hash.h"

namespace ratchet {
namespace {

TEST(RandomWord, HasEveryBitInBothStates) {
  // Of 64 words a bit is alike in all with a probability of 2^-63.
  std::uint32_t ones = 0, zeros = 0;
  for (int i = 0; i < 64; ++i) {
    const std::uint32_t word = random_word();
    ones |= word;
    zeros |= ~word;
  }
  EXPECT_EQ(ones & zeros, 0xffffffffu);
}

TEST(Hash, IsThatOfTheStandard) {
  // FIPS 180-4, example "abc".
  EXPECT_EQ(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  // Fowler, Noll, Vo: test vectors of FNV-1a, 64 bit.
  EXPECT_EQ(fnv1a(""), "cbf29ce484222325");
  EXPECT_EQ(fnv1a("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(fnv1a("foobar"), "85944171f73967e8");
}

TEST(Hash, TheQuickOneSeesEveryByteAndTheLength) {
  const std::string text = "seventeen letters";
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = static_cast<char>(other[i] ^ 0x80);
    EXPECT_NE(quick_hash(other), quick_hash(text)) << i;
  }
  EXPECT_NE(quick_hash(std::string("a\0", 2)), quick_hash("a"));
  EXPECT_NE(quick_hash("a", quick_hash("b")), quick_hash("b", quick_hash("a")));
}

TEST(Clock, IsUtcToTheMillisecond) {
  const std::vector<std::pair<std::string, std::string>> times = {
      {"2026-01-31", "2026-01-31T00:00:00.000Z"},
      {"2026-01-31T12:34:56Z", "2026-01-31T12:34:56.000Z"},
      {"2026-01-31T00:30:00+01:00", "2026-01-30T23:30:00.000Z"},
      {"2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00.000Z"},
      {"2026-01-31 12:34:56.5", "2026-01-31T12:34:56.500Z"},
      {"2024-02-29T12:34:56.123456789Z", "2024-02-29T12:34:56.123Z"}};
  for (const auto& [text, expected] : times) EXPECT_EQ(utc_time(text), expected) << text;
  for (const char* text : {"", "yesterday", "2026-02-29", "2026-13-01", "2026-01-31T25:00:00Z",
                           "2026-01-31T12:34:56Zulu"})
    EXPECT_FALSE(utc_time(text)) << text;
  const std::string now = utc_now();
  EXPECT_EQ(utc_time(now), now);
}

TEST(Clock, NeverGoesBack) {
  double last = seconds_now();
  for (int i = 0; i < 1000; ++i) {
    const double now = seconds_now();
    EXPECT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace ratchet
