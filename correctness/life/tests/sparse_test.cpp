// Tiles that are skipped because nothing changed: none too early, and all that can be.
//
// life_test holds the stage against the definition; here is what is special to it. On a device;
// skipped by name without one.
#include "kernels/life/sparse/sparse.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "correctness/life/oracles/oracle.h"
#include "correctness/life/tests/support/on_device.h"

namespace ratchet::life {
namespace {

class CudaSparse : public OnDevice {
 protected:
  void SetUp() override { need("life/cuda/07_sparse"); }
  /// Runs from `start`, skipping what can be, and compares after every run.
  void expect_exact(const Grid& start, std::uint64_t steps, unsigned runs,
                    std::uint64_t dense_above = 100) {
    const auto universe =
        stage_->prepare_universe(parameters(start, steps).set("dense_above", dense_above), start);
    Grid expected = start;
    for (unsigned run = 1; run <= runs; ++run) {
      universe->run();
      expected = oracle_run(expected, steps, Edge::dead);
      const std::string seen = difference(expected, universe->collect());
      ASSERT_EQ("", seen) << "after " << run << " runs of " << steps << " steps";
    }
    share_ = dynamic_cast<SparseUniverse&>(*universe).active_share();
  }
  double share_ = 1;
};

/// Lines of equal length; O is alive.
Grid cells(std::string_view lines) {
  const std::size_t width = lines.find('\n');
  Grid grid(width, lines.size() / (width + 1));
  for (std::size_t at = 0; at < lines.size(); ++at)
    if (lines[at] == 'O') grid.set(at % (width + 1), at / (width + 1), true);
  return grid;
}

void put(Grid& grid, const Grid& pattern, std::uint64_t x, std::uint64_t y) {
  for (std::uint64_t row = 0; row < pattern.height(); ++row)
    for (std::uint64_t column = 0; column < pattern.width(); ++column)
      grid.set(x + column, y + row, pattern.at(column, row));
}

Grid mirrored(const Grid& grid, bool left_right, bool up_down) {
  Grid result(grid.width(), grid.height());
  for (std::uint64_t y = 0; y < grid.height(); ++y)
    for (std::uint64_t x = 0; x < grid.width(); ++x)
      if (grid.at(x, y))
        result.set(left_right ? grid.width() - 1 - x : x, up_down ? grid.height() - 1 - y : y,
                   true);
  return result;
}
Grid turned(const Grid& grid) {
  Grid result(grid.height(), grid.width());
  for (std::uint64_t y = 0; y < grid.height(); ++y)
    for (std::uint64_t x = 0; x < grid.width(); ++x)
      if (grid.at(x, y)) result.set(y, x, true);
  return result;
}

const char* const kGlider = ".O.\n..O\nOOO\n";                  // to the lower right
const char* const kSpaceship = ".O..O\nO....\nO...O\nOOOO.\n";  // to the left
const char* const kBlock = "OO\nOO\n";
const char* const kPulsar =
    "..OOO...OOO..\n.............\nO....O.O....O\nO....O.O....O\nO....O.O....O\n..OOO...OOO..\n"
    ".............\n..OOO...OOO..\nO....O.O....O\nO....O.O....O\nO....O.O....O\n.............\n"
    "..OOO...OOO..\n";
const char* const kPentadecathlon = "..O....O..\nOO.OOOO.OO\n..O....O..\n";

TEST_F(CudaSparse, GlidersFlyIntoStillTilesFromFourCorners) {
  // Tiles are 32 cells wide; the blocks lie still long before the gliders arrive. Every offset of
  // the flight against the tiles.
  for (unsigned offset = 0; offset < 32; offset += 5) {
    Grid quarter(160, 160);
    put(quarter, cells(kGlider), 5 + offset, 3 + offset / 2);
    put(quarter, cells(kBlock), 110, 108);
    for (const bool left_right : {false, true})
      for (const bool up_down : {false, true})
        expect_exact(mirrored(quarter, left_right, up_down), 12, 40);
  }
}

TEST_F(CudaSparse, SpaceshipsFlyIntoStillTilesFromFourSides) {
  for (unsigned offset = 0; offset < 32; offset += 7) {
    Grid west(200, 96);
    put(west, cells(kSpaceship), 180 - offset, 45 + offset % 9);
    put(west, cells(kBlock), 40, 47);
    for (const bool mirror : {false, true}) {
      expect_exact(mirrored(west, mirror, false), 12, 30);
      expect_exact(turned(mirrored(west, mirror, false)), 12, 30);
    }
  }
}

TEST_F(CudaSparse, OscillatorsOfEveryKindAndOddSteps) {
  Grid start(400, 300);
  put(start, cells(kPulsar), 26, 24);           // period 3, over a corner of four tiles
  put(start, cells(kPentadecathlon), 123, 62);  // period 15: no pass is as long
  put(start, cells("OOO\n"), 255, 100);         // period 2, over an edge
  put(start, cells("OOO\n"), 300, 31);
  for (const std::uint64_t steps : {1, 5, 7, 11, 12, 13, 15, 24, 25, 60}) {
    expect_exact(start, steps, 8);
    if (steps * 8 >= 2 * 12) {
      EXPECT_LT(share_, 0.2) << "the rest of the universe is empty";
    }
  }
}

TEST_F(CudaSparse, NothingIsActiveWhereAllRepeats) {
  Grid start(700, 500);
  for (unsigned i = 0; i < 9; ++i) put(start, cells(i % 2 ? "OOO\n" : kBlock), 70 * i, 50 * i + 3);
  put(start, cells(kPulsar), 400, 100);
  expect_exact(start, 12, 3);
  EXPECT_EQ(0, share_);
  put(start, cells(kPentadecathlon), 200, 300);
  expect_exact(start, 12, 3);
  EXPECT_GT(share_, 0);
}

TEST_F(CudaSparse, SoupsUntilTheySettle) {
  expect_exact(soup(1000, 700, 4, 100), 300, 10);
  expect_exact(soup(333, 257, 5, 128), 12, 150);
  expect_exact(soup(333, 257, 6, 128), 97, 30);
  EXPECT_LT(share_, 0.7);
}

// The cells are right without a change-over, too: a sample that compares ghost words takes a
// settled universe for half active, and a host far ahead may never find its newest comparison done.
TEST_F(CudaSparse, ChangesOverFromDenseWhenTheSoupHasSettled) {
  const Grid start = soup(1300, 900, 8, 80);  // large enough to start dense
  const auto universe = stage_->prepare_universe(parameters(start, 1000), start);
  auto& sparse = dynamic_cast<SparseUniverse&>(*universe);
  EXPECT_EQ(1, sparse.active_share());
  Grid expected = start;
  for (unsigned run = 0; run < 12; ++run) {
    universe->run();
    expected = oracle_run(expected, 1000, Edge::dead);
    ASSERT_EQ("", difference(expected, universe->collect())) << "run " << run;
  }
  EXPECT_LT(sparse.active_share(), 0.5);
}

TEST_F(CudaSparse, ChangesOverWhileTheHostRunsAhead) {
  const Grid start = soup(1300, 900, 8, 80);
  const auto universe =
      stage_->prepare_universe(parameters(start, 60).set("settle", std::uint64_t{20004}), start);
  EXPECT_LT(dynamic_cast<SparseUniverse&>(*universe).active_share(), 0.5);
  EXPECT_EQ("", difference(oracle_run(start, 20004, Edge::dead), universe->collect()));
}

TEST_F(CudaSparse, ChangesOverToDenseWhereMuchIsActive) {
  const Grid start = soup(600, 500, 9, 128);  // small enough to start sparse
  auto all = parameters(start, 780);
  const auto universe = stage_->prepare_universe(all.set("dense_above", std::uint64_t{20}), start);
  Grid expected = start;
  bool was_dense = false;
  for (unsigned run = 0; run < 12; ++run) {
    universe->run();
    expected = oracle_run(expected, 780, Edge::dead);
    ASSERT_EQ("", difference(expected, universe->collect())) << "run " << run;
    was_dense = was_dense || dynamic_cast<SparseUniverse&>(*universe).active_share() == 1;
  }
  EXPECT_TRUE(was_dense);
}

TEST_F(CudaSparse, LargeEnoughForTheWideKernel) {
  expect_as_in_one_piece(soup(16500, 16411, 5, 110), 45);
}

TEST_F(CudaSparse, ResetBringsBackTheSettledState) {
  // The last run is long enough to change tiles that were not listed when it began.
  for (const auto& [width, settle, dense_above, steps] :
       {std::array<std::uint64_t, 4>{500, 0, 100, 60},
        {500, 1501, 100, 60},
        {500, 3000, 100, 60},
        {500, 3000, 35, 60},
        {1400, 0, 35, 60},
        {1400, 901, 35, 60},
        {1400, 8000, 35, 60},
        {1024, 600, 100, 768}}) {
    const Grid start = soup(width, 900, 2, 100);
    auto all = parameters(start, steps).set("settle", settle).set("dense_above", dense_above);
    const auto universe = stage_->prepare_universe(all, start);
    const Grid settled = oracle_run(start, settle, Edge::dead),
               after = oracle_run(settled, steps, Edge::dead);
    EXPECT_EQ("", difference(settled, universe->collect())) << width << ", settled " << settle;
    for (unsigned round = 0; round < 3; ++round) {
      universe->run();
      EXPECT_EQ("", difference(after, universe->collect())) << width << ", settled " << settle;
      universe->run();
      universe->reset();
      EXPECT_EQ("", difference(settled, universe->collect())) << width << ", settled " << settle;
    }
  }
}

/// A second run repeats the first, however many passes lie between the last that listed a tile and
/// the next. In a soup that settles, tiles were listed last at every time, also 256 passes before
/// the next run begins.
TEST_F(CudaSparse, TilesAreListedAgainAfterAnyNumberOfPasses) {
  constexpr std::uint64_t kPassGenerations = 12;
  const Grid start = soup(960, 960, 6, 90);
  for (const std::uint64_t passes : {260, 280, 310, 350, 400, 480}) {
    auto all = parameters(start, kPassGenerations * passes).set("dense_above", std::uint64_t{100});
    const auto universe = stage_->prepare_universe(all, start);
    universe->run();
    const Grid first = universe->collect();
    universe->reset();
    universe->run();
    ASSERT_EQ("", difference(first, universe->collect())) << passes << " passes";
  }
}

}  // namespace
}  // namespace ratchet::life
