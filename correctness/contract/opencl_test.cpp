// Which OpenCL device is used, and what is said when there is none. The program's own words are
// asked of the program, whose environment is read once.
#include "kernels/support/opencl.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "correctness/support/programs.h"
#include "kernels/support/opencl_device.h"
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
  return error_of([&] { choose_opencl_device(devices, wanted); });
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

// What a build with OpenCL shares between stages, on the device at hand: programs, their errors
// and memory.
namespace ratchet::opencl {
namespace {

class Opencl : public testing::Test {
 protected:
  void SetUp() override {
    if (!opencl_availability().ok) GTEST_SKIP() << opencl_availability().reason;
  }
};

TEST_F(Opencl, ABuildFailureIsOneLineWithTheLog) {
  const std::string text = error_of(
      [] { program("demo/opencl/01_x", "kernel void broken( { nonsense; }", "-DROWS=3"); });
  EXPECT_HAS(text, "demo/opencl/01_x: the kernel does not build");
  EXPECT_HAS(text, "-DROWS=3");
  EXPECT_HAS(text, "CL_BUILD_PROGRAM_FAILURE");
  EXPECT_HAS(text, "error");  // the compiler's own
  EXPECT_EQ(text.find('\n'), text.npos) << text;
}

TEST_F(Opencl, AProgramIsBuiltOncePerSourceAndOptions) {
  constexpr char kSource[] = "kernel void nothing(int x) {}";
  const cl::Program first = program("demo", kSource, "");
  EXPECT_EQ(program("demo", kSource, "")(), first());
  EXPECT_NE(program("demo", kSource, "-DX")(), first());
}

TEST_F(Opencl, AFailedCallNamesPlaceCallCodeAndDevice) {
  const std::string text = error_of([] {
    checked("demo/opencl/01_x", [] {
      return cl::Kernel(program("demo", "kernel void nothing(int x) {}", ""), "something");
    });
  });
  EXPECT_HAS(text, "demo/opencl/01_x: clCreateKernel failed with CL_INVALID_KERNEL_NAME on " +
                       describe(*opencl_device()));
  EXPECT_EQ(code_name(-9999), "error -9999");
}

TEST(OpenclMemory, WhatDoesNotFitIsSaidBeforeItIsTried) {
  const Memory memory{1 << 20, 3 << 20};
  EXPECT_NO_THROW(require_memory(memory, 1 << 20, 2, "demo", "cells"));
  const std::string buffer = error_of(
      [&] { require_memory(memory, (1 << 20) + 1, 2, "demo/opencl/01_x", "9 x 9 cells"); });
  EXPECT_HAS(buffer, "demo/opencl/01_x: 9 x 9 cells need 2 buffers of 1");
  EXPECT_THROW(require_memory(memory, 1 << 20, 4, "demo", "cells"), Error);
  EXPECT_THROW(require_memory(memory, ~std::uint64_t{0}, 2, "demo", "cells"), Error);
}

}  // namespace
}  // namespace ratchet::opencl
