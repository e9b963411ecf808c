// life/cuda/00_square_tile
// Changed:  nothing before it: the earlier work that the text compares with. A warp holds a square
//           tile, 4 lanes wide and 8 high, a lane one word of 32 cells in 16 rows: 128 x 128 cells,
//           of which 96 x 96 are right after 16 generations. 59 bitwise operations a word.
// Why:      more of a square is worth keeping than of the text's line of 64 cells (56 %, not 47 %),
//           but every row of every lane has to be shuffled both ways, and the rule is dearer.
// Expected: 2.7 times slower than 04, as the text has it between a Titan X and a 1080 Ti; the
//           compiler will merge the 59 operations into some 25, so rather 2 times.
//           In fact 28 LOP3 a word are left of the 59.
// Source:   Dijkstra and Brouwer, "Results and Previous Work"; T. Fujita, K. Nakano, Y. Ito,
//           "Fast Simulation of Conway's Game of Life Using Bitwise Parallel Bulk Computation on a
//           GPU", Int. J. Found. Comput. Sci. 27 (2016). The text prints neither network nor tile:
//           words of bits, shuffles, several generations a pass, the square and the 59 are theirs,
//           how they come together here is ours.
#include "kernels/life/dense/cuda_square_tile.cuh"
#include "kernels/life/dense/cuda_stage.cuh"
#include "kernels/life/grid/rules.h"

namespace ratchet::life {
namespace {

struct Rule {
  __device__ static std::uint32_t next(const Neighbourhood<std::uint32_t>& cells) {
    return square_59(cells);
  }
};

#include "kernels/life/dense/cuda_square_tile_stage-inl.cuh"

inline SquareTileStage::SquareTileStage()
    : LifeStage(stage_info({.name = RATCHET_STAGE,
                            .summary = "square tiles and 59 operations: the earlier work",
                            .source = text("Results and Previous Work"),
                            .limit = {"cuda.lop3", 484.0 * 32 / SquareTile::kKept},
                            .parameters = cuda_parameters()})) {}

const Registration registered{std::make_unique<SquareTileStage>()};

}  // namespace
}  // namespace ratchet::life
