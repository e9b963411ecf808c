// perf/report/figures/gpu_scaling: the model of many GPUs, and what is shown of it.
#include "perf/study/report/figures/gpu_scaling.h"

#include <gtest/gtest.h>

#include "correctness/perf/study/report/report_fixture.h"
#include "perf/study/report/plots/drawings.h"

namespace ratchet::report {
namespace {

using ranks::Traffic;

constexpr Link kLink{10e-6, 400e9};

TEST(GpuModel, OneGpuTalksToNobody) {
  for (const auto pattern :
       {Traffic::Pattern::reduce, Traffic::Pattern::gather, Traffic::Pattern::neighbours})
    EXPECT_EQ(talk_seconds({.pattern = pattern, .bytes = 1e9}, 1, 1, kLink), 0);
}

TEST(GpuModel, EachPatternGrowsInItsOwnWay) {
  const Traffic reduce{.times = 3, .bytes = 4e6};  // 10 us of link
  EXPECT_NEAR(talk_seconds(reduce, 2, 1, kLink), 3 * (10e-6 + 10e-6), 1e-12);
  EXPECT_NEAR(talk_seconds(reduce, 8, 1, kLink), 3 * (30e-6 + 17.5e-6), 1e-12);
  EXPECT_NEAR(talk_seconds(reduce, 9, 1, kLink), 3 * (40e-6 + 10e-6 * 16 / 9), 1e-12);
  const Traffic gather{.pattern = Traffic::Pattern::gather, .bytes = 4e6};
  EXPECT_NEAR(talk_seconds(gather, 2, 1, kLink), 20e-6, 1e-12);
  EXPECT_NEAR(talk_seconds(gather, 1024, 1, kLink), 1023 * 20e-6, 1e-9);
  const Traffic neighbours{.pattern = Traffic::Pattern::neighbours, .times = 12, .bytes = 4e6};
  EXPECT_NEAR(talk_seconds(neighbours, 2, 1, kLink), 12 * 30e-6, 1e-12);
  EXPECT_EQ(talk_seconds(neighbours, 1024, 1, kLink), talk_seconds(neighbours, 2, 1, kLink));
}

TEST(GpuModel, WhatIsHiddenCostsWhatLastsLongerThanTheWork) {
  const Traffic hidden{
      .pattern = Traffic::Pattern::neighbours, .times = 10, .bytes = 4e6, .hidden = true};
  EXPECT_EQ(talk_seconds(hidden, 2, 10 * 30e-6, kLink), 0);
  EXPECT_NEAR(talk_seconds(hidden, 2, 10 * 20e-6, kLink), 10 * 10e-6, 1e-12);
}

TEST(GpuModel, PiecesAreDealtWhole) {
  EXPECT_EQ(largest_share({.pieces = 16}, 2), 0.5);
  EXPECT_EQ(largest_share({.pieces = 16}, 3), 6.0 / 16);
  EXPECT_EQ(largest_share({.pieces = 16}, 1024), 1.0 / 16);
  EXPECT_EQ(largest_share({}, 3), 1.0 / 3);
}

/// The model gives two ranks what two ranks took.
TEST(GpuModel, AMessageIsWhatTwoRanksTook) {
  for (const auto pattern :
       {Traffic::Pattern::reduce, Traffic::Pattern::gather, Traffic::Pattern::neighbours}) {
    const Traffic traffic{.pattern = pattern, .times = 2, .bytes = 1e6};
    const Link link{message_seconds(traffic, 100e-6, 400e9), 400e9};
    EXPECT_NEAR(talk_seconds(traffic, 2, 1, link), 100e-6, 1e-12);
  }
  // A link that would take longer than was talked leaves nothing for the message.
  EXPECT_EQ(message_seconds({.bytes = 1e9}, 1e-6, 1e9), 0);
}

TEST(GpuTable, ShowsMeasuredBesideExpected) {
  EXPECT_EQ(scaling_table({}), "");
  EXPECT_FALSE(scaling_spec({}).has_value());
  const std::vector<GpuScaling> scalings = {
      {"graveler/mpi/02_gpus",
       "two-cards",
       false,
       0.02,
       {{1, 1, 1}, {2, 1.98, 1.99}, {4, {}, 3.9}, {8, {}, 7.5}, {64, {}, 16}, {1024, {}, 16}}}};
  const std::string table = scaling_table(scalings);
  EXPECT_NE(table.find("| `graveler/mpi/02_gpus` | two-cards | shared | 20.00 ms | **1.98** (1.99) "
                       "| (3.9) | (7.5) | (16) | (16) |"),
            std::string::npos)
      << table;
  const auto spec = scaling_spec(scalings);
  ASSERT_TRUE(spec.has_value());
  EXPECT_NE(spec->dump().find("the model"), std::string::npos);
}

/// Of every stage on GPUs there is a model: without one it is in no table.
TEST(GpuModel, EveryStageOnGpusSaysWhatItSends) {
  for (const Stage* stage : registry()) {
    if (!ranks::takes_gpus(*stage)) continue;
    const auto& ranked = dynamic_cast<const ranks::RankedStage&>(*stage);
    EXPECT_TRUE(ranked.traffic(stage->defaults()).has_value()) << stage->info().name;
  }
}

}  // namespace
}  // namespace ratchet::report
