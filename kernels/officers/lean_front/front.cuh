// The first block of threads: finds the values, a block of kBlock of them a phase. As
// front/front.cuh, with less between the end of a phase and the end of the next.
//
// In phase k, side by side:
//   - kBlock threads, one a value, resolve block k. Of its six candidates those are kept that
//     options of the block before leave; then all values are taken to be their first candidates,
//     compared with the options that gives, and so on until none changes: then all of them are
//     right;
//   - kBlock threads take the candidates of block k + 1, which a preparing block has found, and
//     compare them with the options of blocks up to k - 1;
//   - a warp hands out block k - 1.
// A round writes the values that it reads: where none changes, none was read before it changed. A
// value that has none of its first three candidates left takes the fourth unseen, and looks at it
// when no other value changes any more.
// An option of a rare position p is p + 1 places back, so that what a phase reads was there before
// it. Values are kept in shared memory in three places of a word, twice, a ring's length apart, so
// that every option is at a fixed distance.
#pragma once

#include <utility>

#include "kernels/officers/device/waiting.cuh"
#include "kernels/officers/front/candidates.cuh"
#include "kernels/officers/front/job.h"
#include "kernels/officers/front/near_rares.h"
#include "kernels/officers/lean_front/first_six.cuh"

namespace ratchet::officers::lean {

template <class Shape>
struct FrontMemory {
  std::uint32_t ring[2 * Shape::kRing];
  std::uint32_t candidates[2][2][Shape::kBlock];  ///< of odd and even blocks, two words each
  std::uint32_t order[kChoices];                  ///< order_of()
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
      memory_.ring[i] = memory_.ring[i + Shape::kRing] =
          job_.values[kKeep - Shape::kRing + i] * kLanes3;
    for (std::uint32_t i = threadIdx.x; i < kChoices; i += blockDim.x)
      memory_.order[i] = order_of(i);
    __syncthreads();
    if (threadIdx.x >= kThreads) return;
    const int chunks = static_cast<int>(job_.chunks);
    std::uint64_t words[2] = {};
    for (int k = -1; k <= chunks; ++k) {
      const auto chunk = static_cast<std::uint32_t>(k);
      const bool resolves = threadIdx.x < kBlock && k >= 0 && k < chunks;
      Value value;
      value.closed = false;
      bool goes_on = true;
      if (resolves) {
        begin(chunk, value);
        // Three are the most frequent number: the end of a third one jumps back.
        while (round(value) && round(value) && round(value)) continue;
      } else if (threadIdx.x >= kBlock && threadIdx.x < 2 * kBlock) {
        if (k + 1 < chunks) goes_on = compare_nearer(chunk + 1, words);
      } else if (threadIdx.x >= 2 * kBlock) {
        if (k >= 1) hand_out(chunk - 1);
      }
      // Some may have more to do, or say that the launch is to end.
      if (any_of<kPhase, kThreads>(value.closed || !goes_on)) {
        if (resolves) goes_on = settle(chunk, value);
        if (any_of<kPhase, kThreads>(!goes_on)) break;
      }
    }
    if (threadIdx.x == 0) {
      job_.control->rounds = rounds_;
      job_.control->exact = exact_;
    }
  }

  static constexpr std::uint32_t kThreads = 2 * Shape::kBlock + 32;

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
  __device__ static std::uint32_t first_open(std::uint32_t candidates, std::uint32_t open) {
    return candidates >> (__ffs(static_cast<int>(open & kOpen)) - 9) & 0x1ff;
  }

  // Resolving.

  /// One value.
  struct Value {
    std::uint32_t c[2];        ///< candidates
    std::uint32_t w0, w1, w2;  ///< the first three, in three places each
    std::uint32_t spare;       ///< the value where none of them is left
    std::uint32_t now;
    std::uint32_t* at;
    bool closed;  ///< none of the first three is left
    bool forced;  ///< computed from all options
  };

  __device__ void begin(std::uint32_t chunk, Value& value) {
    const std::uint32_t t = threadIdx.x;
    auto& c = value.c;
    for (std::uint32_t i = 0; i < 2; ++i) c[i] = memory_.candidates[chunk % 2][i][t];
    value.at = memory_.ring + (kKeep + chunk * kBlock + t) % kRing;
    keep<kOwn, kBefore>(value.at + kRing, c);
    value.w0 = (c[0] & 0xff) * kLanes3;
    value.w1 = (c[0] >> 10 & 0xff) * kLanes3;
    value.w2 = (c[0] >> 20 & 0xff) * kLanes3;
    value.spare = (c[1] & 0xff) * kLanes3;
    value.forced = false;
    put(value, choose(open_places(c[0]), value));
    any_of<kRounds, kBlock>(false);
  }
  /// False when none changed.
  __device__ bool round(Value& value) {
    const std::uint32_t own =
        compare<0, kOwn>(value.at + kRing, value.c[0], open_places(value.c[0]));
    const std::uint32_t next = choose(own, value);
    const bool changed = next != value.now;
    put(value, next);
    value.closed = (own & kOpen) == 0;
    ++rounds_;
    return any_of<kRounds, kBlock>(changed);
  }
  __device__ static void put(Value& value, std::uint32_t next) {
    value.now = value.at[0] = value.at[kRing] = next;
  }
  __device__ static std::uint32_t choose(std::uint32_t open, const Value& value) {
    return select_if(
        open & 256, value.w0,
        select_if(open & 256 << 10, value.w1, select_if(open & 256 << 20, value.w2, value.spare)));
  }
  /// None changes, and some have none of their first three left: those look at their others.
  /// False when the launch is to end.
  __device__ bool settle(std::uint32_t chunk, Value& value) {
    for (;;) {
      bool unknown = false;
      std::uint32_t spare = value.spare;
      if (value.closed && !value.forced) {
        const std::uint32_t own =
            compare<0, kOwn>(value.at + kRing, value.c[1], open_places(value.c[1]));
        unknown = (own & kOpen) == 0;
        if (!unknown) spare = (first_open(value.c[1], own) & 0xff) * kLanes3;
      }
      const bool changed = spare != value.spare;
      value.spare = spare;
      if (!any_of<kRounds, kBlock>(changed)) {
        if (!any_of<kRounds, kBlock>(unknown)) return true;
        if (!force_lowest(chunk, unknown, value)) return false;
      }
      while (round(value)) continue;
      if (!any_of<kRounds, kBlock>(value.closed)) return true;
    }
  }
  /// No value changes any more, but some have no candidate left: computes the first of those from
  /// all its options. False when the launch is to end.
  __device__ bool force_lowest(std::uint32_t chunk, bool unknown, Value& value) {
    const std::uint32_t t = threadIdx.x;
    if (t == 0) memory_.lowest = kBlock;
    if (t < 8) memory_.mask[t] = 0;
    any_of<kRounds, kBlock>(false);
    if (unknown) atomicMin(&memory_.lowest, t);
    any_of<kRounds, kBlock>(false);
    const std::uint32_t lowest = memory_.lowest, first = kKeep + chunk * kBlock;
    // Many loads at once: one after the other they take as long as five blocks of values.
    constexpr std::uint32_t kAtOnce = 8;
    for (std::uint32_t from = t; from < job_.all_rares; from += kAtOnce * kBlock) {
      std::uint32_t rare[kAtOnce], byte[kAtOnce];
      for (std::uint32_t i = 0; i < kAtOnce; ++i)
        rare[i] = job_.rares[from + i * kBlock < job_.all_rares ? from + i * kBlock : from];
      for (std::uint32_t i = 0; i < kAtOnce; ++i) {
        const std::uint32_t at = first + lowest - 1 - (rare[i] >> 8);
        // The ring has this block and kRing / kBlock - 1 before it.
        byte[i] = at + kRing >= first + kBlock
                      ? memory_.ring[at % kRing]
                      : load_fresh(reinterpret_cast<const std::uint32_t*>(job_.values) + at / 4) >>
                            at % 4 * 8;
      }
      for (std::uint32_t i = 0; i < kAtOnce; ++i) {
        const std::uint32_t option = (byte[i] ^ rare[i]) & 0xff;
        atomicOr(&memory_.mask[option / 32], 1u << option % 32);
      }
    }
    any_of<kRounds, kBlock>(false);
    std::uint32_t word = 0;
    while (word < 8 && memory_.mask[word] == ~0u) ++word;
    if (word == 8) {
      if (t == 0) watch_.give_up(Reason::value_too_large, chunk * kBlock + lowest);
      return false;
    }
    if (t == lowest) {
      const auto bit = static_cast<unsigned>(__ffs(static_cast<int>(~memory_.mask[word]))) - 1;
      value.w0 = value.w1 = value.w2 = value.spare = (word * 32 + bit) * kLanes3;
      value.forced = true;
    }
    ++exact_;
    any_of<kRounds, kBlock>(false);  // before mask and lowest are used again
    return true;
  }

  // Comparing.

  /// `words` are the candidates of the block if they were there when it was last looked; in the end
  /// those of the next. False when the launch is to end.
  __device__ bool compare_nearer(std::uint32_t chunk, std::uint64_t (&words)[2]) {
    const std::uint32_t t = threadIdx.x % kBlock;
    bool there = is(chunk, words);
    if (!there)
      there = watch_.until(
          [&] {
            load(chunk, t, words);
            return is(chunk, words);
          },
          chunk);
    std::uint32_t c[2];
    for (std::uint32_t i = 0; i < 2; ++i) c[i] = static_cast<std::uint32_t>(words[i]);
    keep<kBefore, kNear>(memory_.ring + (kKeep + chunk * kBlock + t) % kRing + kRing, c);
    for (std::uint32_t i = 0; i < 2; ++i) memory_.candidates[chunk % 2][i][t] = c[i];
    load(chunk + 1, t, words);
    return there;
  }
  /// The candidates of a block, if they are there.
  __device__ void load(std::uint32_t chunk, std::uint32_t t, std::uint64_t (&words)[2]) const {
    const std::uint64_t* from = job_.candidates + std::uint64_t{chunk % kSlots} * 2 * kBlock + t;
    words[0] = load_word(from), words[1] = load_word(from + kBlock);
  }
  __device__ static bool is(std::uint32_t chunk, const std::uint64_t (&words)[2]) {
    return words[0] >> 32 == chunk + 1 && words[1] >> 32 == chunk + 1;
  }
  /// Of six candidates those that options of rare positions kFirst ... kLast - 1 leave.
  template <int kFirst, int kLast>
  __device__ void keep(const std::uint32_t* values, std::uint32_t (&c)[2]) const {
    const std::uint32_t chosen =
        open_bits(compare<kFirst, kLast>(values, c[0], open_places(c[0]))) |
        open_bits(compare<kFirst, kLast>(values, c[1], open_places(c[1]))) << 3;
    first_six(c[0], c[1], 0, chosen, memory_.order[chosen], c);
  }

  // Handing out.

  __device__ void hand_out(std::uint32_t chunk) {
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t first = kKeep + chunk * kBlock;
    for (std::uint32_t i = lane; i < kBlock / 4; i += 32) {
      const std::uint32_t* at = memory_.ring + (first + 4 * i) % kRing;
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

  static constexpr int kRounds = 1, kPhase = 2;  ///< barriers

  const Job& job_;
  FrontMemory<Shape>& memory_;
  Watch watch_;
  std::uint32_t rounds_ = 0;
  unsigned long long exact_ = 0;
};

}  // namespace ratchet::officers::lean
