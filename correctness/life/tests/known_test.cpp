// Known answers of others: methuselahs, guns and tori of full size.
#include "correctness/life/oracles/known.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "correctness/life/tests/support/scenes.h"
#include "correctness/life/tests/support/speed.h"
#include "correctness/life/tests/support/stage_tests.h"

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
  if (stage().info().backend == Backend::opencl) {  // seconds, where PoCL has two processors
    static const Grid start = start_of(all.at(0));
    expect_torus(stage(), all.at(0), start);
    return;
  }
  if (stage().info().backend != Backend::cuda)
    GTEST_SKIP() << "all of them by CUDA, one by OpenCL; LifeKnown.ATorusOfFullSize runs one";
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

}  // namespace
}  // namespace ratchet::life
