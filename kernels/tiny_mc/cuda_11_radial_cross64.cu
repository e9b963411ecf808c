// tiny_mc/cuda/11_radial_cross64
// Changed:  09 with the words of Cross64 in place of a congruential generator's.
// Why:      those fail a judge of random numbers; these do not, and take one instruction where
//           those take two (kernels/support/rng/cross64.h).
// Expected: the speed of 09, or one in ten less.
// Got:      to be measured.
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
  static constexpr unsigned kThreads = 768, kBlocksPerSm = 2, kUnroll = 12;

  static StageInfo info() {
    return stage_info({.name = "tiny_mc/cuda/11_radial_cross64",
                       .summary = "09 with words that pass PractRand",
                       .source = "ratchet",
                       .limit = {"cuda.mufu", 2 * 75.667},
                       .parameters = common_parameters(1u << 30)});
  }
};

const Registration registered{std::make_unique<CountedStage<RadialCross64>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
