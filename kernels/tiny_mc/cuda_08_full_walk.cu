// tiny_mc/cuda/08_full_walk
// Changed:  photons of a warp walk in lockstep from collision to collision, counted in integers
//           per (collision, shell) in shared memory; survivors of the roulette are gathered into
//           full warps; a congruential generator in place of xorshift (cuda_counted.cuh).
// Why:      the weight is a function of the number of collisions, so counting is all there is to
//           do; adding 1 to a word of shared memory is ten times as fast as adding a float, no
//           order of photons changes the result, and no lane waits for the longest photon.
// Expected: 5 transcendental operations a step bound it: 11 million photons a millisecond.
// Source:   ratchet.
#include "kernels/tiny_mc/counted/cuda_counted_stage.cuh"

namespace ratchet::tiny_mc {
namespace {

struct FullWalkStage {
  using Walk = FullWalk;
  static constexpr auto kWalk = tiny_mc::Walk::full;
  static constexpr unsigned kThreads = 512, kBlocksPerSm = 3, kUnroll = 8;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "lockstep warps, integer counters per collision and shell",
                       .source = "ratchet",
                       .limit = {"cuda.mufu", 5 * 75.667},
                       .parameters = common_parameters(1u << 30),
                       .survey = photon_survey()});
  }
};

const Registration registered{std::make_unique<CountedStage<FullWalkStage>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
