#include "perf/gate/rule/thread_groups.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "perf/stats/nodes.h"
#include "perf/stats/sequential.h"

namespace ratchet::gate {
namespace {

RowReport compared(const std::string& name, double log_ratio,
                   Verdict verdict = Verdict::undecided) {
  RowReport report;
  report.name = name;
  report.paired = true;
  report.verdict = verdict;
  report.by_launches.emplace();
  report.by_launches->ratio = std::exp(log_ratio);
  return report;
}

std::vector<RowReport> at_threads(const std::string& name, const std::vector<double>& logs) {
  std::vector<RowReport> reports;
  for (std::size_t i = 0; i < logs.size(); ++i)
    reports.push_back(compared(name + "/threads:" + std::to_string(i + 1), logs[i]));
  return reports;
}

TEST(ThreadGroups, S52RowsOfSeveralNumbersOfThreadsHaveTheIntervalOfNodes) {
  const std::vector<double> logs{0.004, -0.006, 0.001, -0.002, 0.003, -0.001};
  const auto groups = thread_groups(at_threads("demo/cpu/01_x", logs));
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].name, "demo/cpu/01_x");
  EXPECT_EQ(groups[0].undecided, 6u);
  EXPECT_EQ(groups[0].rows.size(), 6u);
  const auto typical = stats::of_nodes(logs, stats::Reference::own, stats::kSameError);
  EXPECT_DOUBLE_EQ(groups[0].ratio, typical.ratio);
  EXPECT_DOUBLE_EQ(groups[0].bounds.low, typical.bounds->low);
  EXPECT_DOUBLE_EQ(groups[0].bounds.high, typical.bounds->high);
  EXPECT_LE(groups[0].bounds.error, stats::kSameError);
}

TEST(ThreadGroups, S52RowsThatDifferInMoreAreOtherGroups) {
  std::vector<RowReport> reports = at_threads("BM_Sort/64", {0.01, 0.01, 0.01});
  for (const RowReport& report : at_threads("BM_Sort/128", {-0.01, -0.01, -0.01}))
    reports.push_back(report);
  // The number may stand anywhere; "threads:many" is no number.
  for (const char* name : {"BM_X/threads:1/real_time", "BM_X/threads:4/real_time", "BM_X/real_time",
                           "BM_X/threads:many/real_time", "BM_X/threads:/real_time"})
    reports.push_back(compared(name, 0));
  const auto groups = thread_groups(reports);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].name, "BM_Sort/128");
  EXPECT_LT(groups[0].ratio, 1);
  EXPECT_EQ(groups[1].name, "BM_Sort/64");
  EXPECT_GT(groups[1].ratio, 1);
  EXPECT_EQ(groups[2].name, "BM_X/real_time");
  EXPECT_EQ(groups[2].rows.size(), 3u);
}

TEST(ThreadGroups, S52NoLineWithoutAnUndecidedRowOrWithTooFewRows) {
  std::vector<RowReport> reports = at_threads("demo/cpu/01_x", {0.01, 0.02, 0.01});
  for (RowReport& report : reports) report.verdict = Verdict::same;
  EXPECT_TRUE(thread_groups(reports).empty());
  reports[1].verdict = Verdict::undecided;
  ASSERT_EQ(thread_groups(reports).size(), 1u);
  EXPECT_EQ(thread_groups(reports)[0].undecided, 1u);
  reports.pop_back();
  EXPECT_TRUE(thread_groups(reports).empty());
}

TEST(ThreadGroups, S52OnlyRowsThatWereComparedInPairsCount) {
  const auto without = [](auto change) {
    std::vector<RowReport> reports = at_threads("demo/cpu/01_x", {0.01, 0.02, 0.01});
    change(reports[0]);
    return thread_groups(reports).empty();
  };
  EXPECT_FALSE(without([](RowReport&) {}));
  EXPECT_FALSE(without([](RowReport& report) { report.verdict = Verdict::slower; }));
  EXPECT_TRUE(without([](RowReport& report) { report.paired = false; }));
  EXPECT_TRUE(without([](RowReport& report) { report.identical_work = true; }));
  EXPECT_TRUE(without([](RowReport& report) { report.by_launches.reset(); }));
  EXPECT_TRUE(without([](RowReport& report) { report.verdict = Verdict::failed; }));
  EXPECT_TRUE(without([](RowReport& report) { report.by_launches->ratio = 0; }));
  EXPECT_TRUE(without([](RowReport& report) {
    report.by_launches->ratio = std::numeric_limits<double>::infinity();
  }));
}

}  // namespace
}  // namespace ratchet::gate
