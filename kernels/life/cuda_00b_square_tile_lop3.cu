// life/cuda/00b_square_tile_lop3
// Changed:  the rule of 04 on the tile of 00: ten LOP3 a word where 00 has 59 operations.
// Why:      00 differs from the text's last kernel, 04, in the rule as well as in the tile. 00
//           beside this stage shows the rule's share alone, this stage beside 04 the tile's, which
//           the text calls the slower one for its shuffles.
// Expected: twice as fast as 00: a lane asks the LOP3 pipe for 160 LOP3 and 36 shifts a generation,
//           where 00 asks for 448 and 36. By that pipe alone the square would beat 04's line by an
//           eighth, 24.3 to 21.6 * 10^12 cell updates/s, for more of it counts. But of its 239
//           instructions a generation 38 are shuffles, for 16 words; 04 has 4 for 40. With as many
//           in 527 instructions 00 reaches 90 % of its bound; here rather 80, so 19.5 * 10^12, 7 %
//           slower than 04.
//           In fact as fast as 04: the shuffles cost what the square gains. The text's "slower for
//           its shuffles" is the rule's doing.
// Source:   Dijkstra and Brouwer, "Results and Previous Work".
#include "kernels/life/dense/cuda_square_tile.cuh"
#include "kernels/life/dense/cuda_stage.cuh"
#include "kernels/life/grid/rules.h"

namespace ratchet::life {
namespace {

struct Rule {
  __device__ static std::uint32_t next(const Neighbourhood<std::uint32_t>& cells) {
    return lop3_10(cells);
  }
};

#include "kernels/life/dense/cuda_square_tile_stage-inl.cuh"

inline SquareTileStage::SquareTileStage()
    : LifeStage(stage_info({.name = RATCHET_STAGE,
                            .summary = "the square tiles of 00 under the ten LOP3 of 04",
                            .source = text("Results and Previous Work"),
                            .limit = {"cuda.lop3", 196.0 * 32 / SquareTile::kKept},
                            .parameters = cuda_parameters()})) {}

const Registration registered{std::make_unique<SquareTileStage>()};

}  // namespace
}  // namespace ratchet::life
