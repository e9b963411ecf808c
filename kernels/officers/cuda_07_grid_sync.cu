// officers/cuda/07_grid_sync
// Changed:  grid.sync() of cooperative groups between steps.
// Why:      the third of the official ways, and the one that brings its own check that all blocks are
//           resident.
// Expected: some 1500 cycles a step for 8 blocks (1940 for 132) on top of 10 thousand of work: 42 M/s.
//           In fact a third of it. No comparison with the word of progress (03): its mex is another.
// Source:   mvr, "Synchronising Properly"; the steps are ratchet's.
#include <cooperative_groups.h>

#include "kernels/officers/blocks/stage.cuh"
// After it, whose device functions it uses:
#include "kernels/officers/blocks/steps.cuh"

namespace ratchet::officers {
namespace {

using namespace blocks;

struct GridSync {
  __device__ void operator()() const { cooperative_groups::this_grid().sync(); }
};

struct OfGridSync {
  static StageInfo info() {
    return {.name = RATCHET_STAGE,
            .summary = "blocks of threads in step, grid.sync() between steps",
            .source = of_text("Synchronising Properly"),
            .parameters = {count_of(std::uint64_t{1} << 20), block_of(256), blocks_of(8)},
            .survey = grid({{"blocks", {1, 16, 32, 64}}})};
  }
  template <int kBlock>
  static Kernel kernel(const Parameters&) {
    using Shape = blocks::Shape<kBlock, ShiftedMex, Forward::speculate>;
    return cooperative<Shape>(steps<Shape, GridSync>, GridSync{});
  }
};

const Registration registered{std::make_unique<BlocksStage<OfGridSync>>()};

}  // namespace
}  // namespace ratchet::officers
