// officers/cuda/05_relaunch
// Changed:  blocks of threads in step, and a launch a step (steps.cuh): one resolves the next block of
//           values, the others do their share of those after it.
// Why:      the first of the official ways to have blocks wait for each other: all end.
// Expected: a launch every 3 us, and 32 KiB of values and the masks loaded again: 256 values in some
//           10 us, 25 M/s at the most.
// Source:   mvr, "Synchronising Properly"; the steps are ratchet's.
#include "kernels/officers/blocks/stage.cuh"
// After it, whose device functions it uses:
#include "kernels/officers/blocks/steps.cuh"

namespace ratchet::officers {
namespace {

using namespace blocks;

struct Relaunch {
  static StageInfo info() {
    return {.name = RATCHET_STAGE,
            .summary = "blocks of threads in step, a launch a step",
            .source = of_text("Synchronising Properly"),
            .parameters = {count_of(std::uint64_t{1} << 20), block_of(256), blocks_of(8)},
            .survey = grid({{"blocks", {1, 16, 32}}}),
            .overlaps = true};  // what it costs is between its kernels
  }
  template <int kBlock>
  static Kernel kernel(const Parameters&) {
    using Shape = blocks::Shape<kBlock, ShiftedMex, Forward::speculate>;
    return {reinterpret_cast<const void*>(one_step<Shape>), kBlock, sizeof(BlockMemory<Shape>),
            [](const Job& job, std::uint32_t blocks) {
              for (std::uint32_t step = 0; step < job.chunks; ++step)
                one_step<Shape><<<blocks, kBlock, sizeof(BlockMemory<Shape>)>>>(job, step);
              RATCHET_CUDA_LAUNCHED();
            }};
  }
};

const Registration registered{std::make_unique<BlocksStage<Relaunch>>()};

}  // namespace
}  // namespace ratchet::officers
