// Files of other benchmark libraries: what programs of nvbench's wrote (data/README.md), and the
// forms that documentation and sources give.
#include "perf/gate/baseline/other_formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "correctness/support/data_file.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/baseline/third_party_json.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

using nlohmann::json;

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
  EXPECT_EQ(read.skipped.size(), 1u);
  EXPECT_EQ(read.measured.context.at("gpu.model"), "NVIDIA H200");
}

TEST_F(OtherFormats, NvbenchOnSeveralDevices) {
  const auto read =
      read_third_party(file(nvbench({state(0, "I32", 8, 1e-3), state(1, "I32", 8, 2e-3)}).dump()));
  EXPECT_DOUBLE_EQ(read.measured.rows.at("copy/T:I32/Elements:8/device:1").launches[0].real_ms, 2);
}

TEST_F(OtherFormats, NvbenchWithoutATimeFailsAlone) {
  json bare = state(0, "I32", 8, 1e-3), none = state(0, "I32", 9, 0);
  bare["summaries"] = nullptr;  // as nvbench writes an empty list
  const auto read =
      read_third_party(file(nvbench(json::array({bare, none, state(0, "I32", 16, 1e-3)})).dump()));
  EXPECT_EQ(
      read.failures,
      (std::map<RowId, std::string>{
          {"copy/T:I32/Elements:8", "nvbench reports no time"},
          {"copy/T:I32/Elements:9", "nvbench reports a time that is not a positive number"}}));
  EXPECT_EQ(read.measured.rows.size(), 1u);
  EXPECT_HAS(error_of([&] { read_third_party(file(nvbench(bare).dump())); }), "no list of states");
  // A benchmark without states beside one with them; samples that were all thrown away.
  json root = nvbench(json::array({state(0, "I32", 16, 1e-3)}));
  root["benchmarks"].push_back({{"name", "other"}, {"index", 1}, {"states", nullptr}});
  std::swap(root["benchmarks"][0], root["benchmarks"][1]);
  EXPECT_EQ(read_third_party(file(root.dump())).measured.rows.size(), 1u);
  json discarded = state(0, "I32", 8, 1e-3);
  discarded["summaries"] = {summary("nv/cold/sample_size", "0"),
                            summary("nv/cold/time/gpu/mean", "nan"),
                            summary("nv/batch/time/gpu/mean", 1e-3)};
  const auto rest =
      read_third_party(file(nvbench(json::array({discarded, state(0, "I32", 16, 1e-3)})).dump()));
  EXPECT_EQ(rest.measured.rows.size(), 1u);
  EXPECT_HAS(rest.failures.at("copy/T:I32/Elements:8"), "discarded all cold samples");
  EXPECT_HAS(error_of([&] { read_third_party(file(nvbench(json::array()).dump())); }),
             "nvbench ran no state of any benchmark");
}

const std::filesystem::path data =
    std::filesystem::path(RATCHET_DATA_DIR) / "perf/gate/baseline/data";

TEST_F(OtherFormats, NvbenchOnTwoDevicesAsItWasRecorded) {
  const auto read = read_third_party(data / "nvbench_devices.json");
  const auto ms = [&](const std::string& row) {
    const auto found = read.measured.rows.find(row);
    return found == read.measured.rows.end() ? 0 : found->second.launches.at(0).real_ms;
  };
  EXPECT_EQ(read.measured.rows.size(), 16u);
  EXPECT_NEAR(ms("simple/device:0"), 1.006, 0.01);
  EXPECT_NEAR(ms("single_float64_axis/Duration:0.0010000000000000002/device:1"), 1.006, 0.01);
  EXPECT_GT(ms("copy_sweep_grid_shape/BlockSize:1024/NumBlocks:1024/device:1"), 0);
  EXPECT_GT(ms("copy_type_conversion_sweep/In:F64/Out:I64/device:1"), 0);
  EXPECT_EQ(read.failures.size(), 3u);
  EXPECT_EQ(read.failures.at("copy_type_conversion_sweep/In:F64/Out:F64/device:1"),
            "Not a conversion: InputType == OutputType.");
  for (const auto& [name, row] : read.measured.rows)
    EXPECT_EQ(row.basis, to_string(ThroughputBasis::gpu_mean)) << name;
  EXPECT_EQ(read.measured.context.at("gpu.model"), "Quadro GV100");
}

TEST_F(OtherFormats, NvbenchSamplesAsTheyWereRecorded) {
  const auto read = read_third_party(data / "nvbench_samples.json");
  ASSERT_EQ(read.measured.rows.size(), 3u);
  const std::string name =
      "copy_1d/T{ct}:U32/BlockSize{ct}:64/Elements{io}:65536/ItemsPerThread{io}:2";
  const Launch& launch = read.measured.rows.at(name).launches.at(0);
  EXPECT_EQ(read.measured.rows.at(name).basis, to_string(ThroughputBasis::gpu_samples));
  EXPECT_EQ(launch.iterations, 308);
  // 4.38 us by nvbench's mean; 4.096 us by the median, which the clock's steps hold fast.
  EXPECT_NEAR(launch.real_ms, 4.36e-3, 0.03e-3);
  EXPECT_GT(launch.real_ms, 4.2e-3);
}

TEST_F(OtherFormats, NvbenchSamplesElsewhereOrDamaged) {
  namespace fs = std::filesystem;
  const fs::path json_file = folder_.path() / "nvbench_samples.json";
  const fs::path side = folder_.path() / "nvbench_samples.json-bin";
  fs::copy(data / "nvbench_samples.json", json_file);
  const auto alone = read_third_party(json_file);
  for (const auto& [name, row] : alone.measured.rows)
    EXPECT_EQ(row.basis, to_string(ThroughputBasis::gpu_mean)) << name;
  fs::copy(data / "nvbench_samples.json-bin", side);
  fs::resize_file(side / "1.bin", 1000);
  const auto read = read_third_party(json_file);
  EXPECT_EQ(read.measured.rows.size(), 2u);
  ASSERT_EQ(read.failures.size(), 1u);
  EXPECT_HAS(read.failures.begin()->second, "1.bin does not hold the 308 sample times");
}

TEST_F(OtherFormats, TheCentralMeanFollowsWhatTheMedianDoesNot) {
  std::vector<double> steps(100, 4.0);
  std::fill(steps.begin(), steps.begin() + 30, 5.0);
  EXPECT_NEAR(central_mean(steps), 4 + 25 / 90.0, 1e-12);
  std::vector<double> wild(40, 2.0);
  wild[7] = 1e6;
  EXPECT_DOUBLE_EQ(central_mean(wild), 2);
  EXPECT_DOUBLE_EQ(central_mean({3}), 3);
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
             "row sort/1000: criterion reports no samples");
  EXPECT_HAS(error_of([&] { read_third_party(file(done.dump() + "\n{\n")); }), "line 2");
}

/// What criterion 0.3.6 left (data/README.md): its last run, and one that was saved.
TEST_F(OtherFormats, CriterionFolders) {
  const std::string left = (folder_.path() / "criterion").string();
  std::ifstream files = correctness::open_data_file("perf/gate/baseline/data/criterion.tsv");
  for (std::string line; std::getline(files, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    const std::filesystem::path path = std::filesystem::path(left) / line.substr(0, tab);
    std::filesystem::create_directories(path.parent_path());
    write_atomically(path, line.substr(tab + 1));
  }
  const auto now = read_third_party(left).measured.rows;
  ASSERT_EQ(now.size(), 3u);
  // Ten samples of 4839 slices and multiples; the median lies between the fifth and the sixth.
  const auto sample = read_json(std::filesystem::path(left) / "sums/fold/1000/new/sample.json");
  std::vector<double> slices;
  for (std::size_t i = 0; i < sample["times"].size(); ++i)
    slices.push_back(sample["times"][i].get<double>() / sample["iters"][i].get<double>());
  std::sort(slices.begin(), slices.end());
  EXPECT_NEAR(now.at("sums/fold/1000").launches.at(0).real_ms, (slices[4] + slices[5]) / 2e6,
              1e-12);
  const auto before = read_third_party(left + "@before").measured.rows;
  ASSERT_EQ(before.size(), 3u);
  EXPECT_NE(before.at("sum alone").launches.at(0).real_ms,
            now.at("sum alone").launches.at(0).real_ms);
  EXPECT_HAS(error_of([&] { read_third_party(left + "@befor"); }),
             "criterion holds no criterion run \"befor\"; it holds before, new");
  EXPECT_FALSE(criterion_folder(left + "@before," + left));  // two files
}

TEST_F(OtherFormats, Catch2HasNoBenchmarksInItsJson) {
  EXPECT_HAS(error_of([&] { read_third_party(file(R"({"version": 1, "test-cases": []})")); }),
             "which holds no benchmarks");
}

}  // namespace
}  // namespace ratchet
