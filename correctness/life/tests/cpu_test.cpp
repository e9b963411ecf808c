// What only the CPU stages of life have: instruction sets chosen at run time and numbers of
// threads. The strided layout folds its strips into the lanes of a vector if a universe is high
// enough.
#include <gtest/gtest.h>

#include "correctness/life/checks/checks.h"
#include "correctness/life/oracles/oracle.h"
#include "correctness/support/paths.h"
#include "kernels/life/packed/cpu_pool.h"

namespace ratchet::life {
namespace {

const LifeStage& stage(const char* name) {
  const auto* found = dynamic_cast<const LifeStage*>(find_stage(name));
  if (!found) throw std::runtime_error(std::string("no stage ") + name);
  return *found;
}

Grid run_threads(const LifeStage& stage, const Grid& start, std::uint64_t steps,
                 std::uint64_t threads, std::uint64_t runs = 1, Edge edge = Edge::dead) {
  Parameters parameters = parameters_for(stage, start.width(), start.height(), steps, edge);
  parameters.set(stage.info().threads, threads);
  const auto universe = stage.prepare_universe(parameters, start);
  for (std::uint64_t run = 0; run < runs; ++run) universe->run();
  return universe->collect();
}

TEST(LifeThreads, SharesAreEvenAndLeaveNoRowOut) {
  for (std::uint64_t rows = 0; rows < 700; ++rows)
    for (std::uint64_t workers = 1; workers < 140; ++workers) {
      ASSERT_EQ(first_row(rows, workers, 0), 0u);
      ASSERT_EQ(first_row(rows, workers, workers), rows) << workers;
      for (std::uint64_t worker = 0; worker < workers; ++worker) {
        const std::uint64_t share =
            first_row(rows, workers, worker + 1) - first_row(rows, workers, worker);
        ASSERT_TRUE(share == rows / workers || share == rows / workers + 1)
            << share << " of " << rows << " rows, worker " << worker << " of " << workers;
      }
    }
}

TEST(LifeThreads, AnyNumberGivesTheSame) {
  for (const std::uint64_t height : {1, 5, 64, 203}) {
    const Grid start = soup(150, height, height, 110);
    const Grid expected = reference_run(start, 22, Edge::dead);
    for (const char* name : {"life/cpu/06_simd_threads", "life/cpu/08_strided_threads"})
      for (const std::uint64_t threads : correctness::thread_counts())
        EXPECT_EQ("", difference(expected, run_threads(stage(name), start, 11, threads, 2)))
            << name << ", height " << height << ", " << threads << " threads";
  }
}

/// Shares of several strips each, strips folded into lanes, and a last share that is smaller.
TEST(LifeThreads, SharesOfMoreThanOneLevelOfStrips) {
  const Grid start = soup(1100, 6151, 5, 110);
  for (const char* name : {"life/cpu/06_simd_threads", "life/cpu/08_strided_threads"}) {
    const Edge edge = has_torus(stage(name)) ? Edge::torus : Edge::dead;
    const Grid expected = oracle_run(start, 66, edge);
    for (const std::uint64_t threads : {2, 3, 5, 16, 300})
      EXPECT_EQ("", difference(expected, run_threads(stage(name), start, 33, threads, 2, edge)))
          << name << ", " << threads << " threads";
  }
}

/// Strips of 256 rows with eight lanes, and passes of 32 generations: what lies at the seams of the
/// strips is 32 rows deep. 2049 rows cannot be folded.
TEST(LifeStrided, FoldedAndNot) {
  for (const std::uint64_t width : {64, 130})
    for (const std::uint64_t height : {2048, 2049})
      for (const Edge edge : {Edge::dead, Edge::torus}) {
        const Grid start = soup(width, height, width + height, 100);
        EXPECT_EQ("", difference(oracle_run(start, 40, edge),
                                 stage_run(stage("life/cpu/07_strided"), start, 40, 1, edge)))
            << width << " x " << height << (edge == Edge::torus ? ", torus" : "");
      }
}

TEST(LifeStrided, ThreadsOnATorus) {
  for (const std::uint64_t height : {9, 1024, 1025}) {
    const Grid start = soup(200, height, height, 100);
    const Grid expected = oracle_run(start, 39, Edge::torus);
    for (const std::uint64_t threads : correctness::thread_counts())
      EXPECT_EQ("", difference(expected, run_threads(stage("life/cpu/08_strided_threads"), start,
                                                     13, threads, 3, Edge::torus)))
          << "height " << height << ", " << threads << " threads";
  }
}

TEST(LifeTargets, EveryInstructionSetGivesTheSame) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const correctness::OneTarget only(target);
    for (const char* name : {"life/cpu/05_simd", "life/cpu/07_strided"})
      for (const std::uint64_t width : {63, 130, 1025})
        for (const std::uint64_t height : {61, 136}) {
          const Edge edge = has_torus(stage(name)) ? Edge::torus : Edge::dead;
          const Grid start = soup(width, height, width, 120);
          for (const Edge each : {Edge::dead, edge})
            EXPECT_EQ("", difference(reference_run(start, 9, each),
                                     stage_run(stage(name), start, 9, 1, each)))
                << name << " with " << hwy::TargetName(target) << ", " << width << " x " << height;
        }
  }
}

}  // namespace
}  // namespace ratchet::life
