// Known answers of others: methuselahs, guns and tori of full size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

#include "correctness/life/checks/checks.h"
#include "correctness/life/oracles/oracle.h"
#include "correctness/life/tests/support/scenes.h"
#include "correctness/life/tests/support/stage_tests.h"
#include "correctness/support/error_of.h"
#include "kernels/life/grid/grid.h"
#include "kernels/support/counter_stream.h"
#include "kernels/support/opencl_device.h"

namespace ratchet::life {
namespace {

double seconds_for(const LifeStage& stage) {
  return stage.info().backend == Backend::cuda ? 10 : 1.5;
}

double updates(const Grid& start, std::uint64_t generations) {
  return static_cast<double>(start.width() * start.height()) * static_cast<double>(generations);
}

TEST_P(Life, KnownPatterns) {
  int run = 0;
  std::string left_out;
  for (const KnownPattern& known : read_known_patterns()) {
    if (known.generation == 0) continue;
    const Grid start = on_a_plane(known);
    const std::string name = known.name + " at " + std::to_string(known.generation);
    if (!affordable(stage(), updates(start, known.generation), seconds_for(stage()))) {
      left_out += (left_out.empty() ? "" : ", ") + name;
      continue;
    }
    const Grid end = stage_run(stage(), start, known.generation);
    ASSERT_EQ(end.population(), known.population) << name;
    ASSERT_EQ(bounding_box(end), box_on_a_plane(known)) << name;
    ++run;
  }
  EXPECT_GE(run, 60);  // what is small is run on every stage, however slow
  if (!left_out.empty())
    std::printf("too slow for %s: %s\n", stage().info().name.c_str(), left_out.c_str());
}

/// A179415: this one's history is the same on any torus of 26 x 26 or larger.
TEST_P(Life, KnownPatternOnASmallTorus) {
  if (!has_torus(stage())) GTEST_SKIP() << "the stage has no torus";
  int run = 0;
  for (const KnownPattern& known : read_known_patterns()) {
    if (!known.name.starts_with("lumps of muck") || known.generation == 0) continue;
    for (const std::uint64_t side : {26, 32, 33}) {
      const Grid start = placed(known.pattern, side, side, 20, 21);
      const Grid end = stage_run(stage(), start, known.generation, 1, Edge::torus);
      ASSERT_EQ(end.population(), known.population) << side << ", " << known.generation;
      ++run;
    }
  }
  EXPECT_EQ(run, 3 * 34);
}

void expect_torus(const LifeStage& stage, const KnownTorus& known, const Grid& start) {
  const Grid end = stage_run(stage, start, known.steps, 1, Edge::torus);
  const std::string name =
      stage.info().name + ", " + std::to_string(known.width) + " x " + std::to_string(known.height);
  EXPECT_EQ(end.population(), known.population) << name;
  EXPECT_EQ(tile_checksum(end), known.checksum) << name;
}

/// Starts of one width are the upper rows of one another: the tallest of each width.
std::map<std::uint64_t, Grid> tallest_starts(const std::vector<KnownTorus>& all) {
  std::map<std::uint64_t, KnownTorus> tallest;
  for (const KnownTorus& known : all) {
    KnownTorus& of_width = tallest[known.width];
    if (of_width.height < known.height) of_width = known;
  }
  std::map<std::uint64_t, Grid> starts;
  for (const auto& [width, known] : tallest) starts[width] = start_of(known);
  return starts;
}

Grid upper_rows(const Grid& grid, std::uint64_t height) {
  Grid rows(grid.width(), height);
  std::copy_n(grid.row(0), height * grid.words_per_row(), rows.row(0));
  return rows;
}

/// A torus is wrapped at the seams, so a stage cannot pass by computing most of it right.
TEST_P(Life, KnownTori) {
  if (!has_torus(stage())) GTEST_SKIP() << "the stage has no torus";
  const std::vector<KnownTorus> all = read_known_tori();
  ASSERT_EQ(all.size(), 16u);
  if (stage().info().backend == Backend::opencl) {
    if (opencl_device()->type == "cpu")
      GTEST_SKIP() << "half a minute of two processors by PoCL; an OpenCL of a GPU runs it";
    static const Grid start = start_of(all.at(0));
    expect_torus(stage(), all.at(0), start);
    return;
  }
  if (stage().info().backend != Backend::cuda)
    GTEST_SKIP()
        << "all of them by CUDA, one by a GPU's OpenCL; LifeKnown.ATorusOfFullSize runs one";
  static const std::map<std::uint64_t, Grid> tallest = tallest_starts(all);
  for (const KnownTorus& known : all) {
    expect_torus(stage(), known, upper_rows(tallest.at(known.width), known.height));
    if (HasFailure()) return;
  }
}

/// One of them on the fastest stage that this machine's CPU has.
TEST(LifeKnown, ATorusOfFullSize) {
  const LifeStage* fastest = nullptr;
  for (const Stage* stage : registry()) {
    const auto* life = dynamic_cast<const LifeStage*>(stage);
    if (!life || life->info().backend != Backend::cpu || !has_torus(*life)) continue;
    if (!fastest || updates_per_second(*life) > updates_per_second(*fastest)) fastest = life;
  }
  if (!fastest) GTEST_SKIP() << "no CPU stage has a torus";
  const KnownTorus known = read_known_tori().at(0);
  const double seconds =
      static_cast<double>(known.width * known.height * known.steps) / updates_per_second(*fastest);
  if (seconds > 20) GTEST_SKIP() << "would take " << seconds << " s on " << fastest->info().name;
  expect_torus(*fastest, known, start_of(known));
}

// The tests' own tools: the oracle against the definition, and what the scenes and soups hold.

TEST(LifeOracle, EqualsTheReference) {
  for (const Edge edge : {Edge::dead, Edge::torus})
    for (const std::uint64_t width : {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200})
      for (const std::uint64_t height : {1, 2, 3, 4, 33})
        for (const unsigned density : {60, 128, 256}) {
          const Grid start = soup(width, height, width + height, density);
          ASSERT_EQ("", difference(reference_run(start, 6, edge), oracle_run(start, 6, edge)))
              << width << " x " << height << (edge == Edge::torus ? ", torus" : "");
        }
}

TEST(LifeOracle, KnowsAllNeighbourhoods) {
  const Grid next = oracle_run(truth_table(64), 1, Edge::dead);
  EXPECT_EQ("", wrong_neighbourhood(next, 64));
  EXPECT_NE("", wrong_neighbourhood(truth_table(64), 64));  // a check that cannot fail is none
}

TEST(LifeOracle, DifferencesAreFoundAndCounted) {
  const Grid grid = soup(100, 30, 1, 128);
  Grid other = grid;
  EXPECT_EQ("", difference(grid, other));
  other.set(99, 29, !other.at(99, 29));
  EXPECT_TRUE(difference(grid, other).starts_with("1 of 3000 cells differ, first at (x 99, y 29)"));
  other = grid;
  other.row(3)[1] |= std::uint64_t{1} << 63;
  EXPECT_NE(difference(grid, other).find("padding"), std::string::npos);
  EXPECT_NE(difference(grid, Grid(30, 100)).find("30 x 100"), std::string::npos);
}

TEST(LifeGrid, SoupsAreExactAndMadeOfIndependentWords) {
  const Grid large = soup(1000, 200, 5, 77);
  const Grid part = soup(640, 90, 5, 77);  // the same words, fewer of them
  for (std::uint64_t y = 0; y < 90; ++y)
    for (std::uint64_t w = 0; w < 10; ++w) ASSERT_EQ(large.row(y)[w], part.row(y)[w]);
  EXPECT_EQ(soup(70, 70, 1, 0).population(), 0u);
  EXPECT_EQ(soup(70, 70, 1, 256).population(), 4900u);
  for (const unsigned density : {1, 32, 77, 128, 200, 255}) {
    const double p = density / 256.0, n = 512 * 1024;  // 6 standard deviations: one in 5e8
    EXPECT_NEAR(static_cast<double>(soup(512, 1024, density, density).population()), n * p,
                6 * std::sqrt(n * p * (1 - p)))
        << density;
  }
  EXPECT_NE(soup(512, 16, 1, 128), soup(512, 16, 2, 128));
}

/// Cell 64 w + bit of row y lives where the number of eight digits that bit of eight words spells,
/// inverted, is below the density.
bool lives(std::uint64_t seed, std::uint64_t x, std::uint64_t y, unsigned density) {
  unsigned number = 0;
  for (unsigned digit = 0; digit < 8; ++digit)
    number |= static_cast<unsigned>(~counter_word64(seed, y, x / 64 * 8 + digit) >> x % 64 & 1)
              << digit;
  return number < density;
}

// Of a large one helpers make a row each: none may be left out, and no bit of the seed.
TEST(LifeGrid, EveryRowOfASoupIsAsDefined) {
  for (const std::uint64_t seed : {std::uint64_t{5}, std::uint64_t{0x9123456789abcdef}})
    for (const auto& [width, height, density] :
         {std::tuple<std::uint64_t, std::uint64_t, unsigned>{70, 40, 1}, {2100, 2100, 77}}) {
      const Grid grid = soup(width, height, seed, density);
      for (std::uint64_t y = 0; y < height; ++y)
        for (const std::uint64_t x : {std::uint64_t{0}, std::uint64_t{31}, std::uint64_t{32},
                                      std::uint64_t{63}, width - 65, width - 1})
          ASSERT_EQ(grid.at(x, y), lives(seed, x, y, density)) << x << ", " << y;
    }
}

TEST(LifeGrid, RefusesSidesThatCannotBe) {
  for (const auto& [width, height] : {std::pair<std::uint64_t, std::uint64_t>{0, 1},
                                      {1, 0},
                                      {kMaxSide + 1, 1},
                                      {1, kMaxSide + 1}})
    EXPECT_NE(error_of([&] { Grid(width, height); }).find("each side must be"), std::string::npos);
  EXPECT_EQ(Grid(kMaxSide, 1).population(), 0u);
}

TEST(LifeGrid, KnowsWhereItsCellsAre) {
  EXPECT_EQ(bounding_box(Grid(100, 10)), Box{});
  Grid grid(200, 10);
  grid.set(63, 2, true);
  EXPECT_EQ(bounding_box(grid), (Box{63, 2, 1, 1}));
  grid.set(130, 9, true);
  grid.set(5, 4, true);
  EXPECT_EQ(bounding_box(grid), (Box{5, 2, 126, 8}));
  EXPECT_EQ(grid.population(), 3u);
  const Grid moved = placed(grid, 300, 40, 70, 30);
  EXPECT_EQ(bounding_box(moved), (Box{75, 32, 126, 8}));
  EXPECT_NE(error_of([&] { placed(grid, 300, 40, 101, 0); }).find("does not fit"),
            std::string::npos);
}

/// Each scene must hold what it promises, or the tests that use it test less than they say.
TEST(LifeScenes, HoldWhatTheyPromise) {
  for (const int dx : {-1, 1})
    for (const int dy : {-1, 1}) {
      Grid start(40, 40), end(40, 40);
      stamp_glider(start, 20, 20, dx, dy);
      stamp_glider(end, 20 + 5 * dx, 20 + 5 * dy, dx, dy);
      EXPECT_EQ(oracle_run(start, 20, Edge::dead), end) << dx << ", " << dy;
    }
  const Grid border = border_scene(100, 80);
  EXPECT_EQ(bounding_box(border), (Box{0, 0, 100, 80}));
  EXPECT_NE(oracle_run(border, 25, Edge::dead), oracle_run(border, 25, Edge::torus));
  const Grid ash = ash_scene(701, 397), later = oracle_run(ash, 2, Edge::dead);
  std::uint64_t still_rows = 0;
  for (std::uint64_t w = 0; w < ash.words().size(); ++w)
    still_rows += ash.words()[w] == later.words()[w];
  EXPECT_GT(still_rows, ash.words().size() * 9 / 10);
  EXPECT_NE(ash, later);
}

}  // namespace

}  // namespace ratchet::life
