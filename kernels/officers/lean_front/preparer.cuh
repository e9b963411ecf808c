// Blocks of threads that find the candidates of a block of values from far rare positions. As
// front/preparer.cuh, with less to do for each block once the last values are there.
//
// Options of all but the last kTail blocks' distances are gathered in masks of 256 bits, in kParts
// shares; then the first eight values that are left are compared with the rest, the options of the
// last distance being known to the compiler. The front gets the first six of those left.
#pragma once

#include <utility>

#include "kernels/officers/device/waiting.cuh"
#include "kernels/officers/front/candidates.cuh"
#include "kernels/officers/front/job.h"
#include "kernels/officers/front/near_rares.h"
#include "kernels/officers/lean_front/first_six.cuh"

namespace ratchet::officers::lean {

template <class Shape>
struct PreparerMemory {
  static constexpr std::uint32_t kRing = 32768;
  std::uint32_t ring[kRing / 4];  ///< values by position
  std::uint32_t rares[kMostRares];
  std::uint32_t beyond[kRing / Shape::kBlock];  ///< far rares at so many blocks' distance, or more
  std::uint32_t shares[8][Shape::kThreads];
  std::uint32_t bytes[Shape::kBlock][2];  ///< candidates, eight a value
  std::uint32_t found[Shape::kBlock];     ///< how many of them there are
  std::uint32_t order[kChoices];
  /// By warp, for odd and even looks: whether the block that it looks at is there.
  std::uint32_t there[2][Shape::kThreads / 32];
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
    for (std::uint32_t i = threadIdx.x; i < kChoices; i += blockDim.x)
      memory_.order[i] = order_of(i);
    __syncthreads();
    for (std::uint32_t chunk = blockIdx.x - 1; chunk < job_.chunks; chunk += job_.preparers)
      if (!prepare(chunk)) return;
  }

 private:
  static constexpr std::uint32_t kBlock = Shape::kBlock, kThreads = Shape::kThreads;
  static constexpr std::uint32_t kParts = kThreads / kBlock;
  static constexpr std::uint32_t kFirst = Shape::kLookback / kBlock;
  static constexpr std::uint32_t kNotYet = 0, kThere = 1, kStop = 2;
  /// The rare positions of the last distance: the first, and how many.
  static constexpr int kNearest = rares_below(Shape::kLookback);
  static constexpr int kCount = rares_below(Shape::kLookback + kBlock) - kNearest;
  static_assert(kThreads < 1024);  // fewer warps than a warp has lanes
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
      if (this->distance(middle) >= distance)
        low = middle + 1;
      else
        high = middle;
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
    std::uint32_t c[3];
    find_candidates(mask, part, c);
    return compare_tail(chunk, at, part, j, c);
  }
  /// The first eight values that no share excludes. A thread takes a word of the mask of a value.
  __device__ void find_candidates(const Mask& mask, std::uint32_t part, std::uint32_t (&c)[3]) {
    const std::uint32_t t = threadIdx.x % kBlock;
    for (std::uint32_t w = 0; w < 8; ++w) memory_.shares[w][threadIdx.x] = mask.word[w];
    __syncthreads();
    for (std::uint32_t w = part; w < 8; w += kParts) {
      std::uint32_t seen = 0;
      for (std::uint32_t other = 0; other < kParts; ++other)
        seen |= memory_.shares[w][t + other * kBlock];
      memory_.shares[w][t] = ~seen;
    }
    __syncthreads();
    for (std::uint32_t w = part; w < 8; w += kParts) {
      std::uint32_t place = 0, open = memory_.shares[w][t];
      for (std::uint32_t before = 0; before < w; ++before)
        place += static_cast<std::uint32_t>(__popc(static_cast<int>(memory_.shares[before][t])));
      for (; open != 0 && place < 8; open &= open - 1, ++place)
        reinterpret_cast<std::uint8_t*>(memory_.bytes[t])[place] = static_cast<std::uint8_t>(
            32 * w + static_cast<unsigned>(__ffs(static_cast<int>(open))) - 1);
      if (w == 7) memory_.found[t] = place < 8 ? place : 8;
    }
    __syncthreads();
    const std::uint32_t four = memory_.bytes[t][0], others = memory_.bytes[t][1];
    const std::uint32_t found = memory_.found[t];
    c[0] = (four & 0xff) | (four & 0xff00) << 2 | (four & 0xff0000) << 4;
    c[1] = four >> 24 | (others & 0xff) << 10 | (others & 0xff00) << 12;
    c[2] = (others >> 16 & 0xff) | (others >> 24) << 10 | kExcluded << 20;
    for (std::uint32_t place = found; place < 8; ++place)
      for (std::uint32_t i = 0; i < 3; ++i)
        if (place / 3 == i) c[i] |= kExcluded << place % 3 * 10;
  }

  /// The options of the last distances, and tells the front.
  __device__ bool compare_tail(std::uint32_t chunk, std::uint32_t at, std::uint32_t part,
                               std::uint32_t j, const std::uint32_t (&c)[3]) {
    const std::uint32_t t = threadIdx.x % kBlock;
    std::uint32_t open[3];
    for (std::uint32_t i = 0; i < 3; ++i) open[i] = open_places(c[i]);
    const std::uint32_t place = (kKeep + chunk * kBlock) % PreparerMemory<Shape>::kRing;
    // The last distance's are known to the compiler; where the ring begins anew they are not used.
    const std::uint32_t nearest =
        place >= Shape::kLookback + kBlock ? beyond(kFirst + 1) : job_.far_rares;
    while (j < nearest) {
      if (!await(needed(chunk, j))) return false;
      const std::uint32_t end = ready(chunk) < nearest ? ready(chunk) : nearest;
      for (std::uint32_t r = j + part; r < end; r += kParts) {
        const std::uint32_t value = option(at, memory_.rares[r]) * kLanes3;
        for (std::uint32_t i = 0; i < 3; ++i) open[i] = without(open[i], value, c[i]);
      }
      j = end;
    }
    if (nearest < job_.far_rares) {
      if (!await(needed(chunk, nearest))) return false;
      compare_nearest(reinterpret_cast<const std::uint8_t*>(memory_.ring) + place + t, part, c,
                      open, std::make_integer_sequence<int, kParts>());
    }
    for (std::uint32_t i = 0; i < 3; ++i) memory_.shares[i][threadIdx.x] = open[i];
    __syncthreads();
    if (part == 0) {
      for (std::uint32_t i = 0; i < 3; ++i)
        for (std::uint32_t other = 1; other < kParts; ++other)
          open[i] &= memory_.shares[i][t + other * kBlock];
      const std::uint32_t chosen =
          open_bits(open[0]) | open_bits(open[1]) << 3 | open_bits(open[2]) << 6;
      std::uint32_t left[2];
      first_six(c[0], c[1], c[2], chosen, memory_.order[chosen], left);
      for (std::uint32_t i = 0; i < 2; ++i)
        store_word(job_.candidates + (std::uint64_t{chunk % kSlots} * 2 + i) * kBlock + t,
                   std::uint64_t{chunk + 1} << 32 | left[i]);
    }
    __syncthreads();
    return true;
  }

  /// The options of the last distance, part by part.
  template <int... kPart>
  __device__ static void compare_nearest(const std::uint8_t* values, std::uint32_t part,
                                         const std::uint32_t (&c)[3], std::uint32_t (&open)[3],
                                         std::integer_sequence<int, kPart...>) {
    ((part == kPart
          ? compare_share<kNearest + kCount * kPart / static_cast<int>(kParts)>(
                values, c, open,
                std::make_integer_sequence<int, kCount*(kPart + 1) / static_cast<int>(kParts) -
                                                    kCount * kPart / static_cast<int>(kParts)>())
          : void()),
     ...);
  }
  template <int kBegin, int... J>
  __device__ static void compare_share(const std::uint8_t* values, const std::uint32_t (&c)[3],
                                       std::uint32_t (&open)[3], std::integer_sequence<int, J...>) {
    const std::uint32_t value[] = {values[-1 - static_cast<int>(kNearRares[kBegin + J].position)] *
                                   kLanes3...};
    for (std::uint32_t i = 0; i < 3; ++i)
      ((open[i] = without(open[i], value[J], c[i] ^ kNearRares[kBegin + J].byte * kLanes3)), ...);
  }

  /// Loads blocks of values until `needed` of them are there, and those beyond that are: a warp
  /// looks at a block. False when the launch is to end.
  __device__ bool await(std::uint32_t needed) {
    std::uint64_t since = 0;
    for (std::uint32_t tries = 1; loaded_ < needed; ++tries) {
      const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
      std::uint32_t* const there = memory_.there[looks_++ % 2];
      const bool is = load(loaded_ + warp);
      if (lane == 0) there[warp] = is ? kThere : kNotYet;
      if (tries % 256 == 0 && threadIdx.x == 0 && !watch_.goes_on(since, loaded_)) there[0] = kStop;
      __syncthreads();
      const std::uint32_t seen = lane < kThreads / 32 ? there[lane] : kNotYet;
      if (__any_sync(~0u, seen == kStop)) return false;
      const auto blocks =
          static_cast<std::uint32_t>(__ffs(static_cast<int>(__ballot_sync(~0u, seen != kThere)))) -
          1;
      loaded_ += blocks;
      if (blocks > 0)
        since = 0;
      else
        others_turn();
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
      else
        there = false;
    }
    return !__any_sync(~0u, !there);
  }

  const Job& job_;
  PreparerMemory<Shape>& memory_;
  Watch watch_;
  std::uint32_t loaded_ = 0;  ///< blocks of values in the ring
  std::uint32_t looks_ = 0;   ///< how often await() looked
};

}  // namespace ratchet::officers::lean
