// officers/cuda/02_several_blocks
// Changed:  several blocks of threads take turns; a word in global memory says how far all values are
//           known, and a block waits for it where its window reaches values on their way.
// Why:      going backwards takes twice as long as going forwards, and needs nothing of the last few
//           blocks of values until its end.
// Expected: forwards alone decides, with the options of the block before and the way through the
//           second-level cache: 40 + 4 thousand cycles for 256 values, 11 M/s at 1.98 GHz.
//           In fact as many values a second with 4 blocks as with 32: a turn forwards takes three
//           times what was assumed.
// Source:   mvr, "Multiple Blocks". The condition printed there, p < B - 1, is
//           not enough: it leaves p up to B, which reads the block before, without a wait.
#include "kernels/officers/blocks/stage.cuh"
// After it, whose device functions it uses:
#include "kernels/officers/blocks/chain.cuh"

namespace ratchet::officers {
namespace {

using namespace blocks;

struct SeveralBlocks {
  static StageInfo info() {
    return {.name = RATCHET_STAGE,
            .summary =
                "several blocks of threads in turn, by a word that says how far values are known",
            .source = of_text("Multiple Blocks"),
            .parameters = {count_of(std::uint64_t{1} << 18), block_of(256), blocks_of(8)},
            .survey = grid({{"blocks", {1, 2, 4, 16, 32}}})};
  }
  template <int kBlock>
  static Kernel kernel(const Parameters&) {
    using Shape = blocks::Shape<kBlock, MembersMex, Forward::in_order>;
    return cooperative<Shape>(chain<Shape>);
  }
};

const Registration registered{std::make_unique<BlocksStage<SeveralBlocks>>()};

}  // namespace
}  // namespace ratchet::officers
