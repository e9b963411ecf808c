// The order in which revisions are looked at, without any revision.
#include "perf/gate/bisect/search.h"

#include <gtest/gtest.h>

#include <set>

namespace ratchet::bisect {
namespace {

struct Found {
  std::size_t last_good, first_bad, looked_at;
};

/// Searches where `culprit` is the first bad one of 0 to `last`, and some cannot be judged.
Found search_among(std::size_t last, std::size_t culprit,
                   const std::set<std::size_t>& broken = {}) {
  Search search(last);
  std::size_t looked_at = 0;
  while (const auto next = search.next()) {
    ++looked_at;
    EXPECT_GT(*next, search.last_good());
    EXPECT_LT(*next, search.first_bad());
    if (broken.contains(*next)) {
      search.skip(*next);
    } else {
      search.mark(*next, *next < culprit);
    }
    if (looked_at > last) break;
  }
  return {search.last_good(), search.first_bad(), looked_at};
}

TEST(BisectSearch, FindsEveryCulpritInLogarithmicallyManySteps) {
  for (const std::size_t last : {1u, 2u, 3u, 7u, 8u, 9u, 64u, 100u})
    for (std::size_t culprit = 1; culprit <= last; ++culprit) {
      const Found found = search_among(last, culprit);
      EXPECT_EQ(found.first_bad, culprit);
      EXPECT_EQ(found.last_good, culprit - 1);
      EXPECT_LE(found.looked_at, Search::most_steps(last)) << last;
    }
  EXPECT_EQ(Search::most_steps(1), 0u);
  EXPECT_EQ(Search::most_steps(64), 6u);
  EXPECT_EQ(Search::most_steps(65), 7u);
  EXPECT_TRUE(Search(1).found());
  EXPECT_THROW(Search(0), std::invalid_argument);
}

TEST(BisectSearch, S06WhatCannotBeJudgedLeavesARangeAtMost) {
  const std::set<std::size_t> broken = {29, 30, 31, 32, 33, 34, 35, 50};
  for (std::size_t culprit = 1; culprit <= 64; ++culprit) {
    const Found found = search_among(64, culprit, broken);
    EXPECT_GE(found.first_bad, culprit);
    EXPECT_LT(found.last_good, culprit);
    for (std::size_t i = found.last_good + 1; i < found.first_bad; ++i)
      EXPECT_TRUE(broken.contains(i)) << "the range has " << i << ", which could be judged";
    const bool behind_broken = broken.contains(culprit) || broken.contains(culprit - 1);
    EXPECT_EQ(found.first_bad == found.last_good + 1, !behind_broken) << culprit;
  }
}

TEST(BisectSearch, S06AStretchThatDoesNotBuildIsLeftSoon) {
  std::set<std::size_t> broken;
  for (std::size_t i = 400; i < 600; ++i) broken.insert(i);
  // One after another from the middle out it would be a hundred builds.
  EXPECT_LE(search_among(1000, 900, broken).looked_at, 13u);
  EXPECT_LE(search_among(1000, 100, broken).looked_at, 13u);
}

}  // namespace
}  // namespace ratchet::bisect
