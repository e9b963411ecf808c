// What the collector makes of activity records, and what the gate reads of it.
#include "perf/measure/collector/collected.h"

#include <gtest/gtest.h>

#include <fstream>

#include "correctness/support/programs.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/support/files.h"

namespace ratchet {
namespace {

using timing::Activity;
using timing::Collected;

Activity activity(Activity::Kind kind, std::uint64_t begin, std::uint64_t end,
                  std::uint64_t external) {
  Activity result;
  result.kind = kind;
  result.begin_ns = begin;
  result.end_ns = end;
  result.external = external;
  return result;
}
Activity kernel(std::uint64_t begin, std::uint64_t end, std::uint64_t external) {
  return activity(Activity::Kind::kernel, begin, end, external);
}

TEST(Collected, SumsKernelsAndTransfersOfOneStretch) {
  const Collected found = timing::collected(
      {kernel(10, 40, 5), activity(Activity::Kind::transfer, 40, 45, 5), kernel(50, 70, 5),
       kernel(100, 900, 4), kernel(1000, 9000, timing::kHarnessId),
       activity(Activity::Kind::runtime_call, 10, 800, 5), kernel(1, 9, 0)},
      5, 10);
  EXPECT_EQ(found.failure, "");
  EXPECT_EQ(found.kernels, 2u);
  EXPECT_DOUBLE_EQ(found.seconds, 55e-9);
}

TEST(Collected, CountsConcurrentWorkOnceAndNoGaps) {
  const Collected found =
      timing::collected({kernel(100, 300, 5), kernel(200, 400, 5), kernel(900, 1000, 5)}, 5, 10);
  EXPECT_EQ(found.kernels, 3u);
  EXPECT_DOUBLE_EQ(found.seconds, 400e-9);
}

TEST(Collected, FailsWhereNothingIsKnown) {
  EXPECT_EQ(timing::collected({kernel(10, 40, 4)}, 5, 10).failure,
            "no kernel was launched while its timer ran");
  EXPECT_NE(timing::collected({kernel(10, 40, 5), kernel(20, 30, 0)}, 5, 10).failure.find("thread"),
            std::string::npos);
  EXPECT_NE(timing::collected({kernel(10, 0, 5)}, 5, 10).failure.find("without times"),
            std::string::npos);
}

TEST(Collected, TravelsAsALine) {
  const Collected read = timing::read_line(timing::to_line({12, 3.25e-6, "", 4096}));
  EXPECT_EQ(read.kernels, 12u);
  EXPECT_DOUBLE_EQ(read.seconds, 3.25e-6);
  EXPECT_EQ(read.failure, "");
  EXPECT_EQ(read.peak_bytes, 4096);
  EXPECT_EQ(timing::read_line(timing::to_line({12, 3.25e-6, ""})).peak_bytes, -1);
  EXPECT_EQ(timing::read_line(timing::to_line({0, 0, "why not"})).failure, "why not");
  for (const char* wrong :
       {"", "12", "12 1e-6", "12 1e-6\n", "12 1e-6 8", "12 1e-6 8 x\n", "0 1e-6 8\n", "3 -1 8\n",
        "3 nan 8\n", "3 inf 8\n", "x\n", "3 1e300 8\n", "3 1e-6 -2\n"})
    EXPECT_NE(timing::read_line(wrong).failure, "") << wrong;
}

TEST(Collected, TheMostDeviceMemoryOfOneTime) {
  using Operations = std::vector<timing::MemoryOperation>;
  EXPECT_EQ(timing::peak_bytes({}), 0);
  const Operations two = {{10, 1, 100, true}, {20, 2, 50, true}, {30, 1, 0, false},
                          {40, 3, 70, true},  {50, 2, 0, false}, {60, 3, 0, false}};
  EXPECT_EQ(timing::peak_bytes(two), 150);
  EXPECT_EQ(timing::peak_bytes({two.rbegin(), two.rend()}), 150) << "in any order";
  EXPECT_EQ(timing::peak_bytes({{1, 9, 0, false}, {2, 9, 8, true}}), 8) << "an unknown release";
}

class DeviceTime : public testing::Test {
 protected:
  nlohmann::json put(const std::string& line, nlohmann::json row) {
    const auto file = folder_.path() / "collected";
    std::ofstream(file) << line;
    nlohmann::json output = {{"benchmarks", {row}}};
    gate::put_device_time(output, file);
    return output["benchmarks"][0];
  }
  ScratchFolder folder_;
};

TEST_F(DeviceTime, TakesThePlaceOfTheTimeAndOfRates) {
  const auto row = put("20 0.0001 4096\n", {{"name", "a"},
                                            {"iterations", 10},
                                            {"threads", 1},
                                            {"real_time", 77.0},
                                            {"time_unit", "ms"},
                                            {"items_per_second", 5.0}});
  EXPECT_DOUBLE_EQ(row["real_time"], 1e4);
  EXPECT_EQ(row["time_unit"], "ns");
  EXPECT_EQ(row["kernels"], 2.0);
  EXPECT_EQ(row["device_memory"], 4096.0);
  EXPECT_FALSE(
      put("20 0.0001 -1\n", {{"name", "a"}, {"iterations", 10}}).contains("device_memory"));
  EXPECT_FALSE(row.contains("items_per_second"));
}

TEST_F(DeviceTime, FailsTheRowWhereItIsNotTheRows) {
  const nlohmann::json row = {{"name", "a"}, {"iterations", 10}, {"real_time", 77.0}};
  EXPECT_TRUE(put("25 0.0001 0\n", row).value("error_occurred", false));
  EXPECT_TRUE(put("failed: no\n", row).value("error_occurred", false));
  EXPECT_TRUE(put("20 0.0001 0\n", {{"name", "a"}, {"iterations", 10}, {"threads", 2}})
                  .value("error_occurred", false));
  EXPECT_TRUE(
      put("20 0.0001 0\n", {{"name", "a"}, {"real_time", 77.0}}).value("error_occurred", false));
}

}  // namespace
}  // namespace ratchet
