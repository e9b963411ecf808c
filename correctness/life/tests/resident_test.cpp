// The resident stages on a device: sizes around a warp's row, a block's rows and the device's
// blocks, and generations around an exchange. What does not fit runs anyway.
#include <gtest/gtest.h>

#include <cstdint>

#include "correctness/life/oracles/oracle.h"
#include "correctness/life/tests/support/on_device.h"

namespace ratchet::life {
namespace {

/// 1024 columns: exchanges every 4 generations, blocks of 4 to 8 rows. 132 blocks on an H200.
constexpr std::uint64_t kBlockRows = 8, kBlocks = 132, kPeriod = 4;

class CudaResident : public OnDevice {
 protected:
  void SetUp() override { need("life/cuda/08_resident"); }
  void expect_equal(std::uint64_t width, std::uint64_t height, std::uint64_t steps,
                    std::uint64_t runs = 1, bool always = false) {
    const Grid start = soup(width, height, width + height, 110);
    for (const Edge edge : {Edge::dead, Edge::torus}) {
      Parameters parameters = parameters_for(*stage_, width, height, steps, edge);
      if (always) parameters.set("always", 1);
      const auto universe = stage_->prepare_universe(parameters, start);
      for (std::uint64_t run = 0; run < runs; ++run) universe->run();
      EXPECT_EQ("", difference(oracle_run(start, runs * steps, edge), universe->collect()))
          << width << " x " << height << ", " << runs << " x " << steps << " steps, "
          << (edge == Edge::torus ? "torus" : "dead border");
    }
  }
};

TEST_F(CudaResident, WidthsAroundAWarpsRow) {
  for (const std::uint64_t full : {1024, 2048, 4096, 8192})
    for (const std::uint64_t width : {full - 1, full, full + 1}) expect_equal(width, 150, 17);
  for (const std::uint64_t width : {1, 31, 32, 33, 96, 128, 1280, 2560, 5120})
    expect_equal(width, 70, 17);
}

TEST_F(CudaResident, HeightsAroundABlocksRows) {
  for (const std::uint64_t width : {1024, 2048, 4096, 8192})
    for (const std::uint64_t height : {1, 7, 8, 9, 15, 16, 17, 31, 33, 65, 127, 129})
      expect_equal(width, height, 17);
}

TEST_F(CudaResident, AsManyBlocksAsThereAre) {
  for (const std::uint64_t rows : {kPeriod, kBlockRows})
    for (const std::uint64_t height : {kBlocks * rows - 1, kBlocks * rows, kBlocks * rows + 1})
      expect_equal(1024, height, 17);
  expect_equal(8192, 1031, 9);
}

TEST_F(CudaResident, GenerationsAroundAnExchange) {
  for (const std::uint64_t width : {1024, 2048, 4096, 8192})
    for (const std::uint64_t steps : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17}) {
      expect_equal(width, 100, steps);
      expect_equal(width, 100, steps, 4);
    }
}

/// Many exchanges, with all blocks waiting for each other, and the largest that fits an H200.
TEST_F(CudaResident, LargeUniversesAsInOnePiece) {
  for (const std::uint64_t side : {1024, 2048, 4096, 8192})
    for (const std::uint64_t steps : {1, 31, 500})
      expect_as_in_one_piece(soup(side, side, side, 110), steps);
  expect_as_in_one_piece(soup(8192, 8448, 3, 110), 100);
  expect_as_in_one_piece(soup(8191, 8448, 3, 110), 100);
}

/// Tiles of which two thirds are in shared memory: 71 to 134 rows a block; on an H200 132 blocks,
/// or fewer.
TEST_F(CudaResident, DeepTilesAsInOnePiece) {
  for (const auto& [width, height] : {std::pair{16384u, 16384u},
                                      {16384, 17688},
                                      {16384, 9372},
                                      {16384, 9000},
                                      {8704, 14001},
                                      {16383, 15000},
                                      {9001, 16999}})
    for (const std::uint64_t steps : {1, 3, 31, 300})
      expect_as_in_one_piece(soup(width, height, 3, 110), steps);
}

/// Left to itself the stage leaves so small ones to 05.
TEST_F(CudaResident, DeepTilesOfFewBlocks) {
  for (const std::uint64_t width : {8705, 9216, 16384})
    for (const std::uint64_t height : {142, 143, 256, 400})
      for (const std::uint64_t steps : {1, 8, 9}) expect_equal(width, height, steps, 3, true);
}

/// Halos that cost hardly any work: up to 4096 columns with blocks of 8 to 32 rows, 4097 to 8192
/// with 48 to 64.
class CudaThinHalos : public CudaResident {
 protected:
  void SetUp() override { need("life/cuda/09_thin_halos"); }
};

TEST_F(CudaThinHalos, WidthsOfAWarpsRow) {
  for (const std::uint64_t width :
       {1, 255, 256, 1025, 2049, 2304, 4095, 4096, 4097, 4352, 8191, 8192})
    expect_equal(width, 300, 17);
}

TEST_F(CudaThinHalos, HeightsAroundABlocksRows) {
  for (const std::uint64_t height : {15, 16, 17, 18, 31, 33, 64, 65, 99, 128})
    expect_equal(4096, height, 17);
  for (const std::uint64_t height : {47, 48, 64, 65, 95, 96, 97, 127, 128, 129, 143, 144, 255})
    expect_equal(8192, height, 17);
}

TEST_F(CudaThinHalos, GenerationsAroundAnExchange) {
  for (const std::uint64_t width : {4096, 8192})
    for (const std::uint64_t steps : {1, 2, 3, 7, 8, 9, 15, 16, 17})
      expect_equal(width, 150, steps, 4);
}

/// As many blocks as an H200 has, and the largest that fit them.
TEST_F(CudaThinHalos, LargeUniversesAsInOnePiece) {
  for (const auto& [width, height] : {std::pair{4096u, 4096u},
                                      {4096, 4224},
                                      {4095, 4093},
                                      {4096, 4225},
                                      {8192, 8192},
                                      {8192, 8448},
                                      {8191, 6337}})
    for (const std::uint64_t steps : {1, 31, 500})
      expect_as_in_one_piece(soup(width, height, 3, 110), steps);
}

/// Deep tiles whose rows are fetched early, and what does not fit them: in 05's loop, with a border
/// by overcrowding.
class CudaCrowdedBorder : public CudaResident {
 protected:
  void SetUp() override { need("life/cuda/10_crowded_border"); }
};

TEST_F(CudaCrowdedBorder, AsInOnePiece) {
  for (const auto& [width, height] : {std::pair{16384u, 16384u},
                                      {16384, 17688},
                                      {8704, 14001},
                                      {16383, 15000},
                                      {16640, 17689},
                                      {24576, 16384},
                                      {17001, 16999},
                                      {4096, 4096}})
    for (const std::uint64_t steps : {1, 31, 100})
      expect_as_in_one_piece(soup(width, height, 3, 110), steps);
}

TEST_F(CudaResident, WhatDoesNotFitRunsAsInOnePiece) {
  for (const auto& [width, height] :
       {std::pair{8193u, 100u}, {1024, 9000}, {16384, 17689}, {16385, 14000}})
    expect_as_in_one_piece(soup(width, height, 5, 110), 33);
  expect_equal(8193, 30, 17);
}

}  // namespace
}  // namespace ratchet::life
