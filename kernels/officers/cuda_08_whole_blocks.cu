// officers/cuda/08_whole_blocks
// Changed:  a block of threads does not wait for the values of the blocks just before: it computes from
//           what they last told, tells its own, and does so again where theirs changed (whole.cuh).
// Why:      the text leaves it for next time. Where most values are right before those before them are
//           confirmed, confirming is all that blocks do one after the other.
// Expected: a way through the second-level cache for each block of 128, 1500 cycles, and for every
//           third or so to compute again, 6000: 3500 cycles, 70 M/s, with some 40 blocks of threads.
//           In fact what 03 makes of blocks of 128: each block is computed three times, and the
//           last time nearly always waits for the block before. Whether a changed value changes
//           anything after it would have to be known for less than computing the block.
// Source:   mvr, "The State of Play".
#include "kernels/officers/blocks/stage.cuh"
// After it, whose device functions it uses:
#include "kernels/officers/blocks/whole.cuh"

namespace ratchet::officers {
namespace {

using namespace blocks;

struct WholeBlocks {
  static constexpr int kDepth = 4;
  static StageInfo info() {
    return {.name = RATCHET_STAGE,
            .summary = "blocks of values from unconfirmed ones, again where those change",
            .source = of_text("The State of Play"),
            .parameters = {count_of(std::uint64_t{1} << 20), block_of(128), blocks_of(64)},
            .survey = grid({{"block", {128, 256, 512}}, {"blocks", {16, 32, 64, 128}}})};
  }
  template <int kBlock>
  static Kernel kernel(const Parameters&) {
    using Shape = blocks::Shape<kBlock, MembersMex, Forward::speculate>;
    return cooperative<Shape>(speculate<Shape, kDepth>);
  }
};

const Registration registered{std::make_unique<BlocksStage<WholeBlocks>>()};

}  // namespace
}  // namespace ratchet::officers
