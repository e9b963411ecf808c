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
  std::uint32_t rares[1600];
  std::uint32_t shares[8][Shape::kThreads];
  std::uint32_t candidates[3][Shape::kBlock];
  std::uint32_t known;  ///< blocks of values that can be read
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
    for (std::uint32_t chunk = blockIdx.x - 1; chunk < job_.chunks; chunk += job_.preparers)
      if (!prepare(chunk)) return;
  }

 private:
  static constexpr std::uint32_t kBlock = Shape::kBlock, kThreads = Shape::kThreads;
  static constexpr std::uint32_t kParts = kThreads / kBlock;
  static constexpr std::uint32_t kFirst = Shape::kLookback / kBlock;
  static_assert(kKeep == PreparerMemory<Shape>::kRing && kThreads % kBlock == 0);

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
    while (j < job_.far_rares && distance(j) >= kFirst + Shape::kTail) {
      if (!await(needed(chunk, j), true)) return false;
      std::uint32_t end = j;
      while (end < job_.far_rares && distance(end) >= kFirst + Shape::kTail &&
             needed(chunk, end) <= loaded_)
        end = next_distance(end);
      for (std::uint32_t i = j + part; i < end; i += kParts) {
        const std::uint32_t value = option(at, memory_.rares[i]);
        for (std::uint32_t w = 0; w < 8; ++w) mask.word[w] |= bit(value - 32 * w);
      }
      j = end;
    }
    find_candidates(mask, part);
    return compare_tail(chunk, at, part, j);
  }
  /// The first rare after `j` of another distance.
  __device__ std::uint32_t next_distance(std::uint32_t j) const {
    const std::uint32_t back = distance(j);
    while (j < job_.far_rares && distance(j) == back) ++j;
    return j;
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
      if (!await(needed(chunk, j), false)) return false;
      const std::uint32_t end = next_distance(j);
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

  /// Loads blocks of values until `needed` of them are there; with `ahead`, also those beyond that
  /// are known by then. False when the launch is to end.
  __device__ bool await(std::uint32_t needed, bool ahead) {
    if (loaded_ >= needed) return true;
    std::uint32_t end = needed;
    if (ahead) {
      if (threadIdx.x == 0) memory_.known = load_acquire(&job_.control->progress);
      __syncthreads();
      end = memory_.known > end ? memory_.known : end;
      __syncthreads();
    }
    constexpr std::uint32_t kWords = kBlock / 4, kAtOnce = kThreads / kWords;
    bool there = true;
    while (loaded_ < end) {
      const std::uint32_t chunk = loaded_ + threadIdx.x / kWords, i = threadIdx.x % kWords;
      if (chunk < end && threadIdx.x / kWords < kAtOnce) {
        const std::uint64_t* from = job_.fresh + std::uint64_t{chunk % kSlots} * kWords + i;
        std::uint64_t word = 0;
        there = watch_.until([&] { return (word = load_word(from)) >> 32 == chunk + 1; }, chunk);
        memory_.ring[(kKeep + chunk * kBlock) % PreparerMemory<Shape>::kRing / 4 + i] =
            static_cast<std::uint32_t>(word);
      }
      loaded_ = loaded_ + kAtOnce < end ? loaded_ + kAtOnce : end;
      if (__syncthreads_or(!there)) return false;
    }
    return true;
  }

  const Job& job_;
  PreparerMemory<Shape>& memory_;
  Watch watch_;
  std::uint32_t loaded_ = 0;  ///< blocks of values in the ring
};

}  // namespace ratchet::officers::front
