// The first block of threads: finds the values, a block of kBlock of them a phase.
//
// In phase k, side by side:
//   - kBlock threads, one a value, resolve block k. Its candidates, which all options but the
//     nearest have left, are compared with options of the block before; then all values are taken to
//     be their first candidates, compared with the options that gives, and so on until none changes:
//     then all of them are right;
//   - kGroups times kBlock threads compare the candidates of block k + 1 with the options of blocks up
//     to k - 1, a share of them each;
//   - kBlock threads fetch the candidates of block k + 2, which a preparing block has found: that alone
//     takes as long as a round or two;
//   - a warp hands out block k - 1.
// An option of a rare position p is p + 1 places back, so that what a phase reads was there before
// it. Values are kept in shared memory in three places of a word, twice, a ring's length apart, so
// that every option is at a fixed distance; and that twice, for what is read and written in a round.
#pragma once

#include <utility>

#include "kernels/officers/device/waiting.cuh"
#include "kernels/officers/front/candidates.cuh"
#include "kernels/officers/front/job.h"
#include "kernels/officers/front/near_rares.h"

namespace ratchet::officers::front {

template <class Shape>
struct FrontMemory {
  std::uint32_t ring[2][2 * Shape::kRing];
  std::uint32_t fetched[2][3][Shape::kBlock];     ///< candidates of odd and even blocks
  std::uint32_t open[3][3][Shape::kBlock];        ///< of those, by group, what its options leave
  std::uint32_t candidates[2][2][Shape::kBlock];  ///< those that are left, two words each
  std::uint32_t mask[8];
  std::uint32_t lowest;
};

template <class Shape>
class Front {
 public:
  __device__ Front(const Job& job, FrontMemory<Shape>& memory)
      : job_(job), memory_(memory), watch_(*job.control, job.patience_ns, Role::front) {}

  __device__ void run() {
    for (std::uint32_t i = threadIdx.x; i < Shape::kRing; i += blockDim.x)
      for (auto& ring : memory_.ring)
        ring[i] = ring[i + Shape::kRing] = job_.values[kKeep - Shape::kRing + i] * kLanes3;
    __syncthreads();
    const int chunks = static_cast<int>(job_.chunks);
    for (int k = -2; k <= chunks; ++k) {
      const auto chunk = static_cast<std::uint32_t>(k);
      bool goes_on = true;
      if (threadIdx.x < kBlock) {
        if (k >= 0 && k < chunks) goes_on = resolve(chunk);
      } else if (threadIdx.x < (1 + kGroups) * kBlock) {
        if (k >= -1 && k + 1 < chunks) compare_nearer(chunk + 1);
      } else if (threadIdx.x < (2 + kGroups) * kBlock) {
        if (k + 2 < chunks) goes_on = fetch(chunk + 2);
      } else if (threadIdx.x < kThreads) {
        if (k >= 1) hand_out(chunk - 1);
      }
      if (__syncthreads_or(!goes_on)) break;
    }
    if (threadIdx.x == 0) {
      job_.control->rounds = rounds_;
      job_.control->exact = exact_;
    }
  }

  static constexpr std::uint32_t kGroups = 3;
  static constexpr std::uint32_t kThreads = (2 + kGroups) * Shape::kBlock + 32;

 private:
  static constexpr std::uint32_t kBlock = Shape::kBlock, kRing = Shape::kRing;
  static constexpr int kOwn = rares_below(kBlock), kBefore = rares_below(2 * kBlock),
                       kNear = rares_below(Shape::kLookback);

  /// Compares with the options of rare positions kFirst ... kFirst + sizeof...(J) - 1.
  template <int kFirst, int... J>
  __device__ static std::uint32_t compare(const std::uint32_t* values, std::uint32_t candidates,
                                          std::uint32_t open, std::integer_sequence<int, J...>) {
    ((open = without(open, values[-1 - static_cast<int>(kNearRares[kFirst + J].position)],
                     candidates ^ kNearRares[kFirst + J].byte * kLanes3)),
     ...);
    return open;
  }
  template <int kFirst, int kLast>
  __device__ static std::uint32_t compare(const std::uint32_t* values, std::uint32_t candidates,
                                          std::uint32_t open) {
    return compare<kFirst>(values, candidates, open,
                           std::make_integer_sequence<int, kLast - kFirst>());
  }
  /// The same for three words: a value is loaded once.
  template <int kFirst, int... J>
  __device__ static void compare_all(const std::uint32_t* values, const std::uint32_t (&c)[3],
                                     std::uint32_t (&open)[3], std::integer_sequence<int, J...>) {
    (compare_one<kFirst + J>(values, c, open), ...);
  }
  template <int kRare>
  __device__ static void compare_one(const std::uint32_t* values, const std::uint32_t (&c)[3],
                                     std::uint32_t (&open)[3]) {
    const std::uint32_t value = values[-1 - static_cast<int>(kNearRares[kRare].position)];
    for (std::uint32_t i = 0; i < 3; ++i)
      open[i] = without(open[i], value, c[i] ^ kNearRares[kRare].byte * kLanes3);
  }
  __device__ static std::uint32_t first_open(std::uint32_t candidates, std::uint32_t open) {
    return candidates >> (__ffs(static_cast<int>(open & kOpen)) - 9) & 0x1ff;
  }

  // Resolving.

  /// False when the launch is to end.
  __device__ bool resolve(std::uint32_t chunk) {
    const std::uint32_t t = threadIdx.x, index = (kKeep + chunk * kBlock + t) % kRing;
    const std::uint32_t c0 = memory_.candidates[chunk % 2][0][t];
    const std::uint32_t c1 = memory_.candidates[chunk % 2][1][t];
    // By distance, not from an array of pointers, which no compiler takes for one to shared memory.
    const std::uint32_t* const first = memory_.ring[0] + index + kRing;
    const std::uint32_t* const second = first + 2 * kRing;
    const std::uint32_t o0 = before_only(first, c0);
    std::uint32_t forced = kNone;
    std::uint32_t value = pick(c0, o0, c1, o0 & kOpen ? 0 : before_only(first, c1));
    put(0, index, value);
    any_of<kRounds, kBlock>(false);
    for (unsigned round = 1;; ++round) {
      const unsigned from = (round - 1) % 2;
      const std::uint32_t* const values = from == 0 ? first : second;
      const std::uint32_t own = compare<0, kOwn>(values, c0, o0);
      // The second word is for one value in a thousand: all its options when it comes to that.
      std::uint32_t next =
          pick(c0, own, c1, own & kOpen ? 0 : compare<0, kBefore>(values, c1, open_places(c1)));
      if (forced != kNone) next = forced;
      const bool changed = next != value, unknown = next == kUnknown;
      value = next;
      put(1 - from, index, value);
      ++rounds_;
      if (!any_of<kRounds, kBlock>(changed || unknown)) return true;
      if (round < kPatience || any_of<kRounds, kBlock>(changed)) continue;
      if (!force_lowest(chunk, unknown, 1 - from, forced)) return false;
    }
  }

  /// The first candidate that is open; kUnknown when none is.
  __device__ static std::uint32_t pick(std::uint32_t c0, std::uint32_t o0, std::uint32_t c1,
                                       std::uint32_t o1) {
    if (o0 & kOpen) return first_open(c0, o0);
    return o1 & kOpen ? first_open(c1, o1) : kUnknown;
  }
  __device__ static std::uint32_t before_only(const std::uint32_t* values, std::uint32_t c) {
    return compare<kOwn, kBefore>(values, c, open_places(c));
  }
  __device__ void put(unsigned ring, std::uint32_t index, std::uint32_t value) {
    memory_.ring[ring][index] = memory_.ring[ring][index + kRing] = (value & 0xff) * kLanes3;
  }

  /// No value changes any more, but some have no candidate left: computes the first of those from
  /// all its options. False when the launch is to end.
  __device__ bool force_lowest(std::uint32_t chunk, bool unknown, unsigned ring,
                               std::uint32_t& forced) {
    const std::uint32_t t = threadIdx.x;
    if (t == 0) memory_.lowest = kBlock;
    if (t < 8) memory_.mask[t] = 0;
    any_of<kRounds, kBlock>(false);
    if (unknown) atomicMin(&memory_.lowest, t);
    any_of<kRounds, kBlock>(false);
    const std::uint32_t lowest = memory_.lowest, first = kKeep + chunk * kBlock;
    for (std::uint32_t j = t; j < job_.all_rares; j += kBlock) {
      const std::uint32_t at = first + lowest - 1 - (job_.rares[j] >> 8);
      // The ring has this block and kRing / kBlock - 1 before it.
      const std::uint32_t byte =
          at + kRing >= first + kBlock
              ? memory_.ring[ring][at % kRing] & 0xff
              : load_fresh(reinterpret_cast<const std::uint32_t*>(job_.values) + at / 4) >>
                    at % 4 * 8 & 0xff;
      const std::uint32_t option = byte ^ (job_.rares[j] & 0xff);
      atomicOr(&memory_.mask[option / 32], 1u << option % 32);
    }
    any_of<kRounds, kBlock>(false);
    std::uint32_t word = 0;
    while (word < 8 && memory_.mask[word] == ~0u) ++word;
    if (word == 8) {
      if (t == 0) watch_.give_up(Reason::value_too_large, chunk * kBlock + lowest);
      return false;
    }
    if (t == lowest)
      forced = word * 32 + static_cast<unsigned>(__ffs(static_cast<int>(~memory_.mask[word]))) - 1;
    ++exact_;
    any_of<kRounds, kBlock>(false);  // before mask and lowest are used again
    return true;
  }

  // Preparing.

  /// False when the launch is to end.
  __device__ bool fetch(std::uint32_t chunk) {
    const std::uint32_t t = threadIdx.x % kBlock;
    const std::uint64_t* from = job_.candidates + std::uint64_t{chunk % kSlots} * 3 * kBlock + t;
    std::uint64_t word[3];
    const bool there = watch_.until(
        [&] {
          bool all = true;
          for (std::uint32_t i = 0; i < 3; ++i) {
            word[i] = load_word(from + i * kBlock);
            all &= word[i] >> 32 == chunk + 1;
          }
          return all;
        },
        chunk);
    for (std::uint32_t i = 0; i < 3; ++i)
      memory_.fetched[chunk % 2][i][t] = static_cast<std::uint32_t>(word[i]);
    return there;
  }

  __device__ void compare_nearer(std::uint32_t chunk) {
    const std::uint32_t t = threadIdx.x % kBlock;
    std::uint32_t c[3];
    for (std::uint32_t i = 0; i < 3; ++i) c[i] = memory_.fetched[chunk % 2][i][t];
    switch (threadIdx.x / kBlock - 1) {
      case 0: compare_share<0>(chunk, c); break;
      case 1: compare_share<1>(chunk, c); break;
      default: compare_share<2>(chunk, c);
    }
    meet<kNearer, kGroups * kBlock>();
    if (threadIdx.x < 2 * kBlock) keep_left(chunk, c);
  }
  template <int kGroup>
  __device__ void compare_share(std::uint32_t chunk, const std::uint32_t (&c)[3]) {
    constexpr int kFirst = kBefore + (kNear - kBefore) * kGroup / 3;
    constexpr int kLast = kBefore + (kNear - kBefore) * (kGroup + 1) / 3;
    const std::uint32_t t = threadIdx.x % kBlock;
    const std::uint32_t* values = memory_.ring[0] + (kKeep + chunk * kBlock + t) % kRing + kRing;
    std::uint32_t open[3];
    for (std::uint32_t i = 0; i < 3; ++i) open[i] = open_places(c[i]);
    compare_all<kFirst>(values, c, open, std::make_integer_sequence<int, kLast - kFirst>());
    for (std::uint32_t i = 0; i < 3; ++i) memory_.open[kGroup][i][t] = open[i];
  }
  /// The first six that no group excludes.
  __device__ void keep_left(std::uint32_t chunk, const std::uint32_t (&c)[3]) {
    const std::uint32_t t = threadIdx.x % kBlock;
    std::uint64_t left = 0;
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < 3; ++i) {
      const std::uint32_t open =
          memory_.open[0][i][t] & memory_.open[1][i][t] & memory_.open[2][i][t];
      for (std::uint32_t place = 0; place < 30; place += 10)
        if ((open >> place & 256) && count < 6)
          left |= std::uint64_t{c[i] >> place & 0x1ff} << 10 * count++;
    }
    for (; count < 6; ++count) left |= std::uint64_t{kExcluded} << 10 * count;
    memory_.candidates[chunk % 2][0][t] = static_cast<std::uint32_t>(left & ((1u << 30) - 1));
    memory_.candidates[chunk % 2][1][t] = static_cast<std::uint32_t>(left >> 30);
  }

  // Handing out.

  __device__ void hand_out(std::uint32_t chunk) {
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t first = kKeep + chunk * kBlock;
    for (std::uint32_t i = lane; i < kBlock / 4; i += 32) {
      const std::uint32_t* at = memory_.ring[0] + (first + 4 * i) % kRing;
      const std::uint32_t four =
          (at[0] & 0xff) | (at[1] & 0xff) << 8 | (at[2] & 0xff) << 16 | (at[3] & 0xff) << 24;
      store_word(job_.fresh + std::uint64_t{chunk % kSlots} * (kBlock / 4) + i,
                 std::uint64_t{chunk + 1} << 32 | four);
      reinterpret_cast<std::uint32_t*>(job_.values)[first / 4 + i] = four;
    }
    __threadfence();
    __syncwarp();
    if (lane == 0) store_release(&job_.control->progress, chunk + 1);
  }

  static constexpr int kRounds = 1, kNearer = 2;  ///< barriers
  static constexpr unsigned kPatience = 12;
  static constexpr std::uint32_t kNone = ~0u, kUnknown = 0x1ff;

  const Job& job_;
  FrontMemory<Shape>& memory_;
  Watch watch_;
  unsigned long long rounds_ = 0, exact_ = 0;
};

}  // namespace ratchet::officers::front
