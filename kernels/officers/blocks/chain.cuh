// Blocks of threads that take turns: each computes a block of values, and waits for those of the
// others by a word that says how far all values are known.
//
// Source: mvr, "Multiple Blocks". The spin printed there reads the
// word plainly, without a fence, and of blocks that need not be resident; here it is an acquire, the
// word is released, and the launch is cooperative.
#pragma once

#include "kernels/officers/blocks/block.cuh"

namespace ratchet::officers::blocks {

template <class Shape>
__global__ void __launch_bounds__(Shape::kBlock) chain(Job job) {
  using Mex = typename Shape::Mex;
  Block<Shape> block(job, *reinterpret_cast<BlockMemory<Shape>*>(shared_memory()));
  block.load(0);
  for (std::uint32_t chunk = blockIdx.x; chunk < job.chunks; chunk += gridDim.x) {
    Mex mex;
    std::uint32_t done = 0;
    while (true) {
      const std::uint32_t ready = block.ready(chunk);
      block.add_known(mex, chunk, done, ready);
      done = ready;
      if (done == job.all_rares) break;
      if (!block.await(block.needed(chunk, done))) return;
    }
    const std::uint32_t value = block.forward(mex, chunk);
    block.loaded_own(chunk);
    if (!block.hand_out(chunk, value)) return;
  }
  block.count_rounds();
}

}  // namespace ratchet::officers::blocks
