// officers/cuda/03_speculation
// Changed:  forwards all values of a block at once: each from what the others were a round before, until
//           none changes.
// Why:      3.4 rounds of 51 options on average, where 256 turns with a barrier each were.
// Expected: 3.5 times 51 options of some 60 cycles, and 37 of the block before: 13 thousand cycles and
//           the way through the cache, 35 M/s at 1.98 GHz, once there are blocks enough for the way
//           backwards. The text: 3.6 M/s.
//           In fact as many values a second with 8 blocks as with 32; more with blocks of 128
//           values.
// Source:   mvr, "Speculating in the Forward Phase". Its flag has two races: here a
//           barrier tells whether any value changed, and a round reads what the one before wrote.
#include "kernels/officers/blocks/stage.cuh"
// After it, whose device functions it uses:
#include "kernels/officers/blocks/chain.cuh"

namespace ratchet::officers {
namespace {

using namespace blocks;

struct Speculation {
  static StageInfo info() {
    return {.name = RATCHET_STAGE,
            .summary = "a block's values all at once, from what they were a round before",
            .source = of_text("Speculating in the Forward Phase"),
            .parameters = {count_of(std::uint64_t{1} << 20), block_of(256), blocks_of(8)},
            .survey = joined(grid({{"block", {128, 512, 1024}}}),
                             grid({{"block", {128, 256, 512, 1024}}, {"blocks", {1, 4, 16, 32}}}))};
  }
  template <int kBlock>
  static Kernel kernel(const Parameters&) {
    using Shape = blocks::Shape<kBlock, MembersMex, Forward::speculate>;
    return cooperative<Shape>(chain<Shape>);
  }
};

const Registration registered{std::make_unique<BlocksStage<Speculation>>()};

}  // namespace
}  // namespace ratchet::officers
