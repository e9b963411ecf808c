// Speculation of whole blocks: a block of values is computed from unconfirmed values of the blocks
// before it, and again when those turn out otherwise.
//
// Confirmed values alone are what options of rare positions kDepth blocks away or more need, and they
// are gathered once. Then a block of threads tells its first guess, looks at what the blocks before
// have told, computes, tells, and looks again. A value is told with its block and whether it is
// confirmed in one word, so that nothing old or torn is taken for it. A block whose predecessors are
// all confirmed, with the values that it was computed from, is confirmed itself.
//
// Source: mvr, "The State of Play", which leaves it for next time.
#pragma once

#include "kernels/officers/blocks/block.cuh"

namespace ratchet::officers::blocks {

template <class Shape, int kDepthInBlocks>
class Speculating {
 public:
  using Mex = typename Shape::Mex;

  __device__ Speculating(const Job& job, BlockMemory<Shape>& memory)
      : job_(job), memory_(memory), block_(job, memory) {}

  __device__ void run() {
    block_.load(0);
    for (std::uint32_t chunk = blockIdx.x; chunk < job_.chunks; chunk += gridDim.x)
      if (!compute(chunk)) return;
    block_.count_rounds();
    if (threadIdx.x == 0) atomicAdd(&job_.control->speculations, speculations_);
  }

 private:
  static constexpr std::uint32_t kBlock = Shape::kBlock, kWords = kBlock / 4;
  static constexpr std::uint32_t kDepth = kDepthInBlocks;
  static_assert(kDepth >= 2 && kSlots >= 2 * kMostTurns);

  /// What the blocks before say, all threads alike.
  struct Look {
    bool missing, changed, confirmed;
  };

  /// False when the launch is to end.
  __device__ bool compute(std::uint32_t chunk) {
    Mex far;
    const std::uint32_t end = block_.beyond(kDepth);
    const std::uint32_t known = chunk + 1 > kDepth ? chunk + 1 - kDepth : 0;
    for (std::uint32_t done = 0; done < end;) {
      if (!block_.await(block_.needed(chunk, done))) return false;
      const std::uint32_t ready = min(block_.ready(chunk), end);
      block_.add_known(far, chunk, done, ready);
      done = ready;
    }
    if (!block_.await(known)) return false;  // some of the nearer ones read it, too
    keep(chunk, far.lowest());
    tell(chunk, false);
    return confirm(chunk, known, far, end);
  }

  __device__ bool confirm(std::uint32_t chunk, std::uint32_t known, const Mex& far,
                          std::uint32_t end) {
    std::uint32_t value = 0;
    std::uint64_t since = 0;
    bool computed = false;
    for (std::uint32_t tries = 1;; ++tries) {
      const Look at = look(chunk, known);
      if (!at.missing && (at.changed || !computed)) {
        Mex mex = far;
        block_.add_known(mex, chunk, end, job_.all_rares);
        value = block_.forward(mex, chunk);
        ++speculations_, computed = true, since = 0;
        tell(chunk, at.confirmed);
      } else if (at.confirmed) {
        tell(chunk, true);
      }
      if (at.confirmed) break;
      others_turn();
      const bool give_up =
          tries % 256 == 0 && threadIdx.x == 0 && !block_.watch().goes_on(since, chunk);
      if (tries % 256 == 0 && __syncthreads_or(give_up)) return false;
    }
    block_.loaded_own(chunk);
    // The word comes before the values that progress speaks of: after those of the block before, too.
    if (threadIdx.x == 0)
      computed = block_.watch().until(
          [&] { return load_acquire(&job_.control->progress) >= chunk; }, chunk);
    return !__syncthreads_or(!computed) && block_.hand_out(chunk, value);
  }

  /// Takes over what blocks known ... chunk - 1 say, into the ring.
  __device__ Look look(std::uint32_t chunk, std::uint32_t known) {
    bool missing = false, changed = false, unconfirmed = false;
    for (std::uint32_t i = threadIdx.x; i < (chunk - known) * kWords; i += kBlock) {
      const std::uint32_t other = known + i / kWords;
      const std::uint64_t word =
          load_word(job_.fresh + std::uint64_t{other % kSlots} * kWords + i % kWords);
      const auto tag = static_cast<std::uint32_t>(word >> 32);
      if (tag / 2 != other + 1) {
        missing = true;
        continue;
      }
      std::uint32_t& four = memory_.ring[(kKeep + known * kBlock + 4 * i) % kRing / 4];
      changed |= four != static_cast<std::uint32_t>(word);
      unconfirmed |= tag % 2 == 0;
      four = static_cast<std::uint32_t>(word);
    }
    missing = __syncthreads_or(missing);
    changed = __syncthreads_or(changed);
    return {missing, changed, !__syncthreads_or(unconfirmed || missing)};
  }

  __device__ void keep(std::uint32_t chunk, std::uint32_t value) {
    reinterpret_cast<std::uint8_t*>(memory_.ring)[(kKeep + chunk * kBlock + threadIdx.x) % kRing] =
        static_cast<std::uint8_t>(value);
  }
  /// The block's values, as they are in the ring.
  __device__ void tell(std::uint32_t chunk, bool confirmed) {
    __syncthreads();
    if (threadIdx.x < kWords)
      store_word(job_.fresh + std::uint64_t{chunk % kSlots} * kWords + threadIdx.x,
                 std::uint64_t{2 * (chunk + 1) + confirmed} << 32 |
                     memory_.ring[(kKeep + chunk * kBlock) % kRing / 4 + threadIdx.x]);
  }

  const Job& job_;
  BlockMemory<Shape>& memory_;
  Block<Shape> block_;
  unsigned long long speculations_ = 0;
};

template <class Shape, int kDepth>
__global__ void __launch_bounds__(Shape::kBlock) speculate(Job job) {
  Speculating<Shape, kDepth>(job, *reinterpret_cast<BlockMemory<Shape>*>(shared_memory())).run();
}

}  // namespace ratchet::officers::blocks
