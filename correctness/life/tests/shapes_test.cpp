// Sizes and numbers of generations that counters and index types meet their ends at.
#include "correctness/life/tests/support/stage_tests.h"

namespace ratchet::life {
namespace {

/// Every width once: words of any size, strips, blocks and vectors all end somewhere below.
TEST_P(Life, EveryWidth) {
  for (std::uint64_t width = 1; width <= 1100; ++width)
    expect_equal(soup(width, 3 + width % 5, width, 100), 3);
}

/// Widths of whole words, behind whose last cell a word begins that has to stay dead: in enough rows
/// that something is born there.
TEST_P(Life, WidthsOfWholeWords) {
  for (std::uint64_t width = 64; width <= 1088; width += 64)
    expect_equal(soup(width, 131, width, 100), 5);
}

/// More rows than 15 and 16 bits count, signed or not.
TEST_P(Life, RowsBeyond16Bits) {
  for (const std::uint64_t height : {32'767, 32'768, 32'769, 65'535, 65'536, 65'537, 70'001})
    expect_equal(soup(67, height, height, 100), 3);
}

/// More columns than that.
TEST_P(Life, ColumnsBeyond16Bits) {
  // The widest, too: 2^16 words of 16 cells.
  for (const std::uint64_t width : {32'769, 65'537, 70'001, 1'048'571})
    expect_equal(soup(width, 5, width, 100), 3);
}

TEST_P(Life, CountsCellsBeyond32Bits) {
  const Grid start = soup(3, 4096, 1, 90);
  for (const std::uint64_t steps : {std::uint64_t{1} << 19, std::uint64_t{1} << 20})
    EXPECT_EQ(stage().prepare_universe(parameters_for(stage(), 3, 4096, steps), start)->units(),
              3 * 4096 * steps);
}

TEST_P(Life, EveryNumberOfStepsTo130) {
  for (std::uint64_t steps = 1; steps <= 130; ++steps) expect_equal(soup(97, 45, steps, 90), steps);
}

/// Soups, of which little moves by then, and where there is a torus a glider, which is back after
/// 128 generations.
TEST_P(Life, GenerationsBeyond16Bits) {
  Grid glider(32, 32);
  for (const auto& [x, y] : {std::pair{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}})
    glider.set(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y), true);
  for (const std::uint64_t steps : {65'535, 65'536, 65'537, 70'001}) {
    expect_equal(soup(45, 33, steps, 90), steps);
    if (!has_torus(stage())) continue;
    EXPECT_EQ("", difference(reference_run(glider, steps % 128, Edge::torus),
                             stage_run(stage(), glider, steps, 1, Edge::torus)))
        << steps << " generations";
  }
}

}  // namespace
}  // namespace ratchet::life
