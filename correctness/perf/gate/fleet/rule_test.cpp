// The sentences of perf/gate/README.md that speak of a fleet, on nodes made up for them.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "perf/gate/fleet/fleet_rule.h"

namespace ratchet::gate {
namespace {

const char* const demo = "demo/cpu/01_a";

NodeRow ran_at(double ratio, bool paired = true, double half_width = 0.005) {
  NodeRow row;
  row.ratio = ratio;
  row.interval = stats::Bounds{ratio * (1 - half_width), ratio * (1 + half_width), 0};
  row.tolerance = 0.01;
  row.verdict = row.interval->high < 0.99  ? Verdict::slower
                : row.interval->low > 1.01 ? Verdict::faster
                                           : Verdict::same;
  row.throughput = 1e6 * ratio;
  row.launches = row.baseline_launches = 12;
  row.paired = paired;
  row.work = "d1";
  return row;
}

NodeRow identical(double ratio = 1) {
  NodeRow row = ran_at(ratio, false);
  row.identical_work = true;
  row.verdict = Verdict::same;
  return row;
}

std::string name_of(std::size_t i) { return "node" + std::to_string(i + 1); }

/// A node for each figure of the row.
std::vector<FleetNode> fleet(const std::vector<NodeRow>& rows, const char* name = demo) {
  std::vector<FleetNode> nodes(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    nodes[i].name = name_of(i);
    nodes[i].began = name_of(i);
    nodes[i].rows[name] = rows[i];
  }
  return nodes;
}
std::vector<FleetNode> fleet_at(const std::vector<double>& ratios, bool paired = true) {
  std::vector<NodeRow> rows;
  for (const double ratio : ratios) rows.push_back(ran_at(ratio, paired));
  return fleet(rows);
}

RowReport judged(const std::vector<FleetNode>& nodes, std::size_t asked = 0) {
  return judge_fleet(nodes, std::max(asked, nodes.size()), {}).reports.at(0);
}

TEST(FleetRule, FiguresKeepTheirUnit) {
  NodeRow row = ran_at(1);
  row.basis = "bytes_per_second";
  EXPECT_EQ(judged(fleet({row, row, row})).basis, row.basis);
}

TEST(FleetRule, FiguresAreThoseOfBothSidesByOneClock) {
  std::vector<NodeRow> rows;
  for (const double before : {1e6, 1.2e6, 2e6}) {
    NodeRow& row = rows.emplace_back(ran_at(0.5));
    row.before = before;
    row.call_s = 2e-3;
    row.call_before_s = 1e-3;
    row.clock = Clock::cpu;
  }
  const RowReport report = judged(fleet(rows));
  EXPECT_EQ(report.before.throughput, 1.2e6);  // the median
  EXPECT_EQ(report.now.throughput, 0.5e6);
  EXPECT_EQ(report.now.call_s, 2e-3);
  EXPECT_EQ(report.before.call_s, 1e-3);
  EXPECT_EQ(report.clock, Clock::cpu);
}

TEST(FleetRule, S38ANodeThatJudgedOtherwiseIsNamedAndHidesNothing) {
  std::vector<FleetNode> nodes = fleet_at({0.9, 0.9, 0.9, 0.9, 1.3});
  for (FleetNode& node : nodes) node.rows[demo].clock = Clock::cpu;
  nodes[4].rows[demo].clock = Clock::wall;
  const FleetVerdict by_clock = judge_fleet(nodes, 5, {});
  EXPECT_EQ(by_clock.reports[0].verdict, Verdict::slower);
  EXPECT_EQ(by_clock.reports[0].clock, Clock::cpu);
  EXPECT_EQ(by_clock.notes,
            std::vector<std::string>{"node node5 judged demo/cpu/01_a by wall time, others by "
                                     "cpu time: not counted there"});
  nodes = fleet_at({0.9, 0.9, 0.9, 0.9, 0.9});
  nodes[1].rows[demo].tolerance = 0.2;
  const FleetVerdict wide = judge_fleet(nodes, 5, {});
  EXPECT_EQ(wide.reports[0].verdict, Verdict::slower);
  EXPECT_EQ(wide.reports[0].tolerance, 0.01);
  EXPECT_EQ(wide.notes,
            std::vector<std::string>{"node node2 judged demo/cpu/01_a with a tolerance of 20 %, "
                                     "others 1 %, which counts"});
}

TEST(FleetRule, S34EachNodeCountsOnce) {
  std::vector<FleetNode> nodes = fleet_at({0.995, 1, 1.004, 1.001, 0.998});
  const RowReport before = judged(nodes);
  nodes[0].rows[demo].launches = 100000;
  nodes[0].rows[demo].interval = stats::Bounds{0.995, 0.995, 0};  // it knows itself very well
  const RowReport after = judged(nodes);
  EXPECT_EQ(before.decision->ratio, after.decision->ratio);
  EXPECT_EQ(before.decision->simultaneous->low, after.decision->simultaneous->low);
  EXPECT_EQ(after.launches, 100000u + 4 * 12);
}

TEST(FleetRule, S35ThreeNodesSayWhatIsLargeByStudent) {
  const RowReport slower = judged(fleet_at({0.70, 0.71, 0.72}));
  EXPECT_EQ(slower.verdict, Verdict::slower);
  const auto by_hand = stats::of_nodes({std::log(0.70), std::log(0.71), std::log(0.72)},
                                       stats::Reference::own, 0.01);
  EXPECT_EQ(slower.decision->simultaneous->high, by_hand.bounds->high);
  EXPECT_EQ(judged(fleet_at({1.40, 1.41, 1.42})).verdict, Verdict::faster);
  EXPECT_EQ(judged(fleet_at({0.999, 1, 1.001})).verdict, Verdict::same);
  EXPECT_EQ(judged(fleet_at({0.93, 0.96, 1.01})).verdict, Verdict::undecided);
}

TEST(FleetRule, S35SevenNodesOfARowSpeakByTheirRanks) {
  // 2^-7 is the first below 1 %: all seven below the tolerance, however they scatter.
  EXPECT_EQ(judged(fleet_at({0.1, 0.5, 0.7, 0.9, 0.95, 0.97, 0.98})).verdict, Verdict::slower);
  EXPECT_EQ(judged(fleet_at({0.1, 0.5, 0.7, 0.9, 0.95, 0.97, 1.0})).verdict, Verdict::undecided);
}

TEST(FleetRule, S35TheErrorIsSharedOverTheRowsCompared) {
  std::vector<FleetNode> nodes = fleet_at({0.95, 0.955, 0.96});
  const double alone = judged(nodes).decision->simultaneous->error;
  for (FleetNode& node : nodes) {
    for (int i = 0; i < 9; ++i) node.rows["other/cpu/0" + std::to_string(i)] = ran_at(1);
    node.rows["other/cpu/10_identical"] = identical();
    node.rows["other/cpu/11_gone"] = NodeRow();
    node.rows["other/cpu/11_gone"].verdict = Verdict::unavailable;
  }
  for (const RowReport& report : judge_fleet(nodes, 3, {}).reports) {
    if (report.name == demo) {
      EXPECT_NEAR(report.decision->simultaneous->error, alone / 10, 1e-15);
    }
  }
}

TEST(FleetRule, S35UnchangedNodesAreCalledSlowerInOneRunOfAHundredAtMost) {
  std::mt19937_64 generator(21);
  std::normal_distribution<double> normal;
  constexpr int runs = 3000;
  for (const bool paired : {true, false}) {
    int slower = 0, same = 0;
    for (int run = 0; run < runs; ++run) {
      std::vector<double> ratios(6);
      // A stored side is of a node like the others, and all are held against it.
      const double stored = paired ? 0 : 0.03 * normal(generator);
      for (double& ratio : ratios) ratio = std::exp(0.03 * normal(generator) - stored);
      const Verdict verdict = judged(fleet_at(ratios, paired)).verdict;
      slower += verdict == Verdict::slower;
      same += verdict == Verdict::same;
    }
    EXPECT_LE(slower, 58) << paired;  // 30 at most, and five standard deviations
    EXPECT_LE(same, runs / 10) << paired;
  }
}

TEST(FleetRule, S36AStoredSideIsOneNodeMore) {
  const std::vector<double> ratios = {0.90, 0.905, 0.91, 0.915};
  EXPECT_EQ(judged(fleet_at(ratios)).verdict, Verdict::slower);
  const RowReport stored = judged(fleet_at(ratios, false));
  EXPECT_LT(judged(fleet_at(ratios)).decision->simultaneous->high,
            stored.decision->simultaneous->high);
}

TEST(FleetRule, S36AgainstStoredFiguresMostNodesMustSayItThemselves) {
  std::vector<FleetNode> nodes = fleet_at({0.70, 0.705, 0.71, 0.70, 0.71}, false);
  ASSERT_EQ(judged(nodes).verdict, Verdict::slower);
  for (int i = 0; i < 2; ++i) nodes[i].rows[demo].verdict = Verdict::undecided;
  EXPECT_EQ(judged(nodes).verdict, Verdict::slower);
  nodes[2].rows[demo].verdict = Verdict::undecided;
  EXPECT_EQ(judged(nodes).verdict, Verdict::undecided);
  EXPECT_NE(to_string(judged(nodes).reason).find("only 2 of 5 nodes"), std::string::npos)
      << to_string(judged(nodes).reason);
}

TEST(FleetRule, S37IdenticalWorkIsTheSameHoweverFewSayIt) {
  EXPECT_EQ(judged(fleet({identical(0.5)}), 7).verdict, Verdict::same);
  EXPECT_TRUE(judged(fleet({identical(), identical(0.4)})).identical_work);
  // Unless a node measured something else.
  EXPECT_EQ(judged(fleet({identical(), ran_at(0.5)})).verdict, Verdict::undecided);
}

TEST(FleetRule, S38ANodeThatDiffersIsNamedAndNoRegression) {
  for (const bool paired : {true, false}) {
    const auto verdict = judge_fleet(fleet_at({1, 0.5, 1.001}, paired), 3, {});
    EXPECT_EQ(verdict.reports[0].verdict, Verdict::undecided);
    ASSERT_EQ(verdict.odd.size(), 1u);
    const OddNode& odd = verdict.odd.at("node2").at(0);
    EXPECT_EQ(odd.row, demo);
    EXPECT_EQ(odd.ratio, 0.5);
    EXPECT_TRUE(odd.slower);
  }
  // Many nodes are the same beside it.
  std::vector<double> ratios(20, 1.0);
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] += 1e-4 * static_cast<double>(i);
  ratios[7] = 0.5;
  const auto many = judge_fleet(fleet_at(ratios), 20, {});
  EXPECT_EQ(many.reports[0].verdict, Verdict::same);
  EXPECT_EQ(many.odd.count("node8"), 1u);
  EXPECT_EQ(many.odd.size(), 1u);
}

TEST(FleetRule, S38NodesThatLieWithinTheToleranceAreNotNamed) {
  EXPECT_TRUE(judge_fleet(fleet_at({1, 0.995, 1.004}), 3, {}).odd.empty());
  // Nor one that does not know itself well enough.
  EXPECT_TRUE(
      judge_fleet(fleet({ran_at(1), ran_at(0.9, true, 0.2), ran_at(1)}), 3, {}).odd.empty());
}

/// Nodes of nine rows of identical work, of which node2 runs `at_it` at this speed.
std::vector<FleetNode> nine_rows(double ratio, std::size_t at_it) {
  std::vector<FleetNode> nodes = fleet({identical(), identical(), identical()});
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    nodes[node].rows.clear();
    for (std::size_t i = 0; i < 9; ++i)
      nodes[node].rows["demo/cpu/0" + std::to_string(i + 1)] =
          identical((node == 1 && i < at_it ? ratio : 1) + 1e-4 * static_cast<double>(node * i));
  }
  return nodes;
}

TEST(FleetRule, S38ASlowMachineIsNamedByItsRowsOfIdenticalWork) {
  const auto verdict = judge_fleet(nine_rows(0.8, 9), 3, {});
  ASSERT_EQ(verdict.odd.count("node2"), 1u);
  EXPECT_EQ(verdict.odd.at("node2").at(0).row, "");
  EXPECT_NEAR(verdict.odd.at("node2").at(0).ratio, 0.8, 1e-3);
  EXPECT_EQ(verdict.odd.size(), 1u);
  EXPECT_EQ(exit_code(verdict.reports, {}), ExitCode::pass);
  EXPECT_TRUE(judge_fleet(nine_rows(0.8, 8), 3, {}).odd.empty());    // not by some of its rows
  EXPECT_TRUE(judge_fleet(nine_rows(0.995, 9), 3, {}).odd.empty());  // nor within the tolerance
}

TEST(FleetRule, S38NodesThatAreAlikeAreRarelyNamed) {
  std::mt19937_64 generator(22);
  std::normal_distribution<double> normal;
  constexpr int runs = 1000;
  int named = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<FleetNode> nodes = nine_rows(1, 0);
    for (FleetNode& node : nodes)
      for (auto& [name, row] : node.rows) row.ratio = std::exp(0.05 * normal(generator));
    named += !judge_fleet(nodes, 3, {}).odd.empty();
  }
  EXPECT_LE(named, 26);  // 10 at most, and five standard deviations
}

TEST(FleetRule, S39WhatFailedAnywhereFailed) {
  for (const Verdict verdict :
       {Verdict::failed, Verdict::unverified, Verdict::missing, Verdict::changed, Verdict::added}) {
    std::vector<FleetNode> nodes = fleet_at({0.5, 0.5, 0.5, 0.5});
    nodes[2].rows[demo].verdict = verdict;
    nodes[2].rows[demo].reason = "killed by signal 9";
    const RowReport report = judged(nodes);
    EXPECT_EQ(report.verdict, verdict);
    EXPECT_EQ(to_string(report.reason), "on node3: killed by signal 9");
    const Ending ending(std::vector{report});
    const bool added = verdict == Verdict::added;  // 16
    EXPECT_EQ(exit_code(ending, {}), added ? ExitCode::pass : ExitCode::failed);
    EXPECT_EQ(exit_code(ending, {.strict = true}), added ? ExitCode::undecided : ExitCode::failed);
  }
}

TEST(FleetRule, S41HalfOfTheNodesAreTooFew) {
  EXPECT_EQ(judged(fleet_at({0.7, 0.7, 0.71, 0.7}), 7).verdict, Verdict::slower);
  const RowReport half = judged(fleet_at({0.7, 0.7, 0.71, 0.7}), 8);
  EXPECT_EQ(half.verdict, Verdict::undecided);
  EXPECT_EQ(to_string(half.reason), "4 of 8 nodes compared it, more than half are needed");
  const RowReport two = judged(fleet_at({0.7, 0.7}));
  EXPECT_EQ(two.verdict, Verdict::undecided);
  EXPECT_EQ(to_string(two.reason), "2 of 2 nodes compared it, at least 3 are needed");
}

TEST(FleetRule, LostNodesSayNothing) {
  std::vector<FleetNode> nodes = fleet_at({0.7, 0.7, 0.71, 1.0});
  nodes[3].lost = "it is another kind of machine";
  EXPECT_EQ(judged(nodes).verdict, Verdict::slower);
  EXPECT_EQ(judged(nodes).launches, 3u * 12);
}

TEST(FleetRule, S40WhoIsOfAnotherBuildOrKindIsLost) {
  std::vector<FleetNode> nodes = fleet_at({1, 1, 1, 1, 1, 1, 1});
  for (FleetNode& node : nodes) {
    node.revision = "aaaa";
    node.fingerprint.fields = {{"cpu.model", "Box"}};
  }
  nodes[0].revision = "bbbb";
  nodes[1].against = "base: main";
  nodes[2].rows[demo].work = "d2";
  nodes[3].fingerprint.fields["cpu.model"] = "Other";
  nodes[5].began = nodes[4].began;
  settle_on_one_kind(nodes);
  EXPECT_EQ(nodes[0].lost, "it ran build bbbb; others ran aaaa");
  EXPECT_EQ(nodes[1].lost, "it was compared with base: main (); others with  ()");
  EXPECT_EQ(nodes[2].lost, "its build executes other code in demo/cpu/01_a than on others");
  EXPECT_EQ(nodes[3].lost, "it is another kind of machine: cpu.model is Other; on others Box");
  EXPECT_EQ(nodes[4].lost, "");
  EXPECT_EQ(nodes[5].lost, "it holds the same run as node5");
  EXPECT_EQ(nodes[6].lost, "");
}

TEST(FleetRule, S40ABaseIsItsCommitHoweverItIsSpelled) {
  std::vector<FleetNode> nodes = fleet_at({0.9, 0.9, 0.9, 0.9});
  for (FleetNode& node : nodes) {
    node.mode = "base";
    node.against = "base: HEAD~1 (f51eb578a6f3)";
    node.provenance["commits"]["base"]["commit"] = "f51eb578a6f3d721";
  }
  nodes[1].against = "base: v1.2 (f51eb578a6f3)";
  nodes[3].provenance["commits"]["base"]["commit"] = "46d8a548581c4b45";
  nodes[3].against = "base: HEAD~2 (46d8a548581c)";
  settle_on_one_kind(nodes);
  EXPECT_EQ(nodes[1].lost, "");
  EXPECT_EQ(nodes[3].lost,
            "it was compared with base: HEAD~2 (46d8a548581c) (base); others with base: "
            "HEAD~1 (f51eb578a6f3) (base); its own gate found 1 row slower");
}

}  // namespace
}  // namespace ratchet::gate
