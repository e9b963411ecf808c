// officers/cuda/04_suffix
// Changed:  a round computes only the values that may still change: those after the first that the
//           last round changed.
// Why:      the others are right already.
// Expected: the text found it slightly slower. The last of a block's warps has as much to do as
//           before, and all wait for it; finding the first change costs an atomic and a barrier.
//           In fact slightly faster here: fewer warps share the multiprocessor in later rounds.
// Source:   mvr, "Speculating in the Forward Phase", its last paragraph.
#include "kernels/officers/blocks/stage.cuh"
// After it, whose device functions it uses:
#include "kernels/officers/blocks/chain.cuh"

namespace ratchet::officers {
namespace {

using namespace blocks;

struct Suffix {
  static StageInfo info() {
    return {.name = RATCHET_STAGE,
            .summary = "03, each round only for values that may still change",
            .source = of_text("Speculating in the Forward Phase"),
            .parameters = {count_of(std::uint64_t{1} << 20), block_of(256), blocks_of(8)},
            .survey = grid({{"blocks", {16, 32}}})};
  }
  template <int kBlock>
  static Kernel kernel(const Parameters&) {
    using Shape = blocks::Shape<kBlock, MembersMex, Forward::suffix>;
    return cooperative<Shape>(chain<Shape>);
  }
};

const Registration registered{std::make_unique<BlocksStage<Suffix>>()};

}  // namespace
}  // namespace ratchet::officers
