// One kernel whose blocks of threads find, prepare and verify values, all at once. They wait for
// each other, so all must be resident: a cooperative launch.
#pragma once

#include "kernels/officers/front/verifier.cuh"
#include "kernels/officers/lean_front/front.cuh"
#include "kernels/officers/lean_front/preparer.cuh"

namespace ratchet::officers::lean {

/// kBlockSize values are found at a time; the front itself looks back kLookbackBlocks blocks.
template <int kBlockSize, int kLookbackBlocks, int kTailBlocks, int kThreadsOfBlock>
struct Shape {
  static constexpr std::uint32_t kBlock = kBlockSize;
  static constexpr std::uint32_t kLookback = kBlockSize * kLookbackBlocks;
  static constexpr std::uint32_t kTail = kTailBlocks;
  static constexpr std::uint32_t kThreads = kThreadsOfBlock;
  /// A power of two; as many blocks as the front looks back, and the one that it resolves.
  static constexpr std::uint32_t kRing = [] {
    std::uint32_t ring = 32;
    while (ring < kLookback + 2 * kBlock) ring *= 2;
    return ring;
  }();
  static_assert(kBlock % 32 == 0 && kLookbackBlocks >= 2 && kLookback + kBlock <= kNearEnd);
  static_assert(kThreads >= 2 * kBlock + 32 && kHead % kBlock == 0);

  static constexpr std::uint32_t kSharedBytes = [] {
    std::uint32_t bytes = sizeof(FrontMemory<Shape>);
    for (const std::size_t other : {sizeof(PreparerMemory<Shape>), sizeof(VerifierMemory<Shape>)})
      bytes = bytes > other ? bytes : static_cast<std::uint32_t>(other);
    return bytes;
  }();
};

template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads, 1) extend(Job job) {
  unsigned char* memory = shared_memory();
  if (blockIdx.x == 0)
    Front<Shape>(job, *reinterpret_cast<FrontMemory<Shape>*>(memory)).run();
  else if (blockIdx.x <= job.preparers)
    Preparer<Shape>(job, *reinterpret_cast<PreparerMemory<Shape>*>(memory)).run();
  else
    Verifier<Shape>(job, *reinterpret_cast<VerifierMemory<Shape>*>(memory)).run();
}

}  // namespace ratchet::officers::lean
