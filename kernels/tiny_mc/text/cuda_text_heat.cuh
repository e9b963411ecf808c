// Where the text's kernel leaves the heat: straight in global memory, or by its three levels of
// arrays, a thread's, a block's and the grid's.
//
// A heat sink is made by every thread, takes its deposits, and is finished by the whole block.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/tiny_mc/text/cuda_text_rounding.h"
#include "kernels/tiny_mc/tiny_mc.h"

namespace ratchet::tiny_mc {

/// Of cuda_text_words.cuh, which needs cuRAND: a test runs the sums on an emulated device.
template <class Generator>
class RememberedFour;

/// Arrays of a block. The text does not print the constant; its example has eight.
inline constexpr unsigned kReduceSize = 8;

/// heat[2 * shell] and heat[2 * shell + 1]: the sums of weights and of their squares.
template <class Value>
struct HeatTarget {
  Value* heat;
  std::uint32_t shells;
  unsigned long long* photons;  ///< that ended, counted one by one
};

/// Every deposit an atomic addition to global memory. In double: a float that takes the deposits of
/// all photons is off by 6 % at 10^6 of them.
class GlobalHeat {
 public:
  template <class Generator>
  using Words = Generator;
  using Value = double;
  using Target = HeatTarget<Value>;
  static constexpr std::uint32_t kMaxShells = tiny_mc::kMaxShells;
  static unsigned shared_bytes(std::uint32_t) { return 0; }
  static double rounding(const TextShape&, double) { return 0; }
  __device__ GlobalHeat(Target target, float*) : target_(target) {}
  template <class Words>
  __device__ void collision(std::uint64_t, std::uint32_t, const Collision& at, float deposit,
                            const Words&) {
    atomicAdd(&target_.heat[2 * at.shell], Value{deposit});
    atomicAdd(&target_.heat[2 * at.shell + 1], Value{deposit * deposit});
  }
  __device__ void played(std::uint64_t, std::uint32_t) {}
  __device__ void ended(std::uint64_t, std::uint32_t) { ++photons_; }
  __device__ void finish() { atomicAdd(target_.photons, photons_); }

 private:
  Target target_;
  unsigned long long photons_ = 0;
};

/// Sum of a warp's values, in lane 0. Blocks narrower than a warp have only their own lanes.
__device__ inline float warp_reduce(float value, unsigned width) {
  const unsigned mask = width == 32 ? 0xffffffff : (1u << width) - 1;
  for (unsigned offset = width / 2; offset > 0; offset /= 2)
    value += __shfl_down_sync(mask, value, offset);
  return value;
}

/// The text's tree: half of the remaining arrays is added to the other half, until one is left. The
/// threads regroup so that each addition of arrays has its share of them.
__device__ inline void tree_reduce(float* shared, unsigned length) {
  for (unsigned size = kReduceSize / 2; size > 0; size /= 2) {
    const unsigned group_size = blockDim.x / size;
    const unsigned position = threadIdx.x % group_size, group = threadIdx.x / group_size;
    for (unsigned i = position; i < length; i += group_size)
      shared[group * length + i] += shared[(group + size) * length + i];
    __syncthreads();
  }
}

/// The text's future work: the lower half of a warp loads 16 values of one array, the upper half
/// the same 16 of another, and one shuffle adds them.
__device__ inline void half_warp_reduce(float* shared, unsigned length) {
  const unsigned lane = threadIdx.x % 32, half = lane / 16, warp = threadIdx.x / 32;
  const unsigned warps = blockDim.x / 32;
  for (unsigned size = kReduceSize / 2; size > 0; size /= 2) {
    const unsigned pieces = (length + 15) / 16;
    for (unsigned task = warp; task < size * pieces; task += warps) {
      const unsigned group = task / pieces, i = task % pieces * 16 + lane % 16;
      float value = i < length ? shared[(group + half * size) * length + i] : 0.0f;
      value += __shfl_down_sync(0xffffffff, value, 16);
      if (half == 0 && i < length) shared[group * length + i] = value;
    }
    __syncthreads();
  }
}

/// The text's hierarchy. `kShells`: room in a thread's own array, which lies in local memory. The
/// text's loop over the shells runs to SHELLS + SHELLS % 32 (106 of 101) and lets the last rounds
/// write past the arrays; here it ends at the last shell. `Sum` is what the grid adds up in: in the
/// text's float, two million blocks of 16 photons each get the first shell wrong by 60 standard
/// errors of 3e8 photons, for their few values all round the same way.
template <std::uint32_t kShells, bool kHalfWarps, class Sum = double>
class ThreeLevelHeat {
 public:
  template <class Generator>
  using Words = Generator;
  using Value = Sum;
  using Target = HeatTarget<Value>;
  static constexpr std::uint32_t kMaxShells = kShells;
  static unsigned shared_bytes(std::uint32_t shells) { return kReduceSize * 2 * shells * 4; }
  static double rounding(const TextShape& shape, double deposits) {
    return three_level_rounding(shape, deposits, kReduceSize) +
           (std::is_same_v<Sum, float> ? float_grid_rounding(shape) : 0.0);
  }

  __device__ ThreeLevelHeat(Target target, float* shared) : target_(target), shared_(shared) {
    for (unsigned i = threadIdx.x; i < kReduceSize * 2 * target.shells; i += blockDim.x)
      shared_[i] = 0;
    for (std::uint32_t i = 0; i < 2 * target.shells; ++i) local_[i] = 0;
    __syncthreads();
  }
  template <class Words>
  __device__ void collision(std::uint64_t, std::uint32_t, const Collision& at, float deposit,
                            const Words&) {
    local_[2 * at.shell] += deposit;
    local_[2 * at.shell + 1] += deposit * deposit;
  }
  __device__ void played(std::uint64_t, std::uint32_t) {}
  __device__ void ended(std::uint64_t, std::uint32_t) { ++photons_; }
  __device__ void finish() {
    add_warps_to_block();
    const unsigned length = 2 * target_.shells;
    if constexpr (kHalfWarps) {
      if (blockDim.x >= 32) half_warp_reduce(shared_, length);
      if (blockDim.x < 32) tree_reduce(shared_, length);
    } else {
      tree_reduce(shared_, length);
    }
    for (unsigned i = threadIdx.x; i < length; i += blockDim.x)
      atomicAdd(&target_.heat[i], Value{shared_[i]});
  }

 protected:
  /// For those that have no arrays of a block.
  __device__ explicit ThreeLevelHeat(Target target) : target_(target), shared_(nullptr) {
    for (std::uint32_t i = 0; i < 2 * target.shells; ++i) local_[i] = 0;
  }
  __device__ void add_warps_to_block() {
    atomicAdd(target_.photons, photons_);
    const unsigned length = 2 * target_.shells, width = blockDim.x < 32 ? blockDim.x : 32;
    float* const mine = shared_ + threadIdx.x / 32 % kReduceSize * length;
    for (unsigned i = 0; i < length; ++i) {
      const float sum = warp_reduce(local_[i], width);
      if (threadIdx.x % 32 == 0) atomicAdd(&mine[i], sum);
    }
    __syncthreads();
  }

  Target target_;
  float* shared_;
  unsigned long long photons_ = 0;
  float local_[2 * kShells];
};

/// The hierarchy with a plain sum in place of the tree: a thread adds up its places of all arrays.
template <std::uint32_t kShells>
class PlainSumHeat : public ThreeLevelHeat<kShells, false> {
 public:
  using ThreeLevelHeat<kShells, false>::ThreeLevelHeat;
  static double rounding(const TextShape& shape, double deposits) {
    return ThreeLevelHeat<kShells, false>::rounding(shape, deposits) +
           0x1p-24 * (kReduceSize - 1 - 3);  // seven additions deep, not three
  }
  __device__ void finish() {
    this->add_warps_to_block();
    const unsigned length = 2 * this->target_.shells;
    for (unsigned i = threadIdx.x; i < length; i += blockDim.x) {
      float sum = this->shared_[i];
      for (unsigned array = 1; array < kReduceSize; ++array)
        sum += this->shared_[array * length + i];
      atomicAdd(&this->target_.heat[i], double{sum});
    }
  }
};

/// The hierarchy without arrays of a block: each warp adds its sums to global memory.
template <std::uint32_t kShells>
class WarpSumsHeat : public ThreeLevelHeat<kShells, false> {
 public:
  using typename ThreeLevelHeat<kShells, false>::Target;
  static unsigned shared_bytes(std::uint32_t) { return 0; }
  __device__ WarpSumsHeat(Target target, float*) : ThreeLevelHeat<kShells, false>(target) {}
  __device__ void finish() {
    atomicAdd(this->target_.photons, this->photons_);
    const unsigned length = 2 * this->target_.shells, width = blockDim.x < 32 ? blockDim.x : 32;
    for (unsigned i = 0; i < length; ++i) {
      const float sum = warp_reduce(this->local_[i], width);
      if (threadIdx.x % 32 == 0) atomicAdd(&this->target_.heat[i], double{sum});
    }
  }
};

/// Keeps every collision of every photon instead: Trace.
class TraceHeat {
 public:
  template <class Generator>
  using Words = RememberedFour<Generator>;
  struct Target {
    std::uint32_t* made;
    Collision* collisions;
    std::uint32_t capacity;
  };
  static unsigned shared_bytes(std::uint32_t) { return 0; }
  __device__ TraceHeat(Target target, float*) : target_(target) {}
  /// The direction that led here is of the words that the step before left; the first is fixed.
  template <class Words>
  __device__ void collision(std::uint64_t photon, std::uint32_t k, Collision at, float,
                            const Words& words) {
    roulette_word_ = words.last().w;
    if (k >= target_.capacity) return;
    at.step_word = words.last().x;
    if (k > 0) {
      at.direction_word[0] = words.direction().x;
      at.direction_word[1] = words.direction().y;
      at.direction_words = 2;
    }
    target_.collisions[photon * target_.capacity + k] = at;
  }
  /// Roulette after so many collisions, by a word of the last one's.
  __device__ void played(std::uint64_t photon, std::uint32_t collisions) {
    if (collisions > target_.capacity) return;
    Collision& last = target_.collisions[photon * target_.capacity + collisions - 1];
    last.roulette_word = roulette_word_;
    last.roulettes = 1;
  }
  __device__ void ended(std::uint64_t photon, std::uint32_t collisions) {
    target_.made[photon] = collisions;
  }
  __device__ void finish() {}

 private:
  Target target_;
  std::uint32_t roulette_word_ = 0;
};

}  // namespace ratchet::tiny_mc
