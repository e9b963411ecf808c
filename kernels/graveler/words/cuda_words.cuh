// What the CUDA stages of the text share: cuRAND's generator as a source of words.
#pragma once

#include <curand_kernel.h>

#include <cstdint>

#include "kernels/support/rng/gpu_seed.h"

namespace ratchet::graveler {

/// cuRAND's XORWOW. The text seeds it with seed + thread; curand_init does not mix its seed well
/// enough for that: the first battles of neighbouring threads are then correlated (z-scores of 200
/// over 2^21 battles). Hashed seeds are not. `SeededAsPrinted` keeps the text's.
template <bool SeededAsPrinted>
struct XorwowStream {
  curandState state;
  __device__ XorwowStream(std::uint64_t seed, std::uint64_t thread) {
    curand_init(SeededAsPrinted ? seed + thread : mix64(seed + thread), 0, 0, &state);
  }
  __device__ std::uint32_t next() { return curand(&state); }
};
using XorwowWords = XorwowStream<false>;

}  // namespace ratchet::graveler
