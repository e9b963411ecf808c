// Blocks of threads that find the candidates of a block of values from far rare positions.
//
// Each takes every so many-th block of values. Rare positions from the last to the first: the
// further back their options are, the sooner they are known, so that the work for a block begins
// long before its turn and goes on as values come. Options of all but the last kTail blocks'
// distances are gathered in masks of 256 bits, in kParts shares; then the first nine values that are
// left are compared with the rest, of which little is to do once the last values are there.
#pragma once

#include "kernels/officers/device/waiting.cuh"
#include "kernels/officers/front/candidates.cuh"
#include "kernels/officers/front/job.h"

namespace ratchet::officers::front {

template <class Shape>
struct PreparerMemory {
  static constexpr std::uint32_t kRing = 32768;
  std::uint32_t ring[kRing / 4];  ///< values by position
  std::uint32_t rares[kMostRares];
  std::uint32_t beyond[kRing / Shape::kBlock];  ///< far rares at so many blocks' distance, or more
  std::uint32_t shares[8][Shape::kThreads];
  std::uint32_t candidates[3][Shape::kBlock];
  std::uint32_t there[Shape::kThreads / 32];  ///< by warp: whether the block that it looks at is there
};

template <class Shape>
class Preparer {
 public:
  __device__ Preparer(const Job& job, PreparerMemory<Shape>& memory)
      : job_(job), memory_(memory), watch_(*job.control, job.patience_ns, Role::preparer) {}

  __device__ void run() {
    for (std::uint32_t i = threadIdx.x; i < job_.far_rares; i += blockDim.x)
      memory_.rares[i] = job_.rares[i];
    for (std::uint32_t i = threadIdx.x; i < kKeep / 4; i += blockDim.x)
      memory_.ring[i] = reinterpret_cast<const std::uint32_t*>(job_.values)[i];
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < kDistances; i += blockDim.x)
      memory_.beyond[i] = count_beyond(i);
    __syncthreads();
    for (std::uint32_t chunk = blockIdx.x - 1; chunk < job_.chunks; chunk += job_.preparers)
      if (!prepare(chunk)) return;
  }

 private:
  static constexpr std::uint32_t kBlock = Shape::kBlock, kThreads = Shape::kThreads;
  static constexpr std::uint32_t kParts = kThreads / kBlock;
  static constexpr std::uint32_t kFirst = Shape::kLookback / kBlock;
  static_assert(kKeep == PreparerMemory<Shape>::kRing && kThreads % kBlock == 0);

  static constexpr std::uint32_t kDistances = PreparerMemory<Shape>::kRing / kBlock;

  struct Mask {
    std::uint32_t word[8] = {};
  };

  __device__ std::uint32_t distance(std::uint32_t j) const {
    return (memory_.rares[j] >> 8) / kBlock;
  }
  /// Blocks that must be known for the options of rare j of `chunk`: its last value reads up to
  /// p + 1 places before.
  __device__ std::uint32_t needed(std::uint32_t chunk, std::uint32_t j) const {
    const std::uint32_t back = distance(j);
    return chunk + 1 > back ? chunk + 1 - back : 0;
  }
  /// Far rares at `distance` blocks or more: they come first.
  __device__ std::uint32_t beyond(std::uint32_t distance) const {
    return distance < kDistances ? memory_.beyond[distance] : 0;
  }
  __device__ std::uint32_t count_beyond(std::uint32_t distance) const {
    std::uint32_t low = 0, high = job_.far_rares;  // descending positions
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (this->distance(middle) >= distance) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  /// Far rares of whose options those of `chunk` need no more than is loaded.
  __device__ std::uint32_t ready(std::uint32_t chunk) const {
    return loaded_ > chunk ? job_.far_rares : beyond(chunk + 1 - loaded_);
  }
  __device__ std::uint32_t option(std::uint32_t at, std::uint32_t rare) const {
    const std::uint32_t index = (at - 1 - (rare >> 8)) % PreparerMemory<Shape>::kRing;
    return reinterpret_cast<const std::uint8_t*>(memory_.ring)[index] ^ (rare & 0xff);
  }

  /// False when the launch is to end.
  __device__ bool prepare(std::uint32_t chunk) {
    const std::uint32_t at = kKeep + chunk * kBlock + threadIdx.x % kBlock;
    const std::uint32_t part = threadIdx.x / kBlock;
    Mask mask;
    std::uint32_t j = 0;
    // The far ones, as they come.
    const std::uint32_t far = beyond(kFirst + Shape::kTail);
    while (j < far) {
      if (!await(needed(chunk, j))) return false;
      const std::uint32_t end = ready(chunk) < far ? ready(chunk) : far;
#pragma unroll 4
      for (std::uint32_t i = j + part; i < end; i += kParts) {
        const std::uint32_t value = option(at, memory_.rares[i]);
        for (std::uint32_t w = 0; w < 8; ++w) mask.word[w] |= bit(value - 32 * w);
      }
      j = end;
    }
    find_candidates(mask, part);
    return compare_tail(chunk, at, part, j);
  }
  /// The first nine values that no share excludes, to memory_.candidates.
  __device__ void find_candidates(const Mask& mask, std::uint32_t part) {
    for (std::uint32_t w = 0; w < 8; ++w) memory_.shares[w][threadIdx.x] = mask.word[w];
    __syncthreads();
    if (part == 0) {
      std::uint32_t found = 0, words[3] = {};
      for (std::uint32_t w = 0; w < 8; ++w) {
        std::uint32_t open = mask.word[w];
        for (std::uint32_t other = 1; other < kParts; ++other)
          open |= memory_.shares[w][threadIdx.x + other * kBlock];
        for (open = ~open; open != 0 && found < 9; open &= open - 1, ++found)
          add(words, found, 32 * w + static_cast<unsigned>(__ffs(static_cast<int>(open))) - 1);
      }
      for (; found < 9; ++found) add(words, found, kExcluded);
      for (std::uint32_t i = 0; i < 3; ++i) memory_.candidates[i][threadIdx.x] = words[i];
    }
    __syncthreads();
  }
  __device__ static void add(std::uint32_t (&words)[3], std::uint32_t place, std::uint32_t value) {
    for (std::uint32_t i = 0; i < 3; ++i)
      if (place / 3 == i) words[i] |= value << place % 3 * 10;
  }

  /// The options of the last distances, and tells the front.
  __device__ bool compare_tail(std::uint32_t chunk, std::uint32_t at, std::uint32_t part,
                               std::uint32_t j) {
    const std::uint32_t t = threadIdx.x % kBlock;
    std::uint32_t c[3], open[3];
    for (std::uint32_t i = 0; i < 3; ++i) {
      c[i] = memory_.candidates[i][t];
      open[i] = open_places(c[i]);
    }
    while (j < job_.far_rares) {
      if (!await(needed(chunk, j))) return false;
      const std::uint32_t end = ready(chunk);
      for (std::uint32_t r = j + part; r < end; r += kParts) {
        const std::uint32_t value = option(at, memory_.rares[r]) * kLanes3;
        for (std::uint32_t i = 0; i < 3; ++i) open[i] = without(open[i], value, c[i]);
      }
      j = end;
    }
    for (std::uint32_t i = 0; i < 3; ++i) memory_.shares[i][threadIdx.x] = open[i];
    __syncthreads();
    if (part == 0) {
      for (std::uint32_t i = 0; i < 3; ++i) {
        for (std::uint32_t other = 1; other < kParts; ++other)
          open[i] &= memory_.shares[i][t + other * kBlock];
        store_word(job_.candidates + (std::uint64_t{chunk % kSlots} * 3 + i) * kBlock + t,
                   std::uint64_t{chunk + 1} << 32 | mark_excluded(c[i], open[i]));
      }
    }
    __syncthreads();
    return true;
  }

  /// Loads blocks of values until `needed` of them are there, and those beyond that are: a warp looks
  /// at a block. False when the launch is to end.
  __device__ bool await(std::uint32_t needed) {
    std::uint64_t since = 0;
    for (std::uint32_t tries = 1; loaded_ < needed; ++tries) {
      const std::uint32_t warp = threadIdx.x / 32;
      const bool there = load(loaded_ + warp);
      if (threadIdx.x % 32 == 0) memory_.there[warp] = there;
      __syncthreads();
      std::uint32_t blocks = 0;
      while (blocks < kThreads / 32 && memory_.there[blocks] != 0) ++blocks;
      loaded_ += blocks;
      if (blocks > 0) since = 0;
      else others_turn();
      const bool give_up =
          tries % 256 == 0 && threadIdx.x == 0 && !watch_.goes_on(since, loaded_);
      if (__syncthreads_or(give_up)) return false;
    }
    return true;
  }
  /// Takes over a block of values if it is there, a warp at a time.
  __device__ bool load(std::uint32_t chunk) {
    constexpr std::uint32_t kWords = kBlock / 4;
    bool there = true;
    for (std::uint32_t i = threadIdx.x % 32; i < kWords; i += 32) {
      const std::uint64_t word = load_word(job_.fresh + std::uint64_t{chunk % kSlots} * kWords + i);
      if (word >> 32 == chunk + 1)
        memory_.ring[(kKeep + chunk * kBlock) % PreparerMemory<Shape>::kRing / 4 + i] =
            static_cast<std::uint32_t>(word);
      else there = false;
    }
    return !__any_sync(~0u, !there);
  }

  const Job& job_;
  PreparerMemory<Shape>& memory_;
  Watch watch_;
  std::uint32_t loaded_ = 0;  ///< blocks of values in the ring
};

}  // namespace ratchet::officers::front
