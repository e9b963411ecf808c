// The text's future work: universes larger than device memory, and skipping what does not change.
//
// life_test holds both stages against the definition; here is what is special to them: bands and
// the cap on device memory, tiles skipped too early, restored states. Skipped by name without a
// GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "correctness/harness/error_of.h"
#include "correctness/life/checks.h"
#include "correctness/life/packed_run.h"
#include "kernels/life/sparse.h"
#include "kernels/life/stream_plan.h"
#if RATCHET_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

namespace ratchet::life {
namespace {

const LifeStage* life_stage(const char* name) {
  return dynamic_cast<const LifeStage*>(find_stage(name));
}

TEST(PackedRun, EqualsTheDefinition) {
  for (const std::uint64_t width : {1, 63, 64, 65, 130})
    EXPECT_EQ("", difference(reference_run(soup(width, 40, width, 100), 9, Edge::dead),
                             packed_run(soup(width, 40, width, 100), 9)))
        << width;
}

// ---------------------------------------------------------------------------- the plan of a sweep

/// Every row of every moment is in one band, and what a pass reads is there.
void expect_complete(const Sweep& sweep, std::uint64_t height, std::uint64_t pass, Edge edge) {
  const auto generations = static_cast<std::int64_t>(sweep.generations());
  const auto rows = static_cast<std::int64_t>(height);
  const auto step = static_cast<std::int64_t>(pass);
  for (std::int64_t done = 0; done <= generations; done += std::min(step, generations - done)) {
    const std::int64_t beyond = edge == Edge::torus ? generations - done : 0;
    std::int64_t next = -beyond;
    for (std::uint64_t band = 0; band < sweep.bands(); ++band) {
      const RowRange own = sweep.rows(band, static_cast<std::uint64_t>(done));
      if (own.size() == 0) continue;
      ASSERT_EQ(next, own.first) << "band " << band << " after " << done;
      next = own.last;
      if (done == generations) continue;
      // A pass from here: rows that exist and lie below the band's own do not.
      const std::int64_t n = std::min(step, generations - done);
      const RowRange written = sweep.rows(band, static_cast<std::uint64_t>(done + n));
      if (written.size() == 0) continue;
      EXPECT_LE(std::min(written.last + n, rows + beyond), own.last);
      EXPECT_GE(std::max(written.first - n, -beyond),
                sweep.origin(band, static_cast<std::uint64_t>(done)) - 2 * step);
    }
    ASSERT_EQ(rows + beyond, next) << "after " << done;
    if (done == generations) break;
  }
}

TEST(StreamPlan, BandsCoverEveryRowOnceAtEveryMoment) {
  for (const Edge edge : {Edge::dead, Edge::torus})
    for (const std::uint64_t height : {1, 2, 40, 100, 1000})
      for (const std::uint64_t band : {16, 17, 33, 500, 2000})
        for (const std::uint64_t generations : {1, 7, 8, 9, 40, 100})
          if (edge == Edge::dead || generations <= height)
            expect_complete(Sweep(height, band, generations, edge), height, 8, edge);
}

TEST(StreamPlan, TakesNoMoreThanTheCapAndSaysWhenThatIsTooLittle) {
  unsigned refused = 0, planned = 0;
  for (const Edge edge : {Edge::dead, Edge::torus})
    for (const std::uint64_t bytes : {100'000u, 300'000u, 1'000'000u, 30'000'000u})
      for (const std::uint64_t steps : {1u, 8u, 100u, 5000u}) {
        const StreamNeeds needs{
            "life/cuda/06_streamed", bytes, 1024, 20000, steps, 8, 2, 256, edge};
        try {
          const StreamPlan plan = plan_stream(needs);
          EXPECT_LE(plan.device_rows * needs.row_bytes, bytes);
          EXPECT_GE(plan.band_rows, plan.halo_rows);
          EXPECT_LE(plan.sweep_steps, std::min<std::uint64_t>(steps, 256));
          ++planned;
        } catch (const Error& error) {
          EXPECT_NE(std::string(error.what()).find("raise device_mib"), std::string::npos);
          EXPECT_LT(bytes, 300'000u);
          ++refused;
        }
      }
  EXPECT_EQ(refused, 8u);
  EXPECT_EQ(planned, 24u);
}

// ------------------------------------------------------------------------------------- on a device

class OnDevice : public testing::Test {
 protected:
  void need(const char* name) {
    stage_ = life_stage(name);
    if (!stage_) GTEST_SKIP() << name << ": not built, CUDA is missing";
    const Availability available = stage_->availability();
    if (!available.ok) GTEST_SKIP() << name << ": " << available.reason;
  }
  Parameters parameters(const Grid& start, std::uint64_t steps) const {
    return parameters_for(*stage_, start.width(), start.height(), steps);
  }
  const LifeStage* stage_ = nullptr;
};

class Streamed : public OnDevice {
 protected:
  void SetUp() override { need("life/cuda/06_streamed"); }
};

TEST_F(Streamed, ManyLowBandsUnderASmallCap) {
  // 2.5 KB a row: 1 MiB holds some 420 rows in all, bands of some 50.
  const Grid start = soup(20000, 700, 3, 110);
  for (const std::uint64_t sweep : {8, 13, 40, 256}) {
    const auto universe = stage_->prepare_universe(
        parameters(start, 45).set("device_mib", std::uint64_t{1}).set("sweep", sweep), start);
    universe->run();
    universe->run();
    EXPECT_EQ("", difference(packed_run(start, 90), universe->collect())) << "sweep=" << sweep;
  }
}

TEST_F(Streamed, TorusOfManyBands) {
  if (!has_torus(*stage_)) GTEST_SKIP() << "no torus";
  for (const std::uint64_t height : {20, 90, 331}) {
    const Grid start = soup(97, height, height, 110);
    for (const std::uint64_t sweep : {9, 64})
      for (const std::uint64_t steps : {8, 50}) {
        auto all = parameters_for(*stage_, 97, height, steps, Edge::torus);
        const auto universe = stage_->prepare_universe(all.set("sweep", sweep), start);
        universe->run();
        universe->run();
        EXPECT_EQ("", difference(reference_run(start, 2 * steps, Edge::torus), universe->collect()))
            << height << " rows, sweep=" << sweep << ", " << steps << " steps";
      }
  }
}

TEST_F(Streamed, RefusesACapThatHoldsNoBand) {
  const Grid start(1u << 20, 3);
  EXPECT_NE(error_of([&] {
              stage_->prepare_universe(parameters(start, 1).set("device_mib", std::uint64_t{1}),
                                       start);
            }).find("raise device_mib"),
            std::string::npos);
}

#if RATCHET_HAVE_CUDA
std::size_t device_memory_used() {
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cudaSuccess, cudaMemGetInfo(&free, &total));
  return total - free;
}

TEST_F(Streamed, KeepsToItsCap) {
  const Grid start = soup(16384, 16384, 1, 128);  // 32 MiB
  // What a context and its kernels take is no stage's: loaded before.
  stage_run(*stage_, soup(100, 100, 1, 128), 40);
  const std::size_t before = device_memory_used();
  const auto universe =
      stage_->prepare_universe(parameters(start, 48).set("device_mib", std::uint64_t{12}), start);
  const std::size_t prepared = device_memory_used();
  universe->run();
  universe->wait();
  EXPECT_LE(device_memory_used() - before, std::size_t{12} << 20);
  EXPECT_GE(prepared - before, std::size_t{6} << 20) << "the cap is there to be used";
  EXPECT_EQ("", difference(packed_run(start, 48), universe->collect()));
}
#endif

class Sparse : public OnDevice {
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
      expected = packed_run(std::move(expected), steps);
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

TEST_F(Sparse, GlidersFlyIntoStillTilesFromFourCorners) {
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

TEST_F(Sparse, SpaceshipsFlyIntoStillTilesFromFourSides) {
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

TEST_F(Sparse, OscillatorsOfEveryKindAndOddSteps) {
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

TEST_F(Sparse, NothingIsActiveWhereAllRepeats) {
  Grid start(700, 500);
  for (unsigned i = 0; i < 9; ++i) put(start, cells(i % 2 ? "OOO\n" : kBlock), 70 * i, 50 * i + 3);
  put(start, cells(kPulsar), 400, 100);
  expect_exact(start, 12, 3);
  EXPECT_EQ(0, share_);
  put(start, cells(kPentadecathlon), 200, 300);
  expect_exact(start, 12, 3);
  EXPECT_GT(share_, 0);
}

TEST_F(Sparse, SoupsUntilTheySettle) {
  expect_exact(soup(1000, 700, 4, 100), 300, 10);
  expect_exact(soup(333, 257, 5, 128), 12, 150);
  expect_exact(soup(333, 257, 6, 128), 97, 30);
  EXPECT_LT(share_, 0.7);
}

TEST_F(Sparse, ChangesOverFromDenseWhenTheSoupHasSettled) {
  const Grid start = soup(1300, 900, 8, 80);  // large enough to start dense
  const auto universe = stage_->prepare_universe(parameters(start, 1000), start);
  auto& sparse = dynamic_cast<SparseUniverse&>(*universe);
  EXPECT_EQ(1, sparse.active_share());
  Grid expected = start;
  for (unsigned run = 0; run < 12; ++run) {
    universe->run();
    expected = packed_run(std::move(expected), 1000);
    ASSERT_EQ("", difference(expected, universe->collect())) << "run " << run;
  }
  EXPECT_LT(sparse.active_share(), 0.5);
}

TEST_F(Sparse, ChangesOverWhileTheHostRunsAhead) {
  const Grid start = soup(1300, 900, 8, 80);
  const auto universe =
      stage_->prepare_universe(parameters(start, 60).set("settle", std::uint64_t{20004}), start);
  EXPECT_LT(dynamic_cast<SparseUniverse&>(*universe).active_share(), 0.5);
  EXPECT_EQ("", difference(packed_run(start, 20004), universe->collect()));
}

TEST_F(Sparse, ChangesOverToDenseWhereMuchIsActive) {
  const Grid start = soup(600, 500, 9, 128);  // small enough to start sparse
  auto all = parameters(start, 780);
  const auto universe = stage_->prepare_universe(all.set("dense_above", std::uint64_t{20}), start);
  Grid expected = start;
  bool was_dense = false;
  for (unsigned run = 0; run < 12; ++run) {
    universe->run();
    expected = packed_run(std::move(expected), 780);
    ASSERT_EQ("", difference(expected, universe->collect())) << "run " << run;
    was_dense = was_dense || dynamic_cast<SparseUniverse&>(*universe).active_share() == 1;
  }
  EXPECT_TRUE(was_dense);
}

TEST_F(Sparse, ResetBringsBackTheSettledState) {
  for (const auto& [width, settle, dense_above] : {std::array<std::uint64_t, 3>{500, 0, 100},
                                                   {500, 1501, 100},
                                                   {500, 3000, 100},
                                                   {500, 3000, 35},
                                                   {1400, 0, 35},
                                                   {1400, 901, 35},
                                                   {1400, 8000, 35}}) {
    const Grid start = soup(width, 900, 2, 100);
    auto all = parameters(start, 60).set("settle", settle).set("dense_above", dense_above);
    const auto universe = stage_->prepare_universe(all, start);
    const Grid settled = packed_run(start, settle), after = packed_run(settled, 60);
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

}  // namespace
}  // namespace ratchet::life
