// The border, dead or joined to the opposite side, on every side and corner.
#include <numeric>

#include "correctness/life/tests/support/scenes.h"
#include "correctness/life/tests/support/stage_tests.h"

namespace ratchet::life {
namespace {

TEST_P(Life, PatternsAtEveryBorder) {
  for (const std::uint64_t width : {20, 31, 32, 33, 63, 64, 65, 127, 128, 130, 255, 257, 1025})
    for (const std::uint64_t height : {20, 31, 33, 64, 129}) {
      expect_equal(border_scene(width, height), 1);
      expect_equal(border_scene(width, height), 25);
    }
  expect_equal(border_scene(640, 400), 70);
}

/// Everything alive: a border that is not dead, or a row of a tile that is never computed, shows
/// in the first generations along its whole length.
TEST_P(Life, FullUniversesDieFromTheBorder) {
  for (const std::uint64_t width : {1, 2, 31, 32, 33, 64, 65, 100, 256, 513})
    for (const std::uint64_t height : {1, 2, 33, 64, 100}) {
      expect_equal(Soup{width, height, 1, 256}, 1);
      expect_equal(Soup{width, height, 1, 256}, 20);
    }
}

/// Gliders against all four corners of a dead border, from all places along it.
TEST_P(Life, GlidersLeaveNothingStrange) {
  for (std::int64_t place = 0; place < 36; ++place)
    for (const int dx : {-1, 1})
      for (const int dy : {-1, 1}) {
        Grid start(70, 40);
        stamp_glider(start, place, dy < 0 ? 1 : 36, dx, dy);
        stamp_glider(start, dx < 0 ? 1 : 66, place, dx, dy);
        expect_equal(start, 16);
      }
}

/// A glider is back where it was when it has crossed all of a torus: width and height generations
/// of 4 each, or as many as both divide.
TEST_P(Life, GlidersReturnOnATorus) {
  if (!has_torus(stage())) GTEST_SKIP() << "the stage has no torus";
  for (const auto& [width, height] : {std::pair<std::uint64_t, std::uint64_t>{5, 5},
                                      {31, 31},
                                      {32, 32},
                                      {33, 33},
                                      {64, 64},
                                      {65, 65},
                                      {96, 48},
                                      {20, 60},
                                      {128, 128},
                                      {130, 65},
                                      {256, 256}})
    for (const int dx : {-1, 1})
      for (const int dy : {-1, 1}) {
        Grid start(width, height);
        stamp_glider(start, 1, 1, dx, dy);
        ASSERT_EQ("", difference(start, stage_run(stage(), start, 4 * std::lcm(width, height), 1,
                                                  Edge::torus)))
            << width << " x " << height << " towards " << dx << ", " << dy;
      }
}

/// On a torus there is no border: moving the start moves the end.
TEST_P(Life, ATorusHasNoPlaceOfItsOwn) {
  if (!has_torus(stage())) GTEST_SKIP() << "the stage has no torus";
  const auto moved = [](const Grid& grid, std::uint64_t dx, std::uint64_t dy) {
    Grid to(grid.width(), grid.height());
    for (std::uint64_t y = 0; y < grid.height(); ++y)
      for (std::uint64_t x = 0; x < grid.width(); ++x)
        to.set((x + dx) % grid.width(), (y + dy) % grid.height(), grid.at(x, y));
    return to;
  };
  const Grid start = soup(97, 50, 8, 100);
  const Grid end = oracle_run(start, 40, Edge::torus);
  for (const auto& [dx, dy] : {std::pair<std::uint64_t, std::uint64_t>{1, 0},
                               {0, 1},
                               {31, 7},
                               {32, 16},
                               {64, 25},
                               {96, 49}})
    ASSERT_EQ("", difference(moved(end, dx, dy),
                             stage_run(stage(), moved(start, dx, dy), 40, 1, Edge::torus)))
        << "moved by " << dx << ", " << dy;
}

// Sizes and numbers of generations that counters and index types meet their ends at.

/// Every width once: words of any size, strips, blocks and vectors all end somewhere below.
TEST_P(Life, EveryWidth) {
  for (std::uint64_t width = 1; width <= 1100; ++width)
    expect_equal(Soup{width, 3 + width % 5, width, 100}, 3);
}

/// Widths of whole words, behind whose last cell a word begins that has to stay dead: in enough
/// rows that something is born there.
TEST_P(Life, WidthsOfWholeWords) {
  for (std::uint64_t width = 64; width <= 1088; width += 64)
    expect_equal(Soup{width, 131, width, 100}, 5);
}

/// More rows than 15 and 16 bits count, signed or not.
TEST_P(Life, RowsBeyond16Bits) {
  for (const std::uint64_t height : {32'767, 32'768, 32'769, 65'535, 65'536, 65'537, 70'001})
    expect_equal(Soup{67, height, height, 100}, 3);
}

/// More columns than that.
TEST_P(Life, ColumnsBeyond16Bits) {
  // The widest, too: 2^16 words of 16 cells.
  for (const std::uint64_t width : {32'769, 65'537, 70'001, 1'048'571})
    expect_equal(Soup{width, 5, width, 100}, 3);
}

TEST_P(Life, CountsCellsBeyond32Bits) {
  const Grid start = soup(3, 4096, 1, 90);
  for (const std::uint64_t steps : {std::uint64_t{1} << 19, std::uint64_t{1} << 20})
    EXPECT_EQ(stage().prepare_universe(parameters_for(stage(), 3, 4096, steps), start)->units(),
              3 * 4096 * steps);
}

TEST_P(Life, EveryNumberOfStepsTo130) {
  for (std::uint64_t steps = 1; steps <= 130; ++steps) expect_equal(Soup{97, 45, steps, 90}, steps);
}

/// A soup, of which little moves by then; and where there is a torus a glider, which is where it
/// was after 132 generations, but not after 65 536, so that of 70 001 the last 4465 alone do not
/// do.
TEST_P(Life, GenerationsBeyond16Bits) {
  const Soup soup{45, 33, 65'536, 90};
  EXPECT_EQ("", difference(soup.end(65'536, Edge::dead), stage_run(stage(), soup.start(), 65'536)));
  if (!has_torus(stage())) return;
  Grid glider(33, 33);
  stamp_glider(glider, 1, 1, 1, 1);
  EXPECT_EQ("", difference(reference_run(glider, 70'001 % 132, Edge::torus),
                           stage_run(stage(), glider, 70'001, 1, Edge::torus)));
}

}  // namespace

}  // namespace ratchet::life
