#include "perf/support/proc_stat.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace ratchet {
namespace {

ProcStat parsed(const std::string& text) {
  std::istringstream stat(text);
  return read_proc_stat(stat, 100);
}

TEST(ProcStat, ReadsTheSumOfAllCpus) {
  const CpuTimes all =
      parsed("cpu  1000 200 300 40000 500 60 70 800 90 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n").all.value();
  EXPECT_DOUBLE_EQ(all.busy_s, 16.3);
  EXPECT_DOUBLE_EQ(all.idle_s, 405);
  EXPECT_DOUBLE_EQ(all.steal_s, 8);
  EXPECT_DOUBLE_EQ(parsed("cpu 100 0 0 300\n").all.value().steal_s, 0);  // an old kernel
}

TEST(ProcStat, ReadsEachCpu) {
  const auto each = parsed(
                        "cpu  300 0 100 900 0 0 0 50 0 0\n"
                        "cpu0 100 10 20 500 30 4 6 60 0 0\n"
                        "cpu12 200 0 80 400 0 0 0 0 7 7\n"
                        "cpufreq 1 2 3 4 5 6 7 8\nintr 5 6\n")
                        .each;
  ASSERT_EQ(each.size(), 2u);
  EXPECT_DOUBLE_EQ(each.at(0).busy_s, 1.4);  // user, nice, system, irq, softirq
  EXPECT_DOUBLE_EQ(each.at(0).idle_s, 5.3);  // idle and wait
  EXPECT_DOUBLE_EQ(each.at(0).steal_s, 0.6);
  EXPECT_DOUBLE_EQ(each.at(12).busy_s, 2.8);
  EXPECT_FALSE(proc_stat().each.empty());  // of this machine
}

TEST(ProcStat, NothingIsReadFromWhatIsNotProcStat) {
  for (const char* text :
       {"", "cpu", "cpu 1 2", "cpu a b c d", "intr 1 2 3 4 5", "nonsense\ncpu1 2 3"}) {
    EXPECT_FALSE(parsed(text).all) << text;
    EXPECT_TRUE(parsed(text).each.empty()) << text;
  }
  EXPECT_FALSE(parsed("cpu0 1 2 3 4 5").all);
}

}  // namespace
}  // namespace ratchet
