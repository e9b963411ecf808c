// Every seed of the fuzzer's corpus through the pattern reader, without libFuzzer, and random
// damage to each. The properties are those of correctness/life/tests/fuzz/pattern_properties.h.
#include <gtest/gtest.h>

#include <random>

#include "correctness/life/tests/fuzz/pattern_properties.h"
#include "correctness/support/seeds.h"

namespace ratchet::fuzz {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  for (const correctness::Seed& seed : correctness::seeds("life/tests/fuzz/pattern.seeds"))
    texts.push_back(seed.bytes);
  return texts;
}

TEST(PatternCorpus, EveryInputIsReadOrRefusedWithItsPlace) {
  int read = 0, refused = 0;
  for (const std::string& text : corpus()) {
    SCOPED_TRACE(text.substr(0, 80));
    EXPECT_NO_THROW(++(check_pattern_input(text) ? read : refused));
  }
  // A corpus that no longer gets anywhere would test nothing.
  EXPECT_GE(read, 5);
  EXPECT_GE(refused, 5);
}

/// A few bytes put in, taken out or replaced, from what the formats are made of.
std::string damaged(std::string text, std::mt19937& random) {
  const std::string alphabet = "bo$!.O*#x=y,rule0123456789BS/: \t\r\n\xFF";
  for (auto changes = 1 + random() % 4; changes > 0; --changes) {
    const std::size_t place = random() % (text.size() + 1);
    const char with = alphabet[random() % alphabet.size()];
    switch (random() % 3) {
      case 0:
        text.insert(place, 1, with);
        break;
      case 1:
        text.erase(place, 1 + random() % 3);
        break;
      default:
        if (place < text.size()) text[place] = with;
    }
  }
  return text;
}

TEST(PatternCorpus, DamagedInputsAreReadOrRefusedToo) {
  std::mt19937 random(1);
  int read = 0, refused = 0;
  for (const std::string& text : corpus())
    for (int i = 0; i < 300 && text.size() < 2000; ++i) {
      const std::string bad = damaged(text, random);
      SCOPED_TRACE(bad);
      ASSERT_NO_THROW(++(check_pattern_input(bad) ? read : refused));
    }
  EXPECT_GE(read, 100);
  EXPECT_GE(refused, 1000);
}

}  // namespace
}  // namespace ratchet::fuzz
