// From one maximum per thread to one per block, in the ways the text goes through.
#pragma once

namespace ratchet::graveler {

/// One thread loops over all maxima of the block (the text's first kernel, with its slips mended:
/// one thread stores, and the loop stops at the end of the array).
template <unsigned Threads>
struct OneThreadReduction {
  static __device__ void store(unsigned max, unsigned* block_max) {
    __shared__ unsigned char thread_max[Threads];
    thread_max[threadIdx.x] = static_cast<unsigned char>(max);
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (unsigned i = 1; i < Threads; ++i) max = ::max(max, static_cast<unsigned>(thread_max[i]));
    block_max[blockIdx.x] = max;
  }
};

/// Shuffles within each warp, then the first warp shuffles the warps' maxima. Blocks of any number
/// of whole warps: lanes beyond the last warp read 0, which the text's version leaves unset.
template <unsigned Threads>
struct ShuffleReduction {
  static __device__ unsigned warp_max(unsigned max) {
#pragma unroll
    for (unsigned offset = 16; offset > 0; offset /= 2)
      max = ::max(max, __shfl_down_sync(~0u, max, offset));
    return max;
  }
  static __device__ void store(unsigned max, unsigned* block_max) {
    __shared__ unsigned warp_maxima[32];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    max = warp_max(max);
    if (lane == 0) warp_maxima[warp] = max;
    __syncthreads();
    if (warp != 0) return;
    max = warp_max(lane < Threads / 32 ? warp_maxima[lane] : 0u);
    if (lane == 0) block_max[blockIdx.x] = max;
  }
};

}  // namespace ratchet::graveler
