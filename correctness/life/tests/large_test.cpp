// Universes as large as a stage can afford, and old ones.
#include "correctness/life/tests/support/scenes.h"
#include "correctness/life/tests/support/stage_tests.h"

namespace ratchet::life {
namespace {

/// One below, at and above a power of two, the largest that the stage can do in half a second; on
/// a GPU that is 8192 and enough to fill it.
TEST_P(Life, LargeSoups) {
  constexpr std::uint64_t kSteps = 100, kSeed = 77;
  std::uint64_t side = 8192;
  while (side > 256 && !affordable(stage(), static_cast<double>(side * side * kSteps), 0.15))
    side /= 2;
  RecordProperty("side", static_cast<int>(side));
  for (const auto& [width, height] :
       {std::pair{side - 1, side + 1}, {side, side}, {side + 1, side - 1}}) {
    const Soup soup{width, height, kSeed, 100};
    for (const Edge edge : edges())
      ASSERT_EQ(
          "", difference(soup.end(kSteps, edge), stage_run(stage(), soup.start(), kSteps, 1, edge)))
          << width << " x " << height << ", " << to_string(edge);
  }
}

/// Cells whose number is none of 32 bits. Nothing is run, but universes of a bit a cell take a GiB
/// and seconds: of each class of universes only the stage with threads is asked.
TEST_P(Life, CountsMoreCellsThan32Bits) {
  constexpr std::uint64_t kWidth = 65536, kHeight = 65537, kSteps = 3;
  constexpr std::uint64_t kUpdates = kWidth * kHeight * kSteps;
  const Parameters parameters = parameters_for(stage(), kWidth, kHeight, kSteps);
  EXPECT_EQ(cell_updates(parameters), kUpdates);
  if (stage().info().backend != Backend::cpu)
    GTEST_SKIP() << "its count is cell_updates(), looked at above";
  if (!stage().info().threaded())
    GTEST_SKIP() << "its class of universes is that of a stage with threads";
  EXPECT_EQ(stage().prepare_universe(parameters, Grid(kWidth, kHeight))->units(), kUpdates);
}

/// A soup until little of it still moves, and on: what has come to rest is hit by gliders again.
TEST_P(Life, SoupsThatSettle) {
  constexpr std::uint64_t kWidth = 300, kHeight = 220, kSteps = 250, kSeed = 11;
  const Soup soup{kWidth, kHeight, kSeed, 90};
  for (const Edge edge : edges()) {
    const auto universe = stage().prepare_universe(
        parameters_for(stage(), kWidth, kHeight, kSteps, edge), soup.start());
    for (std::uint64_t run = 1; run <= 12; ++run) {
      if (!affordable(stage(), static_cast<double>(kWidth * kHeight * kSteps * run), 1)) break;
      universe->run();
      if (run % 4 != 1) continue;
      ASSERT_EQ("", difference(soup.end(kSteps * run, edge), universe->collect()))
          << kSteps * run << " generations, " << to_string(edge);
    }
  }
}

/// Still and blinking tiles that gliders wake up, at every phase of what skips them.
TEST_P(Life, RestIsWokenUp) {
  const Grid start = ash_scene(701, 397);
  for (const std::uint64_t steps : {1, 2, 3, 16, 31, 32, 33, 100}) expect_equal(start, steps, 3);
  if (affordable(stage(), 701 * 397 * 1000.0, 1)) expect_equal(start, 500, 2);
}

/// Stripes from column `begin` to before `end`, every other row alive: still, but their ends burn
/// down by a cell a generation, as fast as anything can.
Grid stripes(std::uint64_t width, std::uint64_t height, std::uint64_t begin, std::uint64_t end) {
  Grid grid(width, height);
  for (std::uint64_t y = 0; y < height; y += 2)
    for (std::uint64_t x = begin; x < end; ++x) grid.set(x, y, true);
  return grid;
}
Grid turned(const Grid& grid) {
  Grid to(grid.height(), grid.width());
  for (std::uint64_t y = 0; y < grid.height(); ++y)
    for (std::uint64_t x = 0; x < grid.width(); ++x) to.set(y, x, grid.at(x, y));
  return to;
}

/// Gliders fly at a quarter of this speed. So they miss a halo that is a cell too small, and a tile
/// at rest that is woken a pass too late.
TEST_P(Life, StripesBurnAtTheSpeedOfLight) {
  constexpr std::uint64_t kWidth = 421, kHeight = 37;
  for (std::uint64_t begin = 0; begin < 33; ++begin)
    for (const std::uint64_t steps : {60, 17, 120}) {
      if (steps != 60 && begin % 8 != 0) continue;
      const Grid start = stripes(kWidth, kHeight, begin, kWidth - 2 * begin);
      const Grid end = stripes(kWidth, kHeight, begin + steps, kWidth - 2 * begin - steps);
      ASSERT_EQ("", difference(end, stage_run(stage(), start, steps))) << begin << ", " << steps;
      ASSERT_EQ("", difference(turned(end), stage_run(stage(), turned(start), steps)))
          << begin << ", " << steps << " downwards";
    }
}

/// One glider in an empty universe: every tile it enters must have been woken in time.
TEST_P(Life, AGliderCrossesEmptySpace) {
  if (!affordable(stage(), 4 * 520 * 520 * 960.0, 1)) GTEST_SKIP() << "too slow for 960 steps";
  for (const int dx : {-1, 1})
    for (const int dy : {-1, 1}) {
      Grid start(520, 520), end(520, 520);
      stamp_glider(start, 260, 260, dx, dy);
      stamp_glider(end, 260 + 240 * dx, 260 + 240 * dy, dx, dy);
      ASSERT_EQ("", difference(end, stage_run(stage(), start, 96, 10))) << dx << ", " << dy;
    }
}

/// One glider behind another: a tile that the first has left is woken by the second after any
/// number of passes, 256 of 12 generations among them.
TEST_P(Life, AGliderFollowsAfterAnyTime) {
  constexpr std::int64_t kNearest = 750, kFarthest = 960, kStep = 3, kWay = 1'100;
  constexpr std::uint64_t kSide = 100 + kFarthest + kWay + 100;
  const double updates = 4.0 * kWay * kSide * kSide * (kFarthest - kNearest) / kStep;
  if (!affordable(stage(), updates, 3)) GTEST_SKIP() << "too slow for seventy such universes";
  for (std::int64_t apart = kNearest; apart < kFarthest; apart += kStep) {
    Grid start(kSide, kSide), end(kSide, kSide);
    for (const std::int64_t at : {std::int64_t{100}, 100 + apart}) {
      // In four generations a glider has gone a cell down and a cell to the right.
      stamp_glider(start, at, at, 1, 1);
      stamp_glider(end, at + kWay, at + kWay, 1, 1);
    }
    ASSERT_EQ("", difference(end, stage_run(stage(), start, 4 * kWay))) << apart << " apart";
  }
}

}  // namespace
}  // namespace ratchet::life
