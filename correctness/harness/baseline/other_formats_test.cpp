// Files of other benchmark libraries, in the forms that their documentation and sources give; no
// program of theirs wrote these.
#include "perf/baseline/other_formats.h"

#include <gtest/gtest.h>

#include <fstream>

#include "correctness/support/error_of.h"
#include "perf/baseline/third_party_json.h"
#include "perf/support/files.h"

namespace ratchet {
namespace {

using nlohmann::json;

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

json summary(const std::string& tag, const json& value) {
  return {{"tag", tag},
          {"name", "x"},
          {"data", {{{"name", "value"}, {"type", "float64"}, {"value", value}}}}};
}

json state(int device, const std::string& type, std::int64_t elements, const json& seconds) {
  return {{"name", "whatever"},
          {"device", device},
          {"is_skipped", false},
          {"axis_values",
           {{{"name", "T"}, {"type", "string"}, {"value", type}},
            {{"name", "Elements"}, {"type", "int64"}, {"value", elements}}}},
          {"summaries",
           {summary("nv/cold/sample_size", "120"), summary("nv/cold/time/cpu/mean", 0.5),
            summary("nv/cold/time/gpu/mean", seconds)}}};
}

json nvbench(const json& states) {
  return {{"meta", {{"version", {{"json", {{"major", 1}}}}}}},
          {"devices", {{{"id", 0}, {"name", "NVIDIA H200"}}, {{"id", 1}, {"name", "NVIDIA L4"}}}},
          {"benchmarks", {{{"name", "copy"}, {"index", 0}, {"states", states}}}}};
}

class OtherFormats : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& text) {
    std::ofstream(folder_.path() / "out.json") << text;
    return folder_.path() / "out.json";
  }
  ScratchFolder folder_;
};

TEST_F(OtherFormats, NvbenchStatesAreRows) {
  json skipped = state(0, "F64", 64, 1);
  skipped["is_skipped"] = true;
  skipped["skip_reason"] = "too small";
  const auto read = read_third_party(file(
      nvbench({state(0, "I32", 1024, "2.5e-3"), state(0, "I32", 2048, 4e-3), skipped}).dump()));
  ASSERT_EQ(read.measured.rows.size(), 2u);
  const Row& row = read.measured.rows.at("copy/T:I32/Elements:1024");
  ASSERT_EQ(row.launches.size(), 1u);
  EXPECT_DOUBLE_EQ(row.launches[0].real_ms, 2.5);  // a number as text, too
  EXPECT_DOUBLE_EQ(row.launches[0].cpu_ms, 500);
  EXPECT_EQ(row.launches[0].iterations, 120);
  EXPECT_EQ(read.failures.at("copy/T:F64/Elements:64"), "too small");
  EXPECT_EQ(read.measured.context.at("gpu.model"), "NVIDIA H200");
}

TEST_F(OtherFormats, NvbenchOnSeveralDevices) {
  const auto read =
      read_third_party(file(nvbench({state(0, "I32", 8, 1e-3), state(1, "I32", 8, 2e-3)}).dump()));
  EXPECT_DOUBLE_EQ(read.measured.rows.at("copy/T:I32/Elements:8/device:1").launches[0].real_ms, 2);
}

TEST_F(OtherFormats, NvbenchWithoutATimeSaysWhere) {
  json bare = state(0, "I32", 8, 1e-3);
  bare["summaries"] = json::array();
  EXPECT_HAS(error_of([&] { read_third_party(file(nvbench(json::array({bare})).dump())); }),
             "row copy/T:I32/Elements:8: nvbench gives no mean time");
  EXPECT_HAS(error_of([&] { read_third_party(file(nvbench(bare).dump())); }), "no list of states");
  EXPECT_HAS(error_of([&] { read_third_party(file(nvbench(json::array()).dump())); }),
             "no state of nvbench's benchmarks was run");
}

TEST_F(OtherFormats, CriterionLines) {
  const json done = {{"reason", "benchmark-complete"},
                     {"id", "sort/1000"},
                     {"iteration_count", {10, 20, 30}},
                     {"measured_values", {1000, 2200, 2700}},
                     {"unit", "ns"}};
  const json group = {{"reason", "group-complete"}, {"group_name", "sort"}};
  const auto read = read_third_party(file(done.dump() + "\n" + group.dump() + "\n"));
  ASSERT_EQ(read.measured.rows.size(), 1u);
  EXPECT_NEAR(read.measured.rows.at("sort/1000").launches[0].real_ms, 100e-6, 1e-12);
  json without = done;
  without["measured_values"] = {1};
  EXPECT_HAS(error_of([&] { read_third_party(file(without.dump())); }),
             "row sort/1000: criterion gives no samples");
  EXPECT_HAS(error_of([&] { read_third_party(file(done.dump() + "\n{\n")); }), "line 2");
}

TEST_F(OtherFormats, Catch2HasNoBenchmarksInItsJson) {
  EXPECT_HAS(error_of([&] { read_third_party(file(R"({"version": 1, "test-cases": []})")); }),
             "in which there are no benchmarks");
}

}  // namespace
}  // namespace ratchet
