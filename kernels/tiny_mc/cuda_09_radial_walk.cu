// tiny_mc/cuda/09_radial_walk
// Changed:  only the distance from the centre is kept, which is exact for isotropic scattering and
//           spherical shells; otherwise as 08.
// Why:      a step needs two words, a logarithm and a square root; x, y and z need a third word, a
//           sine, a cosine and another square root.
// Expected: twice the photons of 08: 17 instructions a step instead of 32.
// Source:   ratchet.
#include "kernels/tiny_mc/counted/cuda_counted_stage.cuh"

namespace ratchet::tiny_mc {
namespace {

struct RadialWalkStage {
  using Walk = RadialWalk;
  static constexpr auto kWalk = tiny_mc::Walk::radial;
  static constexpr unsigned kThreads = 768, kBlocksPerSm = 2, kUnroll = 12;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "08 with the distance from the centre alone",
                       .source = "ratchet",
                       .limit = {"cuda.mufu", 2 * 75.667},
                       .parameters = common_parameters(1u << 30)});
  }
};

const Registration registered{std::make_unique<CountedStage<RadialWalkStage>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
