// life/cuda/00_square_tile
// Changed:  nothing before it: the earlier work that the text compares with. A warp holds a square
//           tile, 4 lanes wide and 8 high, a lane one word of 32 cells in 16 rows: 128 x 128 cells,
//           of which 96 x 96 are right after 16 generations. 59 bitwise operations a word.
// Why:      more of a square is worth keeping than of the text's line of 64 cells (56 %, not 47 %),
//           but every row of every lane has to be shuffled both ways, and the rule is dearer.
// Expected: 2.7 times slower than 04, as the text has it between a Titan X and a 1080 Ti; the
//           compiler will merge the 59 operations into some 25, so rather 2 times.
// Got:      46.3 ms {= nvidia-h200 ms} (H200), 8.9 * 10^12 cell updates/s: 2.35 times slower than
//           04 {= nvidia-h200 ms / 04_warp_shuffle ms}, 2.84 times slower than 04b {= nvidia-h200
//           ms / 04b_shared_sums ms}. 28 LOP3 a word are left of the 59; with the shifts, 90 % of
//           their bound.
// Source:   Dijkstra and Brouwer, "Results and Previous Work"; T. Fujita, K. Nakano, Y. Ito,
//           "Fast Simulation of Conway's Game of Life Using Bitwise Parallel Bulk Computation on a
//           GPU", Int. J. Found. Comput. Sci. 27 (2016). The text prints neither network nor tile:
//           words of bits, shuffles, several generations a pass, the square and the 59 are theirs,
//           how they come together here is ours.
#include "kernels/life/dense/cuda_stage.cuh"
#include "kernels/life/grid/rules.h"

namespace ratchet::life {
namespace {

constexpr int kRows = 16, kAcross = 4, kHalo = static_cast<int>(kPassSteps);
constexpr int kSide = 32 * kAcross, kFresh = kSide - 2 * kHalo;
static_assert(kRows * 32 / kAcross == kSide, "a square");

/// One lane's rows, and which cells of the universe they are.
struct Tile {
  int x, y;  // the lane's first cell
  std::uint32_t words[kRows];
};

__device__ std::uint32_t word_at(const Pass& pass, int word, int y) {
  const bool inside = word >= 0 && word * 32 < pass.width && y >= 0 && y < pass.height;
  return inside ? pass.from[y * pass.pitch + word] : 0;
}

/// x is 16 beside a word's first cell.
__device__ void load(Tile& tile, const Pass& pass) {
  const int word = (tile.x + 16) / 32 - 1;
#pragma unroll
  for (int r = 0; r < kRows; ++r)
    tile.words[r] =
        __byte_perm(word_at(pass, word, tile.y + r), word_at(pass, word + 1, tile.y + r), 0x5432);
}

/// A row with its neighbours in the row lined up: two shuffles. The tile's own edge gets whatever
/// the shuffle leaves there; it is halo.
struct Row {
  std::uint32_t west, centre, east;
};
__device__ Row line_up(std::uint32_t centre) {
  const std::uint32_t left = __shfl_up_sync(~0u, centre, 1);
  const std::uint32_t right = __shfl_down_sync(~0u, centre, 1);
  return {__funnelshift_l(left, centre, 1), centre, __funnelshift_r(centre, right, 1)};
}

template <bool kBorder>
__device__ void advance(Tile& tile, const Pass& pass, std::uint32_t cells) {
  const std::uint32_t below = __shfl_down_sync(~0u, tile.words[0], kAcross);
  Row north = line_up(__shfl_up_sync(~0u, tile.words[kRows - 1], kAcross));
  Row here = line_up(tile.words[0]);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const Row south = line_up(r + 1 < kRows ? tile.words[r + 1] : below);
    const std::uint32_t next = square_59(
        Neighbourhood<std::uint32_t>{north.west, north.centre, north.east, here.west, here.centre,
                                     here.east, south.west, south.centre, south.east});
    const bool dead =
        kBorder && static_cast<unsigned>(tile.y + r) >= static_cast<unsigned>(pass.height);
    tile.words[r] = dead ? 0 : kBorder ? next & cells : next;
    north = here;
    here = south;
  }
}

template <bool kBorder>
__device__ void advance_all(Tile& tile, const Pass& pass, std::uint32_t cells) {
#pragma unroll 1
  for (unsigned step = 0; step < pass.steps; ++step) advance<kBorder>(tile, pass, cells);
}

/// Lane (i, j) writes the word that its right half and its neighbour's left half make up.
__device__ void store(const Tile& tile, const Pass& pass, int across, int down) {
  const int x = tile.x + 16;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const std::uint32_t right = __shfl_down_sync(~0u, tile.words[r], 1);
    const int at = down * kRows + r;
    if (across + 1 < kAcross && at >= kHalo && at < kSide - kHalo && x < pass.width &&
        tile.y + r < pass.height)
      pass.to[(tile.y + r) * pass.pitch + x / 32] = __byte_perm(tile.words[r], right, 0x5432);
  }
}

/// Blocks of one warp: x and y number the squares of kFresh x kFresh cells.
__global__ void __launch_bounds__(32) square_tile_pass(const Pass pass) {
  const int across = static_cast<int>(threadIdx.x) % kAcross;
  const int down = static_cast<int>(threadIdx.x) / kAcross;
  const int left = static_cast<int>(blockIdx.x) * kFresh - kHalo;
  const int top = static_cast<int>(blockIdx.y) * kFresh - kHalo;
  Tile tile{left + 32 * across, top + kRows * down, {}};
  load(tile, pass);
  if (left < 0 || top < 0 || left + kSide > pass.width || top + kSide > pass.height)
    advance_all<true>(tile, pass, cells_inside(tile.x, pass.width));
  else
    advance_all<false>(tile, pass, ~0u);
  store(tile, pass, across, down);
}

class SquareTile : public LifeStage {
 public:
  SquareTile()
      : LifeStage(stage_info({.name = "life/cuda/00_square_tile",
                              .summary = "square tiles and 59 operations: the earlier work",
                              .source = text("Results and Previous Work"),
                              .limit = {"cuda.lop3", 484.0 * 32 / (kFresh * kFresh)},
                              .parameters = cuda_parameters()})) {}

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    const auto launch = [](const Pass& pass) {
      const dim3 squares(static_cast<unsigned>((pass.width + kFresh - 1) / kFresh),
                         static_cast<unsigned>((pass.height + kFresh - 1) / kFresh));
      square_tile_pass<<<squares, 32>>>(pass);
    };
    return std::make_unique<TwoGridUniverse<decltype(launch)>>(info().name, parameters, start,
                                                               Order::rows, launch);
  }
};

const Registration registered{std::make_unique<SquareTile>()};

}  // namespace
}  // namespace ratchet::life
