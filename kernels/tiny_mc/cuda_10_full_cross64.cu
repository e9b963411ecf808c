// tiny_mc/cuda/10_full_cross64
// Changed:  08 with the words of Cross64 in place of a congruential generator's; 24 steps unrolled.
// Why:      those fail a judge of random numbers; these do not, and take one instruction where
//           those take two (kernels/support/rng/cross64.h): 31.3 a step for 33.9.
// Expected: 08 waits for 5 transcendental operations a step, and hardly for its instructions: 0 to
//           4 % more.
//           In fact 24 steps unrolled are a half of the gain.
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
  static constexpr unsigned kThreads = 512, kBlocksPerSm = 3, kUnroll = 24;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "08 with words that pass PractRand",
                       .source = "ratchet",
                       .limit = {"cuda.mufu", 5 * 75.667},
                       .parameters = common_parameters(1u << 30)});
  }
};

const Registration registered{std::make_unique<CountedStage<FullCross64>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
