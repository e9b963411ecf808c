// tiny_mc/cuda/11_radial_cross64
// Changed:  09 with the words of Cross64 in place of a congruential generator's; 32 registers, so
//           2048 threads an SM for 1536; 24 steps unrolled.
// Why:      those fail a judge of random numbers; these do not, and take one instruction where
//           those take two (kernels/support/rng/cross64.h): 17.7 a step for 19.6.
// Expected: a tenth more, for 09 is bound by its instructions as much as by anything.
//           In fact the words make four fifths of the gain.
// Source:   ratchet.
#include "kernels/support/rng/cross64.h"
#include "kernels/tiny_mc/counted/cuda_counted_stage.cuh"

namespace ratchet::tiny_mc {

/// Of RadialWalk, and not nameless: the compiler gives nameless types another name in every build.
struct RadialWalkByCross64 : RadialWalk {
  using Source = Cross64;
};

namespace {

struct RadialCross64 {
  using Walk = RadialWalkByCross64;
  static constexpr auto kWalk = tiny_mc::Walk::radial;
  static constexpr unsigned kThreads = 1024, kBlocksPerSm = 2, kUnroll = 24;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "09 with words that pass PractRand",
                       .source = "ratchet",
                       .limit = {"cuda.mufu", 2 * 75.667},
                       .parameters = common_parameters(1u << 30)});
  }
};

const Registration registered{std::make_unique<CountedStage<RadialCross64>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
