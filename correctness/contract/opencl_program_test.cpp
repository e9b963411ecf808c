// What a build with OpenCL shares between stages, on the device at hand: programs, their errors
// and memory.
#include <gtest/gtest.h>

#include "correctness/support/expect_has.h"
#include "correctness/support/error_of.h"
#include "kernels/support/opencl.h"

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
