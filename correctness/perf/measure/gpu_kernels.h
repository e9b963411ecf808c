// Kernels of known work for the tests on a GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace ratchet::timing {

/// One block, busy for so many cycles of its SM. Several run concurrently on several streams.
void launch_spin(long long cycles, cudaStream_t stream);

/// One thread that follows `next` from 0 for so many steps: the latency of one load after another.
/// The loads bypass the L1 cache. `sink` is never written.
void launch_chase(const std::uint32_t* next, std::size_t steps, std::uint32_t* sink,
                  cudaStream_t stream);

}  // namespace ratchet::timing
