// A block of threads that computes a block of values, a thread a value: backwards over rare
// positions whose options are known, then forwards over the values of the block itself.
//
// Source: mvr, "Calculating a Block of Values" and "Speculating in the
// Forward Phase".
#pragma once

#include "kernels/officers/blocks/job.h"
#include "kernels/officers/blocks/mex.cuh"
#include "kernels/officers/device/waiting.cuh"

namespace ratchet::officers::blocks {

/// How a block of values becomes right in itself.
enum class Forward {
  in_order,   ///< one value after the other, each told to all after it
  speculate,  ///< all at once from what all were before, until none changes
  suffix      ///< the same for those that may still change
};

template <int kBlockSize, class MexOfThread, Forward kForwardPhase>
struct Shape {
  static constexpr std::uint32_t kBlock = kBlockSize;
  static constexpr Forward kForward = kForwardPhase;
  using Mex = MexOfThread;
  static_assert(kBlock % 32 == 0 && kRing % kBlock == 0);
};

template <class Shape>
struct BlockMemory {
  std::uint32_t ring[kRing / 4];  ///< values by position, a byte each
  std::uint32_t rares[kMostRares];
  std::uint32_t near[Shape::kBlock];  ///< the byte of rare position p, kCommon where p is common
  std::uint32_t own[2][Shape::kBlock / 4];  ///< the block's values, before a round and after it
  std::uint32_t lowest[3];                  ///< first value that changed, by round
  std::uint32_t known;                      ///< blocks of values that can be read
  std::uint32_t beyond[kRing / Shape::kBlock];  ///< rares at so many blocks' distance, or more
};

template <class Shape>
class Block {
 public:
  static constexpr std::uint32_t kBlock = Shape::kBlock;
  using Mex = typename Shape::Mex;

  __device__ Block(const Job& job, BlockMemory<Shape>& memory)
      : job_(job), memory_(memory), watch_(*job.control, job.patience_ns, Role::resolver) {}

  /// The tables, and values up to block `known`.
  __device__ void load(std::uint32_t known) {
    const std::uint32_t t = threadIdx.x, end = kKeep + known * kBlock;
    for (std::uint32_t i = t; i < job_.all_rares; i += kBlock) memory_.rares[i] = job_.rares[i];
    memory_.near[t] = kCommon;
    if (t < 3) memory_.lowest[t] = kBlock;
    for (std::uint32_t at = end - kRing + 4 * t; at < end; at += 4 * kBlock) load_four(at);
    __syncthreads();
    for (std::uint32_t i = t; i < job_.all_rares; i += kBlock)
      if (position(memory_.rares[i]) < kBlock)
        memory_.near[position(memory_.rares[i])] = memory_.rares[i] & 0xff;
    for (std::uint32_t distance = t; distance < kRing / kBlock; distance += kBlock)
      memory_.beyond[distance] = count_beyond(distance);
    loaded_ = known;
    __syncthreads();
  }

  // What of earlier blocks an option needs: a thread reads p + 1 places before its own, so that of p
  // in [d B, (d + 1) B) it is up to d blocks before, but those of the block itself not yet.

  /// Blocks of values that must be known for the options of rare j of block `chunk`.
  __device__ std::uint32_t needed(std::uint32_t chunk, std::uint32_t j) const {
    const std::uint32_t distance = position(memory_.rares[j]) / kBlock;
    const std::uint32_t back = distance > 0 ? distance : 1;
    return chunk + 1 > back ? chunk + 1 - back : 0;
  }
  /// Rares at `distance` blocks or more: they come first.
  __device__ std::uint32_t beyond(std::uint32_t distance) const {
    return distance < kRing / kBlock ? memory_.beyond[distance] : 0;
  }
  /// Rares of whose options those of block `chunk` need no more than is loaded.
  __device__ std::uint32_t ready(std::uint32_t chunk) const {
    return loaded_ >= chunk ? job_.all_rares : beyond(chunk + 1 - loaded_);
  }

  /// Backwards: options of rares from ... to - 1 that are before the block.
  __device__ void add_known(Mex& mex, std::uint32_t chunk, std::uint32_t from, std::uint32_t to) {
    const std::uint32_t at = kKeep + chunk * kBlock + threadIdx.x;
#pragma unroll 4
    for (std::uint32_t j = from; j < to; ++j) {
      const std::uint32_t rare = rare_at(j);
      // Where it would be of the block itself, any place that is known.
      const std::uint32_t back = max(position(rare), threadIdx.x);
      const std::uint32_t option = in_ring(at - 1 - back) ^ (rare & 0xff);
      mex.add(threadIdx.x <= position(rare) ? option : kNothing);
    }
  }

  /// Forwards: the thread's value, and the block's into the ring. kNoneLeft: none below 512.
  __device__ std::uint32_t forward(const Mex& known, std::uint32_t chunk) {
    const std::uint32_t value = Shape::kForward == Forward::in_order
                                    ? one_by_one(known, chunk)
                                    : Shape::kForward == Forward::speculate
                                          ? until_none_changes(known)
                                          : until_no_suffix_changes(known);
    ring_bytes()[(kKeep + chunk * kBlock + threadIdx.x) % kRing] = static_cast<std::uint8_t>(value);
    return value;
  }

  /// Writes the block's values for others, and says so. False when one is too large:
  /// then the launch is to end.
  __device__ bool hand_out(std::uint32_t chunk, std::uint32_t value) {
    job_.values[kKeep + chunk * kBlock + threadIdx.x] = static_cast<std::uint8_t>(value);
    if (value == kNoneLeft)
      watch_.give_up(Reason::value_too_large, chunk * kBlock + threadIdx.x);
    __threadfence();
    if (__syncthreads_or(value == kNoneLeft)) return false;
    if (threadIdx.x == 0) store_release(&job_.control->progress, chunk + 1);
    return true;
  }

  /// Waits for blocks of values until `needed` are there, and loads all that are. False when the
  /// launch is to end.
  __device__ bool await(std::uint32_t needed) {
    if (loaded_ >= needed) return true;
    bool there = true;
    if (threadIdx.x == 0)
      there = watch_.until(
          [&] { return (memory_.known = load_acquire(&job_.control->progress)) >= needed; }, needed);
    if (__syncthreads_or(!there)) return false;
    load_blocks(memory_.known);
    __syncthreads();
    return true;
  }
  /// Takes over blocks of values that are known to be there; the caller synchronizes.
  __device__ void load_blocks(std::uint32_t end) {
    for (std::uint32_t at = kKeep + loaded_ * kBlock + 4 * threadIdx.x;
         at < kKeep + end * kBlock; at += 4 * kBlock)
      load_four(at);
    loaded_ = end;
  }
  /// The block's own values are in the ring already.
  __device__ void loaded_own(std::uint32_t chunk) { loaded_ = chunk + 1; }

  __device__ void count_rounds() const {
    if (threadIdx.x == 0) atomicAdd(&job_.control->rounds, rounds_);
  }
  __device__ const Watch& watch() const { return watch_; }

  __device__ static std::uint32_t position(std::uint32_t rare) { return rare >> 8; }
  __device__ std::uint32_t in_ring(std::uint32_t at) const {
    return reinterpret_cast<const std::uint8_t*>(memory_.ring)[at % kRing];
  }

 private:
  static constexpr std::uint32_t kCommon = ~0u;

  /// In shared memory, or where the shape has them.
  __device__ std::uint32_t rare_at(std::uint32_t j) const {
    if constexpr (requires { Shape::rare_of(j); })
      return Shape::rare_of(j);
    else
      return memory_.rares[j];
  }

  __device__ std::uint8_t* ring_bytes() { return reinterpret_cast<std::uint8_t*>(memory_.ring); }
  __device__ std::uint8_t* own_bytes(unsigned which) {
    return reinterpret_cast<std::uint8_t*>(memory_.own[which]);
  }
  __device__ std::uint32_t count_beyond(std::uint32_t distance) const {
    std::uint32_t low = 0, high = job_.all_rares;  // descending positions
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (position(memory_.rares[middle]) >= distance * kBlock) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  __device__ void load_four(std::uint32_t at) {
    memory_.ring[at % kRing / 4] =
        load_fresh(reinterpret_cast<const std::uint32_t*>(job_.values) + at / 4);
  }

  __device__ std::uint32_t one_by_one(Mex mex, std::uint32_t chunk) {
    const std::uint32_t first = kKeep + chunk * kBlock;
    std::uint32_t value = 0;
    for (std::uint32_t turn = 0; turn < kBlock; ++turn) {
      if (threadIdx.x == turn)
        ring_bytes()[(first + turn) % kRing] = static_cast<std::uint8_t>(value = mex.lowest());
      __syncthreads();  // one a turn does: the next writes elsewhere
      if (threadIdx.x <= turn) continue;
      const std::uint32_t rare = memory_.near[threadIdx.x - turn - 1];
      if (rare != kCommon) mex.add(in_ring(first + turn) ^ rare);
    }
    return value;
  }

  /// Rares that read no value of the block itself: at B - 1 or beyond.
  __device__ std::uint32_t beyond_own() const {
    std::uint32_t first = memory_.beyond[1];
    if (first < job_.all_rares && position(memory_.rares[first]) == kBlock - 1) ++first;
    return first;
  }
  /// `known` with the options of the block itself, whose values are `own`.
  __device__ std::uint32_t with_own(Mex mex, const std::uint8_t* own) const {
    const std::uint32_t first = beyond_own();
#pragma unroll 4
    for (std::uint32_t j = first; j < job_.all_rares; ++j) {
      const std::uint32_t rare = memory_.rares[j];
      const std::uint32_t option =
          own[(threadIdx.x - 1 - position(rare)) % kBlock] ^ (rare & 0xff);
      mex.add(threadIdx.x > position(rare) ? option : kNothing);
    }
    return mex.lowest();
  }

  __device__ std::uint32_t until_none_changes(const Mex& known) {
    std::uint32_t value = known.lowest();
    own_bytes(0)[threadIdx.x] = static_cast<std::uint8_t>(value);
    __syncthreads();
    for (unsigned from = 0;; from = 1 - from) {
      const std::uint32_t before = value;
      value = with_own(known, own_bytes(from));
      own_bytes(1 - from)[threadIdx.x] = static_cast<std::uint8_t>(value);
      ++rounds_;
      if (!__syncthreads_or(value != before)) return value;
    }
  }

  /// The first value that a round changes is right: all before it were already. So only those after
  /// it take part in the next.
  __device__ std::uint32_t until_no_suffix_changes(const Mex& known) {
    std::uint32_t value = known.lowest(), settled = 1;  // nothing of the block is before the first
    own_bytes(0)[threadIdx.x] = own_bytes(1)[threadIdx.x] = static_cast<std::uint8_t>(value);
    __syncthreads();
    for (unsigned from = 0, slot = 0;; from = 1 - from, slot = slot == 2 ? 0 : slot + 1) {
      const std::uint32_t before = value;
      if (threadIdx.x >= settled) {
        value = with_own(known, own_bytes(from));
        own_bytes(1 - from)[threadIdx.x] = static_cast<std::uint8_t>(value);
        if (value != before) atomicMin(&memory_.lowest[slot], threadIdx.x);
      } else {
        own_bytes(1 - from)[threadIdx.x] = static_cast<std::uint8_t>(value);
      }
      ++rounds_;
      __syncthreads();
      settled = memory_.lowest[slot] + 1;
      if (threadIdx.x == 0) memory_.lowest[slot == 0 ? 2 : slot - 1] = kBlock;
      if (settled > kBlock) break;
    }
    __syncthreads();  // all have read the last round's word
    if (threadIdx.x < 3) memory_.lowest[threadIdx.x] = kBlock;
    __syncthreads();
    return value;
  }

  const Job& job_;
  BlockMemory<Shape>& memory_;
  Watch watch_;
  std::uint32_t loaded_ = 0;  ///< blocks of values in the ring
  unsigned long long rounds_ = 0;
};

}  // namespace ratchet::officers::blocks
