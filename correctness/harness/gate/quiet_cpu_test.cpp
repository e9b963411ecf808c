#include "perf/gate/run/quiet_cpu.h"

#include <gtest/gtest.h>

namespace ratchet::gate {
namespace {

TEST(QuietCpu, ReadsProcStat) {
  const auto busy = busy_seconds(
      "cpu  300 0 100 900 0 0 0 50 0 0\n"
      "cpu0 100 10 20 500 30 4 6 60 0 0\n"
      "cpu12 200 0 80 400 0 0 0 0 7 7\n"
      "cpufreq 1 2 3 4 5 6 7 8\nintr 5 6\n",
      100);
  ASSERT_EQ(busy.size(), 2u);
  EXPECT_DOUBLE_EQ(busy.at(0), 2.0);  // user, nice, system, irq, softirq, steal; not idle, not wait
  EXPECT_DOUBLE_EQ(busy.at(12), 2.8);
  EXPECT_TRUE(busy_seconds("nonsense\ncpu1 2 3\n", 100).empty());
}

TEST(QuietCpu, S24GoesWhereOthersAreNot) {
  QuietCpu cpu({0, 1});
  EXPECT_EQ(cpu.pick({{0, 5.0}, {1, 5.0}}, 0, 0), 1);
  // CPU 1 was busy all second, but with our own worker.
  EXPECT_EQ(cpu.pick({{0, 5.0}, {1, 6.0}}, 1.0, 1), 1);
  // Now half of it is somebody else's.
  EXPECT_EQ(cpu.pick({{0, 5.0}, {1, 7.0}}, 1.5, 2), 0);
  // A difference too small to move for.
  EXPECT_EQ(cpu.pick({{0, 5.95}, {1, 7.0}}, 2.4, 3), 0);
  // The other one frees itself, ours fills.
  EXPECT_EQ(cpu.pick({{0, 6.95}, {1, 7.0}}, 2.5, 4), 1);
}

TEST(QuietCpu, WaitsUntilTheTicksCanTell) {
  QuietCpu cpu({0, 1});
  cpu.pick({{0, 5.0}, {1, 5.0}}, 0, 0);
  EXPECT_EQ(cpu.pick({{0, 5.0}, {1, 5.05}}, 0, 0.05), 1);
  EXPECT_EQ(cpu.pick({{0, 5.0}, {1, 5.2}}, 0, 0.2), 0);
  // A CPU that the file does not mention is never chosen.
  QuietCpu unknown({0, 1, 7});
  unknown.pick({{0, 1.0}, {1, 1.0}}, 0, 0);
  EXPECT_EQ(unknown.pick({{0, 1.0}, {1, 2.0}}, 0, 1), 0);
}

}  // namespace
}  // namespace ratchet::gate
