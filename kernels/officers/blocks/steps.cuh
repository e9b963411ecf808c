// Blocks of threads in step: in step s all know the values before block s; one of them resolves block
// s, the others take their share of the options of blocks s + 1, s + 2, ..., and then all wait for
// all. So a block of values goes through as many steps as there are blocks of threads, and between
// two steps stands one of the three official ways to synchronize a grid.
//
// Source: mvr, "Synchronising Properly", which has the three ways, not
// the steps.
#pragma once

#include "kernels/officers/blocks/block.cuh"

namespace ratchet::officers::blocks {

/// All steps in one launch; `sync` has all threads of all blocks wait for each other.
template <class Shape, class Sync>
__global__ void __launch_bounds__(Shape::kBlock) steps(Job job, Sync sync) {
  using Mex = typename Shape::Mex;
  Block<Shape> block(job, *reinterpret_cast<BlockMemory<Shape>*>(shared_memory()));
  block.load(0);
  Mex mex;
  std::uint32_t chunk = blockIdx.x, done = 0;
  for (std::uint32_t step = 0; step < job.chunks; ++step) {
    if (chunk < job.chunks) {
      const std::uint32_t end = job.ends[chunk - step];
      block.add_known(mex, chunk, done, end);
      done = end;
    }
    if (chunk == step) {
      block.hand_out(chunk, block.forward(mex, chunk));
      mex = Mex();
      done = 0, chunk += gridDim.x;
    }
    sync();
    // Not there: the step found a value too large, and nobody goes on.
    if (load_acquire(&job.control->progress) <= step) return;
    block.load_blocks(step + 1);
    __syncthreads();
  }
  block.count_rounds();
}

/// One step a launch. What a block of values has seen goes from launch to launch in job.masks.
template <class Shape>
__global__ void __launch_bounds__(Shape::kBlock) one_step(Job job, std::uint32_t step) {
  if (job.control->progress < step) return;  // an earlier step found a value too large
  const std::uint32_t left = (blockIdx.x + gridDim.x - step % gridDim.x) % gridDim.x;
  const std::uint32_t chunk = step + left;
  if (chunk >= job.chunks) return;
  Block<Shape> block(job, *reinterpret_cast<BlockMemory<Shape>*>(shared_memory()));
  block.load(step);
  typename Shape::Mex mex;
  std::uint32_t* const mask = job.masks + blockIdx.x * 8 * Shape::kBlock + threadIdx.x;
  const bool first = step == 0 || left == gridDim.x - 1;
  if (!first)
    for (std::uint32_t w = 0; w < 8; ++w) mex.word[w] = mask[w * Shape::kBlock];
  block.add_known(mex, chunk, first ? 0 : job.ends[left + 1], job.ends[left]);
  if (left == 0) {
    block.hand_out(chunk, block.forward(mex, chunk));
    block.count_rounds();
  } else {
    for (std::uint32_t w = 0; w < 8; ++w) mask[w * Shape::kBlock] = mex.word[w];
  }
}

}  // namespace ratchet::officers::blocks
