// officers/cuda/06_barrier
// Changed:  one launch; between steps a cuda::barrier of the whole device.
// Why:      the second of the official ways. The text found it significantly slower than its own word and
//           did not learn why. A thread a block arrives here; all threads do with `arrivals` 1, as the
//           text presumably had it, and then 2048 atomics on one word are a step's.
// Expected: arriving and polling through the second-level cache, some 2000 cycles a step on top of
//           10 thousand of work: 40 M/s; with all threads, a third of it.
//           In fact the same with all threads arriving, which does not explain what the text saw.
// Source:   mvr, "Synchronising Properly"; the steps are ratchet's.
#include <cuda/barrier>

#include "kernels/officers/blocks/stage.cuh"
// After it, whose device functions it uses:
#include "kernels/officers/blocks/steps.cuh"

namespace ratchet::officers {
namespace {

using namespace blocks;

using Barrier = cuda::barrier<cuda::thread_scope_device>;

/// A thread of every block arrives for it, or all do.
struct BarrierSync {
  Barrier* barrier;
  bool all;
  __device__ void operator()() const {
    if (all) return barrier->arrive_and_wait();
    __syncthreads();
    if (threadIdx.x == 0) barrier->arrive_and_wait();
    __syncthreads();
  }
};

__global__ void make_barrier(Barrier* barrier, std::uint32_t arrivals) {
  new (barrier) Barrier(arrivals);
}

struct OfBarrier {
  static StageInfo info() {
    return {
        .name = RATCHET_STAGE,
        .summary = "blocks of threads in step, a cuda::barrier between steps",
        .source = of_text("Synchronising Properly"),
        .parameters = {count_of(std::uint64_t{1} << 20),
                       block_of(256),
                       blocks_of(8),
                       {"arrivals", 0, 0, 1, "at the barrier: 0 a thread a block, 1 all threads"}},
        .sweep = {{{"arrivals", 1}}},
        .survey = grid({{"arrivals", {0, 1}}, {"blocks", {1, 16, 32}}})};
  }
  template <int kBlock>
  static Kernel kernel(const Parameters& parameters) {
    using Shape = blocks::Shape<kBlock, ShiftedMex, Forward::speculate>;
    const auto barrier = std::make_shared<DeviceBuffer<Barrier>>(1);
    const bool all = parameters.at("arrivals") == 1;
    const auto arrivals = static_cast<std::uint32_t>(parameters.at("blocks") * (all ? kBlock : 1));
    Kernel kernel = cooperative<Shape>(steps<Shape, BarrierSync>, BarrierSync{barrier->data(), all});
    // Made anew for every run: one that ended early leaves it between two phases.
    kernel.launch = [=, run = kernel.launch](const Job& job, std::uint32_t blocks) {
      make_barrier<<<1, 1>>>(barrier->data(), arrivals);
      RATCHET_CUDA_LAUNCHED();
      run(job, blocks);
    };
    return kernel;
  }
};

const Registration registered{std::make_unique<BlocksStage<OfBarrier>>()};

}  // namespace
}  // namespace ratchet::officers
