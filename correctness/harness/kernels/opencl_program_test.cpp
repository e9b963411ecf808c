// What a build with OpenCL shares between stages, on the device at hand: programs, their errors,
// memory, and event profiling.
#include <gtest/gtest.h>

#include "correctness/harness/support/error_of.h"
#include "correctness/life/checks.h"
#include "kernels/support/opencl.h"

namespace ratchet::opencl {
namespace {

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

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

/// A life stage of the backend, run for `steps` generations of a small universe.
std::optional<DeviceTime> time_of(const std::string& name, std::uint64_t steps) {
  const auto& stage = dynamic_cast<const life::LifeStage&>(*find_stage(name));
  const auto instance =
      stage.prepare(life::parameters_for(stage, 64, 64, steps).set("group", std::uint64_t{64}));
  EXPECT_FALSE(instance->device_time());  // nothing has run
  instance->run();
  instance->run();  // only the last run counts
  instance->wait();
  return instance->device_time();
}

TEST_F(Opencl, TheLaunchesOfARunAreCountedAndTimed) {
  const auto few = time_of("life/opencl/03_local_memory", 33);
  ASSERT_TRUE(few);
  EXPECT_EQ(few->kernels, 3u);  // 16 + 16 + 1
  EXPECT_GT(few->seconds, 0);
  EXPECT_GE(few->span_seconds, 0.999 * few->seconds);
  // More launches than events are held for.
  const auto many = time_of("life/opencl/01_basic", 5000);
  ASSERT_TRUE(many);
  EXPECT_EQ(many->kernels, 5000u);
  EXPECT_GT(many->seconds, few->seconds);
  EXPECT_LT(many->span_seconds, 60);
}

TEST_F(Opencl, ATileOfHaloAloneIsRefused) {
  const auto& stage =
      dynamic_cast<const life::LifeStage&>(*find_stage("life/opencl/03_local_memory"));
  auto parameters = life::parameters_for(stage, 64, 64, 1);
  const std::string text =
      error_of([&] { stage.prepare(parameters.set("group", std::uint64_t{32})); });
  EXPECT_HAS(text, "life/opencl/03_local_memory: a work-group's tile has 32 rows");
}

void expect_exact(const std::string& name, const ParameterPoint& point, const life::Grid& start,
                  std::uint64_t steps) {
  const auto& stage = dynamic_cast<const life::LifeStage&>(*find_stage(name));
  for (const life::Edge edge : {life::Edge::dead, life::Edge::torus}) {
    auto parameters = life::parameters_for(stage, start.width(), start.height(), steps, edge);
    const auto universe = stage.prepare_universe(parameters.set(point), start);
    universe->run();
    universe->wait();
    EXPECT_EQ("", life::difference(life::reference_run(start, steps, edge), universe->collect()))
        << name << ", " << (edge == life::Edge::torus ? "torus" : "dead border");
  }
}

/// Shapes beside the default: tiles of few rows, a number of rows that is no power of two.
TEST_F(Opencl, EveryShapeOfATileIsExact) {
  const life::Grid start = life::soup(197, 301, 3, 110);
  for (const std::uint64_t group : {33, 200}) {
    expect_exact("life/opencl/02_multi_step", {{"group", group}}, start, 21);
    expect_exact("life/opencl/03_local_memory", {{"group", group}}, start, 21);
  }
  for (const std::uint64_t rows : {1, 3, 24})
    expect_exact("life/opencl/04_work_per_item", {{"rows", rows}}, start, 21);
}

/// Tiles that touch no border, one alone, or another: 04 masks at borders only.
TEST_F(Opencl, TilesInsideAndAtEachBorderAreExact) {
  expect_exact("life/opencl/04_work_per_item", {}, life::soup(200, 2100, 4, 110), 33);
}

/// 02 has memory for 31775 groups of 33 work-items, whose tiles keep one row.
TEST_F(Opencl, GroupsThatTakeSeveralTilesAreExact) {
  expect_exact("life/opencl/02_multi_step", {{"group", 33}}, life::soup(200, 5000, 5, 110), 17);
}

}  // namespace
}  // namespace ratchet::opencl
