// The source of the strided kernel (life/cuda/05_strided, 10_crowded_border, and under 06 and 07) on a CPU: every
// shape and border through its loop, and DenseKernel's passes over rows amidst garbage.
#include "correctness/life/tests/emulated/strided_on_host.h"
// After it:
#include "kernels/life/dense/cuda_dense_pass.h"
#include "kernels/life/strided/cuda_strided_convert.cuh"

// And the rest.
#include <gtest/gtest.h>

#include <string>

#include "correctness/life/checks/checks.h"
#include "correctness/life/oracles/oracle.h"

namespace ratchet::life {
namespace {

using namespace strided;
using on_host::launch;
using Words = std::vector<std::uint32_t>;

/// A shape of 05, 06 and 07.
template <int K, int T>
using Of = Shape<K, T, K / 2, 256, 1>;

/// A grid's rows to strided ones at `to`, and back.
void pack(const Layout& layout, const Grid& grid, std::uint32_t* to) {
  const auto* packed = reinterpret_cast<const std::uint32_t*>(grid.words().data());
  launch(to_strided, static_cast<unsigned>(grid.height()), 32, layout, packed,
         static_cast<std::uint32_t>(grid.words_per_row() * 2), to + layout.lead());
}
void unpack(const Layout& layout, const std::uint32_t* from, Grid& grid) {
  auto* packed = reinterpret_cast<std::uint32_t*>(grid.words().data());
  launch(from_strided, static_cast<unsigned>(grid.height()), 32, layout, from + layout.lead(),
         static_cast<std::uint32_t>(grid.words_per_row() * 2), packed);
}
/// The ghosts of `rows` rows from `row` on; gather_ghosts takes 2 * group threads, no whole warp.
void ghosts(const Layout& layout, std::uint32_t* row, std::int64_t rows) {
  if (!layout.gathers()) return;
  for (blockIdx.x = 0; blockIdx.x < rows; ++blockIdx.x)
    for (threadIdx.x = 0; threadIdx.x < 2 * layout.group; ++threadIdx.x)
      gather_ghosts(layout, row + layout.lead());
}

template <class Shape, Border kBorder>
void launch_pass(const Pass& job) {
  launch(advance<Shape, kBorder>, job.cut.blocks, Shape::kThreads, job);
}
template <class Shape>
void launch_pass(const Pass& job) {
  if (job.layout.edge == Edge::torus) return launch_pass<Shape, Border::torus>(job);
  job.layout.aligned() ? launch_pass<Shape, Border::aligned>(job)
                       : launch_pass<Shape, Border::any>(job);
}

std::string name_of(const Layout& layout, int generations) {
  return std::to_string(layout.width) + " wide, " +
         (layout.edge == Edge::torus ? "torus, K " : "dead border, K ") +
         std::to_string(layout.group) + ", T " + std::to_string(generations);
}

template <class Shape>
class StridedKernel : public testing::Test {
 protected:
  static constexpr int T = Shape::T;

  /// As 05 launches it: two passes over a universe.
  static void expect_universe(std::uint32_t width, std::uint32_t height, Edge edge,
                              std::uint32_t segments) {
    const Layout layout = make_layout(width, height, Shape::K, edge);
    const Grid start = soup(width, height, width + height, 110);
    Words now(layout.size()), next(layout.size());
    pack(layout, start, now.data());
    for (int pass = 0; pass < 2; ++pass) {
      ghosts(layout, now.data(), height);
      Pass job{now.data() + layout.lead(), next.data() + layout.lead(), layout,
               cut_for(layout, T, 0, segments), layout.gathers()};
      job.boundary = static_cast<std::int32_t>(layout.boundary());
      launch_pass<Shape>(job);
      now.swap(next);
    }
    Grid end(width, height);
    unpack(layout, now.data(), end);
    EXPECT_EQ("", difference(oracle_run(start, 2 * T, edge), end))
        << name_of(layout, T) << ", " << height << " rows, " << segments << " segments";
  }

  /// As DenseKernel launches it: rows first .. last - 1 of a universe. All memory but the rows that
  /// a pass may read is garbage, and only what it was asked for changes.
  static void expect_band(std::uint32_t width, std::int64_t height, Edge edge, std::int64_t first,
                          std::int64_t last, std::uint32_t resident) {
    constexpr std::int64_t kAround = 12;
    const Layout layout = make_layout(width, 0, Shape::K, edge);
    const std::int64_t pitch = layout.pitch;
    const Grid start = soup(width, static_cast<std::uint64_t>(height), width, 110),
               end = oracle_run(start, T, edge);
    Words universe(static_cast<std::size_t>(height * pitch)), expected = universe;
    pack(layout, start, universe.data());
    pack(layout, end, expected.data());

    Words in(static_cast<std::size_t>((height + 2 * kAround) * pitch), 0x5a3c96e1), out = in;
    std::uint32_t *in_row_0 = in.data() + kAround * pitch,
                  *out_row_0 = out.data() + kAround * pitch;
    for (std::int64_t y = first - T; y < last + T; ++y)
      if (edge == Edge::torus || (y >= 0 && y < height))
        std::copy_n(universe.data() + (y + 8 * height) % height * pitch, pitch,
                    in_row_0 + y * pitch);
    ghosts(layout, in_row_0 + (first - T) * pitch, last - first + 2 * T);
    const Words before = out;
    launch_pass<Shape>(
        dense_pass(layout, in_row_0, out_row_0, first, last - first, height, T, resident));
    for (std::int64_t y = -kAround; y < height + kAround; ++y) {
      const bool wanted = y >= first && y < last;
      for (std::int64_t j = 0; j < pitch; ++j) {
        const bool cells = j >= layout.lead() && j < layout.lead() + layout.words;
        const std::uint32_t right =
            wanted && cells ? expected[y * pitch + j] : before[(y + kAround) * pitch + j];
        ASSERT_EQ(right, out_row_0[y * pitch + j])
            << name_of(layout, T) << ", rows " << first << " to " << last << " of " << height
            << ", " << resident << " warps, row " << y << ", word " << j - layout.lead();
      }
    }
  }

  /// Widths: whole words, and with an aligned border; neither; and, of two warps a row, aligned.
  static std::array<std::uint32_t, 3> widths() { return {64 * Shape::K, 301, 1120 * Shape::K}; }
  void SetUp() override { on_host::warp.at_once = false; }
};

using Shapes = testing::Types<Of<4, 1>, Of<4, 2>, Of<4, 4>, Of<8, 1>, Of<8, 2>, Of<8, 4>, Of<8, 8>,
                              Crowded<8>>;
TYPED_TEST_SUITE(StridedKernel, Shapes);

TYPED_TEST(StridedKernel, WholeUniversesInLongSegments) {
  for (const bool at_once : {false, true}) {
    on_host::warp.at_once = at_once;
    for (const Edge edge : {Edge::dead, Edge::torus})
      for (const std::uint32_t width : this->widths())
        for (const std::uint32_t segments : {1, 2, 3})
          this->expect_universe(width, 71, edge, segments);
  }
}

TYPED_TEST(StridedKernel, LowUniverses) {
  for (const Edge edge : {Edge::dead, Edge::torus})
    for (const std::uint32_t height : {1, 2, 7, 16, 20})
      this->expect_universe(301, height, edge, 1);
}

TYPED_TEST(StridedKernel, BandsAmidstGarbage) {
  struct Band {
    std::int64_t height, first, last;
  };
  constexpr Band kBands[] = {{90, 0, 90},  {90, 0, 40},  {90, 33, 90}, {90, 60, 85}, {90, 50, 78},
                             {90, 50, 80}, {90, 50, 89}, {90, 88, 90}, {5, 0, 5},    {5, 3, 4}};
  for (const Edge edge : {Edge::dead, Edge::torus})
    for (const std::uint32_t width : this->widths())
      for (const Band& band : kBands)
        for (const std::uint32_t resident : {0, 3}) {
          this->expect_band(width, band.height, edge, band.first, band.last, resident);
          if (this->HasFatalFailure()) return;
        }
}

TEST(StridedKernelWidths, MeetEveryBorder) {
  for (const std::uint32_t group : {4, 8}) {
    EXPECT_TRUE(make_layout(64 * group, 9, group, Edge::dead).aligned());
    EXPECT_FALSE(make_layout(301, 9, group, Edge::dead).aligned());
    EXPECT_TRUE(make_layout(1120 * group, 9, group, Edge::dead).aligned());
    EXPECT_FALSE(make_layout(64 * group, 9, group, Edge::torus).gathers());
    EXPECT_TRUE(make_layout(301, 9, group, Edge::torus).gathers());
  }
}

}  // namespace
}  // namespace ratchet::life
