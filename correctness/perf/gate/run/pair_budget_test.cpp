// Which rows the rest of a budget goes to.
#include "perf/gate/run/pair_budget.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ratchet::gate {
namespace {

const std::vector<stats::Analysis> analyses = {
    {5, 0, 0.03}, {12, 0.0002, 0.005}, {24, 0.0002, 0.005}, {48, 0.0002, 0.005}};

/// Pairs whose middle is `middle`, half of them on either side of it by `spread`.
OpenRow row(const std::string& name, double middle, double spread, double pair_s = 1) {
  OpenRow open{name, {}, 0.01, pair_s, 1};
  for (const double side : {-1.0, -0.5, 0.0, 0.5, 1.0})
    open.differences.push_back(middle + side * spread);
  return open;
}

TEST(PairBudget, TheQuietAreDecidedSoonAndTheWildNever) {
  EXPECT_EQ(likely_analysis(row("a", 0, 0.002), analyses), 1u);
  const auto later = likely_analysis(row("a", 0, 0.03), analyses);
  ASSERT_TRUE(later);
  EXPECT_GT(*later, 1u);
  EXPECT_FALSE(likely_analysis(row("a", 0, 0.2), analyses));
}

TEST(PairBudget, WhatLiesAtTheEdgeOfTheToleranceIsHopeless) {
  EXPECT_EQ(likely_analysis(row("a", -0.02, 0.001), analyses), 1u);  // slower
  EXPECT_EQ(likely_analysis(row("a", 0.02, 0.001), analyses), 1u);   // faster
  EXPECT_FALSE(likely_analysis(row("a", -0.0100, 0.002), analyses));
}

TEST(PairBudget, TwoPairsTellNothing) {
  OpenRow two = row("a", 0, 0.001);
  two.differences.resize(2);
  EXPECT_FALSE(likely_analysis(two, analyses));
  two.next_analysis = 0;
  EXPECT_EQ(worth_measuring({two}, analyses, 3.5), "a");  // three pairs to the first analysis
  EXPECT_EQ(worth_measuring({two}, analyses, 2.5), std::nullopt);
}

TEST(PairBudget, HopelessRowsDoNotEatWhatSettlesOthers) {
  const OpenRow wild = row("wild", 0, 0.2, 0.1), quiet = row("quiet", 0, 0.002),
                slow = row("slow", 0, 0.002, 20);
  // Seven pairs are missing to the next analysis: 0.7, 7 and 140 s.
  EXPECT_EQ(worth_measuring({wild, quiet, slow}, analyses, 1000), "quiet");
  EXPECT_EQ(worth_measuring({wild, slow}, analyses, 1000), "slow");
  EXPECT_EQ(worth_measuring({wild, slow}, analyses, 20), "wild");  // what is left, is left
  EXPECT_EQ(worth_measuring({wild, slow}, analyses, 0.5), std::nullopt);
  EXPECT_EQ(worth_measuring({}, analyses, 100), std::nullopt);
}

TEST(PairBudget, TheCheapestComesFirst) {
  const OpenRow a = row("a", 0, 0.002, 3), b = row("b", 0, 0.002, 1), c = row("c", 0, 0.002, 2);
  EXPECT_EQ(worth_measuring({a, b, c}, analyses, 25), "b");
  EXPECT_EQ(worth_measuring({a, c}, analyses, 25), "c");
  OpenRow few = row("few", 0, 0.002, 4);  // unknown, three pairs from its analysis
  few.differences.resize(2);
  few.next_analysis = 0;
  EXPECT_EQ(worth_measuring({few, c}, analyses, 25), "few");
}

}  // namespace
}  // namespace ratchet::gate
