// life/mpi/01_halo_rows on several ranks: the universe of one process, cell by cell.
#include <gtest/gtest.h>

#include "correctness/life/checks/checks.h"
#include "correctness/life/oracles/oracle.h"
#include "correctness/support/ranks_on_threads.h"

namespace ratchet::life {
namespace {

using correctness::ThreadJob;

struct Shape {
  std::uint64_t width, height, steps;
};
/// Fewer rows than ranks, one row a rank, widths beside and on a word, odd and even generations.
constexpr Shape kShapes[] = {{1, 1, 3},    {70, 2, 5},      {64, 7, 4},     {65, 32, 9},
                             {513, 33, 8}, {1000, 300, 20}, {8192, 129, 3}, {127, 3, 6}};

/// The universe after each of two runs.
void expect_one_process(std::uint64_t ranks) {
  const auto& stage = dynamic_cast<const LifeStage&>(*find_stage("life/mpi/01_halo_rows"));
  for (const Shape& shape : kShapes)
    for (const Edge edge : {Edge::dead, Edge::torus}) {
      const Grid start = soup(shape.width, shape.height, 5, 100);
      const auto universe = stage.prepare_universe(
          parameters_for(stage, shape.width, shape.height, shape.steps, edge).set("ranks", ranks),
          start);
      for (std::uint64_t run = 1; run <= 2; ++run) {
        universe->run();
        EXPECT_EQ("", difference(oracle_run(start, run * shape.steps, edge), universe->collect()))
            << ranks << " ranks, " << shape.width << " x " << shape.height
            << (edge == Edge::torus ? ", torus" : ", dead border");
      }
    }
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
