// life/mpi/02_gpus: the universe of one process, cell by cell, whichever rank has rows and however
// many of them are borrowed. Where no rank has a GPU the same stage computes on CPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "correctness/life/checks/checks.h"
#include "correctness/life/oracles/oracle.h"
#include "correctness/life/tests/support/scenes.h"
#include "correctness/support/ranks_on_threads.h"
#include "kernels/life/ranked/shares.h"
#include "kernels/support/cuda_device.h"
#include "perf/support/error.h"

namespace ratchet::life {
namespace {

using correctness::ThreadJob;
using ranked::HaloPiece;
using ranked::Shares;

constexpr Edge kEdges[] = {Edge::dead, Edge::torus};

const LifeStage& gpus() { return dynamic_cast<const LifeStage&>(*find_stage("life/mpi/02_gpus")); }

/// How the rows of a universe are shared.
struct Sharing {
  std::uint64_t ranks, halo, hide;
};

Parameters parameters_of(std::uint64_t width, std::uint64_t height, std::uint64_t steps, Edge edge,
                         const Sharing& sharing) {
  return parameters_for(gpus(), width, height, steps, edge)
      .set("ranks", sharing.ranks)
      .set("halo", sharing.halo)
      .set("hide", sharing.hide);
}

/// After two runs, so that the second starts where the first has left all ranks.
Grid shared_run(const Grid& start, std::uint64_t steps, Edge edge, const Sharing& sharing) {
  const auto universe = gpus().prepare_universe(
      parameters_of(start.width(), start.height(), steps, edge, sharing), start);
  universe->run();
  universe->run();
  return universe->collect();
}

/// By `runs` of the oracle; those of one start are kept for all numbers of ranks.
void expect_right(const Grid& start, std::uint64_t steps, const Sharing& sharing) {
  static std::map<std::pair<std::vector<std::uint64_t>, std::uint64_t>, Grid> known;
  for (const Edge edge : kEdges) {
    const std::uint64_t torus = edge == Edge::torus ? 1 : 0;
    std::vector<std::uint64_t> key = start.words();
    key.insert(key.end(), {start.width(), start.height(), torus});
    auto [wanted, fresh] = known.try_emplace({std::move(key), steps});
    if (fresh) wanted->second = oracle_run(start, 2 * steps, edge);
    ASSERT_EQ("", difference(wanted->second, shared_run(start, steps, edge, sharing)))
        << start.width() << " x " << start.height() << ", 2 x " << steps << " steps, "
        << (torus ? "torus" : "dead border") << ", " << sharing.ranks << " ranks, halo "
        << sharing.halo << ", hide " << sharing.hide;
  }
}

/// Shares of none, of fewer rows than a pass has generations, than two passes; one row and ring
/// upon ring of it on a torus. Widths beside and on words. Halos that passes divide, and not.
void expect_any_size(std::uint64_t ranks) {
  std::uint64_t turn = 0;
  for (const std::uint64_t height : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 129, 300})
    for (const std::uint64_t width : {1, 2, 63, 64, 65, 127, 130, 513}) {
      const std::uint64_t steps = std::vector<std::uint64_t>{3, 8, 17, 40}[turn % 4];
      const std::uint64_t halo = std::vector<std::uint64_t>{1, 8, 12, 32, 96}[turn % 5];
      expect_right(soup(width, height, turn, 100), steps, {ranks, halo, turn / 2 % 2});
      if (testing::Test::HasFatalFailure()) return;
      ++turn;
    }
}

void expect_any_steps(std::uint64_t ranks) {
  const Grid start = border_scene(131, 67);
  for (std::uint64_t steps = 1; steps <= 42; ++steps)
    for (const std::uint64_t halo : {5, 8, 16, 32}) {
      const std::uint64_t generations = steps <= 40 ? steps : steps + 55;  // and 96 and 97
      expect_right(start, generations, {ranks, halo, steps % 2});
      if (testing::Test::HasFatalFailure()) return;
    }
}

/// Ranks on threads would share a GPU, and have no NCCL.
#define NEEDS_RANKS_ON_CPUS() \
  if (cuda_availability().ok) GTEST_SKIP() << "ranks on threads have no GPU each"

TEST(LifeGpuRanks, AnyNumberOfThemMakesUniversesOfAnySize) {
  NEEDS_RANKS_ON_CPUS();
  expect_any_size(1);
  for (const std::uint32_t ranks : {2, 3, 7, 32}) {
    const ThreadJob job(ranks);
    expect_any_size(ranks);
  }
}

TEST(LifeGpuRanks, AnyNumberOfGenerationsIsMade) {
  NEEDS_RANKS_ON_CPUS();
  for (const std::uint32_t ranks : {3, 7}) {
    const ThreadJob job(ranks);
    expect_any_steps(ranks);
  }
}

/// Every other column alive from some row on: still, but the ends burn down by a row a generation,
/// as fast as anything can. They go through all shares; of a halo that is too old or a row short
/// they would find the end.
TEST(LifeGpuRanks, StripesBurnFromShareToShare) {
  NEEDS_RANKS_ON_CPUS();
  const ThreadJob job(4);
  for (std::uint64_t begin = 20; begin < 36; ++begin) {
    Grid start(70, 200);  // shares of 50 rows
    for (std::uint64_t y = begin; y < 200 - begin; ++y)
      for (std::uint64_t x = 0; x < 70; x += 2) start.set(x, y, true);
    for (const std::uint64_t halo : {7, 8, 32}) expect_right(start, 35, {4, halo, begin % 2});
  }
}

/// Every rank makes its own rows.
void expect_own_soup(std::uint64_t width, std::uint64_t height, std::uint64_t ranks) {
  Parameters parameters = parameters_of(width, height, 2, Edge::torus, {ranks, 8, 1});
  const auto instance = gpus().prepare(parameters.set("seed", 9).set("density", 100));
  auto& universe = dynamic_cast<Universe&>(*instance);
  const Grid start = soup(width, height, 9, 100);
  EXPECT_EQ("", difference(start, universe.collect())) << width << ", " << ranks << " ranks";
  universe.run();
  EXPECT_EQ("", difference(oracle_run(start, 2, Edge::torus), universe.collect()))
      << width << ", " << ranks << " ranks";
}
/// A row of 2^20 cells is 128 KiB; they are gathered by 32 MiB, here in two pieces a rank.
void expect_large_soup_of_two() { expect_own_soup(kMaxSide, 530, 2); }

TEST(LifeGpuRanks, EveryRankMakesItsOwnRowsOfTheSoup) {
  NEEDS_RANKS_ON_CPUS();
  const ThreadJob job(3);
  for (const std::uint64_t ranks : {1, 2, 3}) expect_own_soup(77, 50, ranks);
  expect_large_soup_of_two();
}

/// Under mpirun, which ctest's entries of several ranks are started by: "" where the first `ranks`
/// of the job can have a GPU each, or none of them has one.
std::string unfit(std::uint64_t ranks) {
  try {
    gpus().prepare(parameters_of(8, 8, 1, Edge::dead, {ranks, 8, 1}));
  } catch (const Error& error) {
    if (std::string(error.what()).find("as many ranks a host as it has GPUs") == std::string::npos)
      throw;
    return error.what();
  }
  return "";
}

TEST(LifeGpuRanks, TheJobsMakeUniversesOfAnySize) {
  if (!ranks::job()) GTEST_SKIP() << "no job of several ranks";
  const std::uint64_t most = ranks::job()->size();  // of one the job of one is asked
  for (std::uint64_t ranks = std::min<std::uint64_t>(most, 2); ranks <= most; ++ranks) {
    if (const std::string why = unfit(ranks); !why.empty()) GTEST_SKIP() << why;
    expect_any_size(ranks);
    expect_any_steps(ranks);
    expect_own_soup(77, 50, ranks);
    if (ranks == 2) expect_large_soup_of_two();
    if (HasFatalFailure()) return;
  }
}

/// On GPUs, against one that has the universe in one piece: strips and segments that run for long,
/// both shapes of the kernel, rows that end with a word and not.
TEST(LifeGpuRanks, TheJobsGpusMakeWhatOneMakes) {
  const Availability gpu = cuda_availability();
  if (!gpu.ok) GTEST_SKIP() << gpu.reason;
  const auto& one = dynamic_cast<const LifeStage&>(*find_stage("life/cuda/05_strided"));
  const std::uint64_t most = ranks::job() ? ranks::job()->size() : 1;
  const std::set<std::uint64_t> numbers = {1, std::min<std::uint64_t>(most, 2), most};
  struct Size {
    std::uint64_t width, height, steps;
  };
  for (const Size& size : {Size{4096, 3000, 97},
                           {4097, 3001, 40},
                           {20000, 30001, 33},
                           {32768, 40000, 96},
                           {65536, 65536, 96}}) {
    const Grid start = soup(size.width, size.height, 4, 110);
    for (const Edge edge : kEdges) {
      const Grid wanted = stage_run(one, start, size.steps, 2, edge);
      for (const std::uint64_t ranks : numbers) {
        if (const std::string why = unfit(ranks); !why.empty()) GTEST_SKIP() << why;
        for (const Sharing& sharing : {Sharing{ranks, 32, 1}, {ranks, 8, 0}, {ranks, 96, 1}})
          ASSERT_EQ("", difference(wanted, shared_run(start, size.steps, edge, sharing)))
              << size.width << " x " << size.height << ", " << ranks << " ranks, halo "
              << sharing.halo << (edge == Edge::torus ? ", torus" : ", dead border");
      }
    }
  }
}

/// Row y of the universe, as the one that numbers it so sees it.
std::int64_t wrapped(std::int64_t y, std::int64_t height) { return (y % height + height) % height; }

TEST(LifeRanksShares, EveryRowIsBorrowedOnceFromItsOwner) {
  for (const Edge edge : kEdges)
    for (const std::uint64_t height : {1, 2, 5, 8, 17, 40})
      for (const std::uint32_t ranks : {1, 2, 3, 7, 9, 50})
        for (const std::int64_t depth : {1, 8, 21}) {
          const Shares shares(height, ranks, edge);
          for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            std::map<std::int64_t, int> borrowed;
            for (const HaloPiece& piece : shares.pieces(rank, depth)) {
              ASSERT_TRUE(piece.from == rank || piece.to == rank);
              const RowRange lent = shares.own(piece.from);
              ASSERT_TRUE(lent.first <= piece.row && piece.row + piece.rows <= lent.last);
              ASSERT_EQ(wrapped(piece.at, static_cast<std::int64_t>(height)), piece.row);
              for (std::int64_t i = 0; piece.to == rank && i < piece.rows; ++i)
                ++borrowed[piece.at + i];
            }
            const RowRange own = shares.own(rank);
            const RowRange wide = own.size() > 0 ? shares.around(own, depth) : own;
            ASSERT_EQ(borrowed.size(), static_cast<std::size_t>(wide.size() - own.size()));
            for (const auto& [y, times] : borrowed)
              ASSERT_TRUE(times == 1 && y >= wide.first && y < wide.last &&
                          (y < own.first || y >= own.last));
          }
        }
}

/// Messages between two ranks arrive in the order in which they were sent.
TEST(LifeRanksShares, TwoRanksNameTheirPiecesInOneOrder) {
  const auto between = [](const Shares& shares, std::uint32_t of, std::uint32_t a,
                          std::uint32_t b) {
    std::vector<HaloPiece> found;
    for (const HaloPiece& piece : shares.pieces(of, 21))
      if (std::minmax(piece.from, piece.to) == std::minmax(a, b)) found.push_back(piece);
    return found;
  };
  std::size_t pieces = 0;
  for (const Edge edge : kEdges)
    for (const std::uint64_t height : {2, 5, 17, 40})
      for (const std::uint32_t ranks : {2, 3, 7}) {
        const Shares shares(height, ranks, edge);
        for (std::uint32_t a = 0; a < ranks; ++a)
          for (std::uint32_t b = 0; b < ranks; ++b) {
            EXPECT_EQ(between(shares, a, a, b), between(shares, b, a, b));
            pieces += between(shares, a, a, b).size();
          }
      }
  EXPECT_GT(pieces, 100u);
}

// life/mpi/01_halo_rows on several ranks: the universe of one process, cell by cell.

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
