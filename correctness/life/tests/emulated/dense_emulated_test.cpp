// The sources of the text's kernels (life/cuda/00 to 04b) on a CPU: blocks of 256 threads that meet
// at a barrier every generation, and of one warp that shuffles rows, whose warps take turns in many
// orders.
#include "correctness/emulator/grid_on_host.h"
// After it:
#include "kernels/life/dense/cuda_shared_memory.cuh"
#include "kernels/life/dense/cuda_square_tile.cuh"
#include "kernels/life/dense/cuda_warp_shuffle.cuh"

// And the rest.
#include <gtest/gtest.h>

#include <vector>

#include "correctness/life/checks/checks.h"
#include "correctness/life/oracles/oracle.h"

namespace ratchet::life {
namespace {

using on_host::grid;
using on_host::launch;
using on_host::launch_block_by_block;
using Words = std::vector<std::uint32_t>;

struct AdderNetwork {
  static std::uint32_t next(const Neighbourhood<std::uint32_t>& cells) {
    return adder_network(cells);
  }
};
struct ElevenLop3 {
  static std::uint32_t next(const Neighbourhood<std::uint32_t>& cells) { return lop3_11(cells); }
};
struct TenLop3 {
  static std::uint32_t next(const Neighbourhood<std::uint32_t>& cells) { return lop3_10(cells); }
};

namespace square {
struct Rule {
  static std::uint32_t next(const Neighbourhood<std::uint32_t>& cells) { return square_59(cells); }
};
#include "kernels/life/dense/cuda_square_tile_stage-inl.cuh"
}  // namespace square
namespace square_lop3 {
using Rule = TenLop3;
#include "kernels/life/dense/cuda_square_tile_stage-inl.cuh"
}  // namespace square_lop3

/// A kernel, and the cells of its tiles that count. kAcross is 32 in the order of columns.
template <class Rule, unsigned kThreadRows>
struct SharedMemory {
  static constexpr auto* kKernel = shared_memory_pass<Rule, kThreadRows>;
  static constexpr unsigned kThreads = kColumnThreads, kAcross = 32;
  static constexpr unsigned kDown = kThreads * kThreadRows - 2 * kPassSteps;
};
template <class Exchange, unsigned kThreadRows>
struct WarpShuffle {
  static constexpr auto* kKernel = warp_shuffle_pass<Exchange, kThreadRows>;
  static constexpr unsigned kThreads = 32, kAcross = 32;
  static constexpr unsigned kDown = kThreads * kThreadRows - 2 * kPassSteps;
};
template <void (*kPass)(Pass)>
struct SquareTiles {
  static constexpr auto* kKernel = kPass;
  static constexpr unsigned kThreads = 32, kAcross = SquareTile::kFresh, kDown = kAcross;
};

unsigned pieces(std::uint64_t size, unsigned piece) {
  return static_cast<unsigned>((size + piece - 1) / piece);
}

/// Of a matrix of `rows` x `columns` words, between the order of rows and that of columns. By the
/// kernel, but for large ones, which would take most of the time.
Words transposed(const Words& from, std::uint64_t from_pitch, std::uint64_t to_pitch,
                 std::uint32_t rows, std::uint32_t columns) {
  Words to(to_pitch * columns);
  if (rows * columns < 1000)
    launch_block_by_block(transpose_words<>, {pieces(columns, 32), pieces(rows, 32)}, {32, 8}, 0,
                          from.data(), from_pitch, to.data(), to_pitch, rows, columns);
  else
    for (std::uint32_t y = 0; y < rows; ++y)
      for (std::uint32_t x = 0; x < columns; ++x) to[x * to_pitch + y] = from[y * from_pitch + x];
  return to;
}

template <class Kernel>
class DenseKernel : public testing::Test {
 protected:
  static constexpr bool kColumns = Kernel::kAcross == 32;

  /// `steps` generations as TwoGridUniverse makes them. What a pass does not write is garbage.
  static Grid advanced(const Grid& start, std::uint64_t steps, Edge edge) {
    const auto rows = static_cast<std::uint32_t>(start.height());
    const std::uint32_t columns = pieces(start.width(), 32);
    const std::uint64_t row = start.words_per_row() * 2;
    const auto* first = reinterpret_cast<const std::uint32_t*>(start.words().data());
    Words now(first, first + rows * row);
    const std::uint64_t pitch = kColumns ? (start.height() + 3) / 4 * 4 : row;
    if (kColumns) now = transposed(now, row, pitch, rows, columns);
    for (std::uint64_t done = 0; done < steps; done += kPassSteps) {
      Words next(now.size(), 0xa5a5a5a5);
      const auto now_steps =
          static_cast<unsigned>(std::min<std::uint64_t>(steps - done, kPassSteps));
      const dim3 blocks(pieces(start.width(), Kernel::kAcross),
                        pieces(start.height(), Kernel::kDown));
      const Pass pass{now.data(),
                      next.data(),
                      pitch,
                      static_cast<int>(start.width()),
                      static_cast<int>(rows),
                      now_steps,
                      edge == Edge::torus};
      if constexpr (Kernel::kThreads > 32)
        launch_block_by_block(Kernel::kKernel, blocks, Kernel::kThreads, 0, pass);
      else  // one warp, no shared memory to watch
        launch(Kernel::kKernel, blocks, Kernel::kThreads, 0, pass);
      now.swap(next);
    }
    if (kColumns) now = transposed(now, pitch, row, columns, rows);
    Grid end(start.width(), start.height());
    auto* to = reinterpret_cast<std::uint32_t*>(end.words().data());
    for (std::uint64_t y = 0; y < rows; ++y)  // without the words that pad a row
      std::copy_n(now.data() + y * row, columns, to + y * row);
    return end;
  }

  static void expect_right(std::uint64_t width, std::uint64_t height, Edge edge,
                           std::uint64_t steps) {
    const Grid start = soup(width, height, width + height, 110);
    EXPECT_EQ("", difference(oracle_run(start, steps, edge), advanced(start, steps, edge)))
        << width << " x " << height << (edge == Edge::torus ? ", torus, " : ", dead border, ")
        << steps << " steps";
  }
  /// Square tiles have no torus.
  static std::vector<Edge> edges() {
    return kColumns ? std::vector{Edge::dead, Edge::torus} : std::vector{Edge::dead};
  }
  void SetUp() override { grid.random.seed(1), grid.stays = false; }
};

using Kernels = testing::Types<SharedMemory<AdderNetwork, 4>, SharedMemory<ElevenLop3, 4>,
                               SharedMemory<TenLop3, 16>, WarpShuffle<ExchangeRows<TenLop3>, 8>,
                               WarpShuffle<ExchangeRows<TenLop3>, 20>, WarpShuffle<ExchangeSums, 8>,
                               WarpShuffle<ExchangeSums, 20>, SquareTiles<square::square_tile_pass>,
                               SquareTiles<square_lop3::square_tile_pass>>;
TYPED_TEST_SUITE(DenseKernel, Kernels);

/// One tile, less than one, and widths with and without a rest; a pass and the rest of one.
TYPED_TEST(DenseKernel, UniversesOfAFewTiles) {
  for (const Edge edge : this->edges())
    for (const std::uint64_t width : {64, 101})
      for (const std::uint64_t height : {1, 37, 100}) this->expect_right(width, height, edge, 19);
}

/// A tile away from every border, with others around it, some of which reach over the border.
TYPED_TEST(DenseKernel, ATileInside) {
  const unsigned across = TypeParam::kAcross, width = across == 32 ? 96 : 2 * across + 64;
  this->expect_right(width, 3 * TypeParam::kDown, Edge::dead, 16);
}

TYPED_TEST(DenseKernel, InManyOrders) {
  for (const bool stays : {false, true})
    for (unsigned seed = 2; seed < 5; ++seed) {
      grid.random.seed(seed), grid.stays = stays;
      this->expect_right(90, 200, Edge::dead, 6);
    }
}

}  // namespace
}  // namespace ratchet::life
