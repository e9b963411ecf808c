// Which OpenCL device is used, and what is said when there is none. The program's own words are
// asked of the program, whose environment is read once.
#include "correctness/support/expect_has.h"
#include "kernels/support/opencl_device.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "correctness/support/programs.h"
#include "perf/support/error.h"
#include "perf/support/process.h"

namespace ratchet {
namespace {

const std::vector<OpenclDevice> kDevices = {
    {"Maker", "Stick", "other", "1", "OpenCL 1.2"},
    {"Portable Computing Language", "cpu-epyc", "cpu", "3.1", "OpenCL 3.0 PoCL HSTR: x86_64"},
    {"Second", "another cpu", "cpu", "2", "OpenCL 2.0"},
    {"NVIDIA CUDA", "NVIDIA H200", "gpu", "580", "OpenCL 3.0 CUDA"},
};

std::string message(const std::vector<OpenclDevice>& devices, const std::string& wanted) {
  try {
    choose_opencl_device(devices, wanted);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(OpenclChoice, AGpuElseTheFirstCpuElseTheFirst) {
  auto devices = kDevices;
  EXPECT_EQ(choose_opencl_device(devices, ""), 3u);
  devices.pop_back();
  EXPECT_EQ(choose_opencl_device(devices, ""), 1u);
  devices.resize(1);
  EXPECT_EQ(choose_opencl_device(devices, ""), 0u);
}

TEST(OpenclChoice, TheEnvironmentNamesPlatformDeviceOrVersion) {
  EXPECT_EQ(choose_opencl_device(kDevices, "pocl"), 1u);
  EXPECT_EQ(choose_opencl_device(kDevices, "another"), 2u);
  EXPECT_EQ(choose_opencl_device(kDevices, "maker"), 0u);
  EXPECT_EQ(choose_opencl_device(kDevices, "CPU"), 1u);
  EXPECT_EQ(choose_opencl_device(kDevices, "nvidia"), 3u);
}

TEST(OpenclChoice, NoMatchNamesWhatThereIs) {
  const std::string text = message(kDevices, "radeon");
  EXPECT_HAS(text, "RATCHET_OPENCL_DEVICE is 'radeon'");
  EXPECT_HAS(text, "NVIDIA H200 (NVIDIA CUDA)");
  EXPECT_HAS(text, "cpu-epyc");
  EXPECT_HAS(message({}, ""), "no OpenCL device");
}

/// What the program says of one OpenCL stage with `setting` in its environment.
ProcessResult bench_with(const std::string& setting) {
  return run_process({"env", setting, built_program("perf/ratchet-bench"),
                      "--benchmark_filter=^life/opencl/01_basic$"},
                     60);
}

class OpenclProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_stage("life/opencl/01_basic")) GTEST_SKIP() << "built without OpenCL";
  }
  static void expect_unavailable(const ProcessResult& result, const std::string& why) {
    EXPECT_EQ(result.exit_code, static_cast<int>(ExitCode::nothing_ran)) << result.describe();
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_HAS(result.errors, "life/opencl/01_basic: " + why);
    EXPECT_EQ(result.output, "");
  }
};

TEST_F(OpenclProgram, AnUnknownDeviceIsOneLine) {
  if (!opencl_availability().ok) GTEST_SKIP() << opencl_availability().reason;
  const ProcessResult result = bench_with("RATCHET_OPENCL_DEVICE=no such device");
  expect_unavailable(result, "RATCHET_OPENCL_DEVICE is 'no such device'");
  EXPECT_HAS(result.errors, describe(*opencl_device()));
}

TEST_F(OpenclProgram, NoDriverIsOneLine) {
  expect_unavailable(bench_with("OCL_ICD_VENDORS=/nowhere/at/all"), "no OpenCL device");
}

}  // namespace
}  // namespace ratchet
