// The strided universe: its layout, and its kernels in every shape and over long segments.
//
// By default the stage cuts a universe of a test's size into segments of a row or two, which never
// reach the kernel's loop; hence the parameters "segments" and "lane_words" here.
#include <gtest/gtest.h>

#include <vector>

#include "correctness/life/checks/checks.h"
#include "kernels/life/strided/strided_layout.h"

namespace ratchet::life {
namespace {

using namespace strided;

TEST(StridedLayout, TheBorderIsAlignedForWholeGroupsAndFarFromTheFirstWord) {
  for (const unsigned side : {4096, 8192, 16384, 65536, 262144})
    for (const unsigned group : {4, 8}) {
      const Layout layout = make_layout(side, side, group, Edge::dead);
      EXPECT_TRUE(layout.aligned()) << side << ", " << group;
      EXPECT_EQ(side, layout.words * 32);
      EXPECT_FALSE(make_layout(side, side, group, Edge::torus).gathers());
    }
  EXPECT_FALSE(make_layout(65537, 10, 8, Edge::dead).aligned());
  EXPECT_TRUE(make_layout(65544, 10, 8, Edge::dead).aligned());
  EXPECT_FALSE(make_layout(40, 10, 8, Edge::dead).aligned());
  EXPECT_TRUE(make_layout(65537, 10, 8, Edge::torus).gathers());
}

/// How many owned lanes each row has.
std::vector<std::uint32_t> owners(const Cut& cut) {
  std::vector<std::uint32_t> owned(cut.rows);
  for (std::uint32_t warp = 0; warp < cut.blocks * kBlockWarps; ++warp)
    for (std::uint32_t lane = 1; lane <= kOwnLanes; ++lane) {
      const Place place = place_of(cut, warp, lane);
      if (!place.inside || place.lane == 0 || place.lane == cut.lanes - 1) continue;
      for (std::uint32_t row = 0; row < cut.segment_rows; ++row) ++owned[place.first + row];
    }
  return owned;
}

TEST(StridedLayout, TheCutCoversEveryRowAndLane) {
  for (const Edge edge : {Edge::dead, Edge::torus})
    for (const unsigned width : {1, 300, 4096, 65536})
      for (const unsigned height : {1, 2, 7, 31, 1000, 20000})
        for (const unsigned generations : {1, 2, 4, 8})
          for (const unsigned segments : {0, 1, 2, 3, 100000}) {
            const Cut cut =
                cut_for(make_layout(width, height, 8, edge), generations, 132, segments);
            for (const std::uint32_t lanes : owners(cut)) ASSERT_GE(lanes, cut.lanes - 2);
            EXPECT_TRUE((cut.segment_rows + 2 * generations) % kTurn == 0 ||
                        cut.segment_rows == height);
            if (segments == 0) {
              EXPECT_LE(cut.blocks, 132u);
            }
          }
}

/// As many segments as rows may be asked for of the largest universes: the last lane of the line
/// still has a number of 32 bits, and stands in the last rows.
TEST(StridedLayout, LanesAreNumberedIn32Bits) {
  for (const Edge edge : {Edge::dead, Edge::torus})
    for (const auto& [width, height] :
         {std::pair{1u << 19, 1u << 20}, {1u << 20, 1u << 19}, {1u << 20, 1u << 20}}) {
      const Cut cut = cut_for(make_layout(width, height, 4, edge), 4, 132, height);
      EXPECT_LE(std::uint64_t{cut.blocks} * kBlockWarps * kOwnLanes + 32, std::uint64_t{1} << 32);
      const std::uint32_t ends = cut.end_blocks * kBlockWarps;
      const std::uint64_t lanes =
          std::uint64_t{cut.segments - (cut.end_blocks > 0 ? 2 : 0)} * cut.lanes;
      const auto last = static_cast<std::uint32_t>((lanes - 1) / kOwnLanes);
      const Place place =
          place_of(cut, ends + last, static_cast<std::uint32_t>((lanes - 1) % kOwnLanes));
      EXPECT_TRUE(place.inside);
      EXPECT_EQ(place.lane, cut.lanes - 1);
      const std::uint64_t segment = cut.segments - (cut.end_blocks > 0 ? 2 : 1);
      EXPECT_EQ(place.first, std::min<std::uint64_t>(segment * cut.rows / cut.segments,
                                                     cut.rows - cut.segment_rows));
    }
}

TEST(StridedLayout, BlocksAtADeadBorderHoldNothingElse) {
  const Cut cut = cut_for(make_layout(65536, 65536, 8, Edge::dead), 8, 132);
  ASSERT_GT(cut.end_blocks, 0u);
  for (std::uint32_t warp = 0; warp < cut.blocks * kBlockWarps; ++warp)
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const Place place = place_of(cut, warp, lane);
      EXPECT_EQ(place.first == 0 || place.first + cut.segment_rows == 65536,
                warp < cut.end_blocks * kBlockWarps);
    }
}

TEST(StridedLayout, TwoUniversesTakeNoMoreThanTwoPackedGridsAnd64MiB) {
  for (const std::uint32_t side : {4096u, 65536u, 65537u, 131072u, 262144u})
    for (const std::uint32_t group : {4u, 8u}) {
      const std::uint64_t packed = std::uint64_t{side} * ((side + 7) / 8);
      const std::uint64_t taken = make_layout(side, side, group, Edge::dead).size() * 4;
      EXPECT_GE(taken, packed) << side;
      EXPECT_LE(2 * taken, 2 * packed + (std::uint64_t{64} << 20)) << side << ", " << group;
    }
}

class CudaStrided : public testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    const Stage* found = find_stage("life/cuda/05_strided");
    if (found == nullptr) GTEST_SKIP() << "built without CUDA";
    stage_ = dynamic_cast<const LifeStage*>(found);
    const Availability available = stage_->availability();
    if (!available.ok) GTEST_SKIP() << available.reason;
  }
  void expect_equal(std::uint64_t width, std::uint64_t height, std::uint64_t steps,
                    std::uint64_t segments) {
    const Grid start = soup(width, height, width + height, 110);
    for (const Edge edge : {Edge::dead, Edge::torus}) {
      Parameters parameters = parameters_for(*stage_, width, height, steps, edge);
      parameters.set("lane_words", GetParam());
      parameters.set("segments", segments);
      const auto universe = stage_->prepare_universe(parameters, start);
      universe->run();
      universe->run();
      EXPECT_EQ("", difference(reference_run(start, 2 * steps, edge), universe->collect()))
          << width << " x " << height << ", 2 x " << steps << " steps, " << segments
          << " segments, " << (edge == Edge::torus ? "torus" : "dead border");
    }
  }
  const LifeStage* stage_ = nullptr;
};

TEST_P(CudaStrided, LongSegments) {
  for (const std::uint64_t width : {5, 256, 1024, 1031, 8192, 8500})
    for (const std::uint64_t segments : {1, 2, 5}) expect_equal(width, 157, 8, segments);
}

TEST_P(CudaStrided, RowsOfManyWarps) {
  expect_equal(65536, 40, 8, 1);
  expect_equal(65536 - 8, 40, 4, 2);
  expect_equal(65537, 40, 3, 1);
}

TEST_P(CudaStrided, EveryCountOfGenerationsAndRows) {
  for (std::uint64_t steps = 1; steps <= 9; ++steps) expect_equal(520, 60 + steps, steps, 1);
  for (std::uint64_t height = 1; height <= 40; height += 3) expect_equal(512, height, 8, 1);
}

INSTANTIATE_TEST_SUITE_P(LaneWords, CudaStrided, testing::Values(4, 8));

}  // namespace
}  // namespace ratchet::life
