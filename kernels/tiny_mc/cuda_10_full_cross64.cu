// tiny_mc/cuda/10_full_cross64
// Changed:  08 with the words of Cross64 in place of a congruential generator's.
// Why:      those fail a judge of random numbers; these do not, and take one instruction where
//           those take two (kernels/support/rng/cross64.h).
// Expected: the speed of 08, or one instruction in eleven less.
// Got:      to be measured.
// Source:   ratchet.
#include "kernels/support/rng/cross64.h"
#include "kernels/tiny_mc/counted/cuda_counted_stage.cuh"

namespace ratchet::tiny_mc {

/// Of FullWalk, and not nameless: the compiler gives nameless types another name in every build.
struct FullWalkByCross64 : FullWalk {
  using Source = Cross64;
};

namespace {

struct FullCross64 {
  using Walk = FullWalkByCross64;
  static constexpr auto kWalk = tiny_mc::Walk::full;
  static constexpr unsigned kThreads = 512, kBlocksPerSm = 3, kUnroll = 8;

  static StageInfo info() {
    return stage_info({.name = "tiny_mc/cuda/10_full_cross64",
                       .summary = "08 with words that pass PractRand",
                       .source = "ratchet",
                       .limit = {"cuda.mufu", 5 * 75.667},
                       .parameters = common_parameters(1u << 30)});
  }
};

const Registration registered{std::make_unique<CountedStage<FullCross64>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
