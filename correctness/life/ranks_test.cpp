// life on several ranks: the universe of one process, cell by cell.
#include <gtest/gtest.h>

#include <vector>

#include "correctness/support/ranks_on_threads.h"
#include "kernels/life/life.h"

namespace ratchet::life {
namespace {

using correctness::ThreadJob;

constexpr const char* kRanked = "life/mpi/01_halo_rows";
constexpr const char* kOneProcess = "life/cpu/04_packed_bits";

struct Shape {
  std::uint64_t width, height, steps;
};
/// Fewer rows than ranks, one row a rank, widths beside and on a word, odd and even generations.
constexpr Shape kShapes[] = {{1, 1, 3},    {70, 2, 5},      {64, 7, 4},    {65, 32, 9},
                             {513, 33, 8}, {1000, 300, 20}, {8192, 129, 3}};

/// The universe after each of two runs.
std::vector<Grid> universes(const char* stage, const Shape& shape, std::uint64_t ranks = 0) {
  const auto& of = dynamic_cast<const LifeStage&>(*find_stage(stage));
  Parameters parameters =
      of.defaults().set("width", shape.width).set("height", shape.height).set("steps", shape.steps);
  if (ranks > 0) parameters.set("ranks", ranks);
  const auto universe = of.prepare_universe(parameters, soup(shape.width, shape.height, 5, 100));
  std::vector<Grid> found;
  for (int run = 0; run < 2; ++run) {
    universe->run();
    found.push_back(universe->collect());
  }
  return found;
}

void expect_one_process(std::uint64_t ranks) {
  for (const Shape& shape : kShapes)
    EXPECT_EQ(universes(kRanked, shape, ranks), universes(kOneProcess, shape))
        << ranks << " ranks, " << shape.width << " x " << shape.height;
}

TEST(LifeRanks, AnyNumberOfThemMakesTheUniverseOfOneProcess) {
  expect_one_process(1);
  for (const std::uint32_t ranks : {2, 3, 7, 32}) {
    const ThreadJob job(ranks);
    expect_one_process(ranks);
  }
}

/// Under mpirun, which ctest's entries of several ranks are started by.
TEST(LifeRanks, TheJobsMakeTheUniverseOfOneProcess) {
  if (!ranks::job()) GTEST_SKIP() << "no job of several ranks";
  for (std::uint64_t ranks = 2; ranks <= ranks::job()->size(); ++ranks) expect_one_process(ranks);
}

}  // namespace
}  // namespace ratchet::life
