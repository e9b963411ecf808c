// graveler/cuda/01_xoshiro
// Changed:  the first GPU version: one xoshiro256+ state per thread, 64-bit words, a battle in each
//           turn of the loop.
// Why:      the text tried this first and turned it down for cuRAND, without showing it.
// Expected: slower than XORWOW: a 64-bit shift, add or rotate takes two or three instructions.
//           In fact the ALU pipe alone bounds it: 110 operations a battle.
// Source:   Barr, "The Kernel".
#include "kernels/graveler/stages/cuda_stage.cuh"
#include "kernels/support/rng/xoshiro256plus.h"

namespace ratchet::graveler {
namespace {

struct Xoshiro {
  static constexpr unsigned kThreads = 1024, kBlocksPerSm = 2, kLanes = 1, kBattles = 1;
  static constexpr unsigned kOutcomeWords = 8;
  static constexpr bool kAsPrinted = false;
  using Reduction = OneThreadReduction<kThreads>;

  struct Words {
    Xoshiro256Plus state;
    __device__ Words(std::uint64_t seed, std::uint64_t thread)
        : state(mix64(seed + 4 * thread), mix64(seed + 4 * thread + 1),
                mix64(seed + 4 * thread + 2), mix64(seed + 4 * thread + 3)) {}
    __device__ std::uint64_t next64() { return state.next64(); }
  };

  struct Round {
    __device__ explicit Round(unsigned) {}
    template <class W, class S>
    __device__ void play(W& words, S& sink, unsigned) {
      constexpr std::uint64_t mask = ~((std::uint64_t{1} << 25) - 1);
      unsigned ones = 0;
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        const std::uint64_t first = words.next64();
        const std::uint64_t hits = first & words.next64() & (i == 3 ? mask : ~std::uint64_t{0});
        ones += __popcll(hits);
        sink.outcome(0, 2 * i, static_cast<std::uint32_t>(hits));
        sink.outcome(0, 2 * i + 1, static_cast<std::uint32_t>(hits >> 32));
      }
      sink.count(0, ones);
    }
  };

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "xoshiro256+ in every thread: the text's rejected first attempt",
                       .source = text("The Kernel"),
                       .limit = {"cuda.lop3", 110},
                       .parameters = common_parameters(kBillion)});
  }
  static Layout layout() { return paired_words_layout(64); }
};

const Registration registered{std::make_unique<CudaStage<Xoshiro>>()};

}  // namespace
}  // namespace ratchet::graveler
