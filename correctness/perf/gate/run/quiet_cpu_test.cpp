#include "perf/gate/run/quiet_cpu.h"

#include <gtest/gtest.h>

namespace ratchet::gate {
namespace {

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
