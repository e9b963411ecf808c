// What the CUDA stages of bmn are asked for and what they leave: sums in registers, lengths in
// shared memory, the longest games and the capped ones in global memory.
#pragma once

#include <cstdint>

#include "kernels/bmn/bmn.h"

namespace ratchet::bmn {

/// A launch: deals `first` and following of `seed`, or given ones in their place.
struct Job {
  std::uint64_t seed = 0, first = 0, deals = 0;
  std::uint32_t cap = 0;
  const Deal* given = nullptr;
  std::uint64_t search = 0;  ///< what else decides the deals of a search
  Outcome* each = nullptr;  ///< where to leave the games one by one, in order; null when timed
};

/// Left in global memory; zeroed before each run. Indices count from the first deal of the run.
struct Totals {
  unsigned long long turns, tricks, second_wins, digest, capped;
  /// turns (tricks) << kKeyShift | ~index, the largest of all finished games.
  unsigned long long most_turns, most_tricks;
  unsigned long long lengths[kBins];
  unsigned long long capped_index[kCappedKept];
};
inline constexpr unsigned kKeyShift = 40;
inline constexpr std::uint64_t kKeyIndex = (std::uint64_t{1} << kKeyShift) - 1;

/// Of a block, in shared memory.
struct BlockRecord {
  unsigned lengths[kBins];
  unsigned most_turns, most_tricks;  ///< some game of this block reached it
};

/// A launch has at most this many games a warp, so that 32 bits hold a lane's sums even if one lane
/// played the share of its warp. (Where threads take deals from a common backlog a share is only what is
/// expected; a lane would overflow at 2000 times the games of the mean one.)
inline constexpr std::uint64_t kWarpShare = std::uint64_t{1} << 18;
static_assert(kWarpShare * (kMaxCap + 1000) < std::uint64_t{1} << 32);

/// A lane's sums. Every thread of the block makes one and calls finish().
class Record {
 public:
  __device__ Record(BlockRecord& block, const Job& job, std::uint64_t run_first, Totals* totals)
      : block_(block), totals_(totals), run_first_(run_first), job_(job) {
    for (unsigned i = threadIdx.x; i < kBins; i += blockDim.x) block_.lengths[i] = 0;
    if (threadIdx.x == 0) block_.most_turns = block_.most_tricks = 0;
    __syncthreads();
  }

  /// Game `index` of the launch is over, or past the cap.
  __device__ void game(std::uint64_t index, Outcome outcome) {
    const std::uint64_t number = job_.first + index;
    const bool capped = outcome.turns > job_.cap;
    if (capped) outcome = Outcome{};
    if (job_.each != nullptr) job_.each[index] = outcome;
    digest_ += digest_of(number, outcome);
    if (capped) {
      const unsigned long long at = atomicAdd(&totals_->capped, 1ull);
      if (at < kCappedKept) totals_->capped_index[at] = number - run_first_;
      return;
    }
    turns_ += outcome.turns;
    tricks_ += outcome.tricks;
    second_wins_ += outcome.winner;
    atomicAdd(&block_.lengths[bin_of(outcome.turns)], 1u);
    longest(outcome.turns, block_.most_turns, totals_->most_turns, number);
    longest(outcome.tricks, block_.most_tricks, totals_->most_tricks, number);
  }

  __device__ void finish() {
    add(totals_->turns, turns_);
    add(totals_->tricks, tricks_);
    add(totals_->second_wins, second_wins_);
    add(totals_->digest, digest_);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < kBins; i += blockDim.x)
      if (block_.lengths[i] > 0)
        atomicAdd(&totals_->lengths[i], static_cast<unsigned long long>(block_.lengths[i]));
  }

 private:
  __device__ void longest(unsigned length, unsigned& of_block, unsigned long long& of_all,
                          std::uint64_t number) {
    if (length < *const_cast<volatile unsigned*>(&of_block)) return;
    atomicMax(&of_block, length);
    atomicMax(&of_all, static_cast<unsigned long long>(length) << kKeyShift |
                           (kKeyIndex - (number - run_first_)));
  }
  static __device__ void add(unsigned long long& total, unsigned long long mine) {
    for (unsigned offset = 16; offset > 0; offset /= 2)
      mine += __shfl_down_sync(~0u, mine, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, mine);
  }

  BlockRecord& block_;
  Totals* totals_;
  const std::uint64_t run_first_;
  const Job& job_;
  unsigned turns_ = 0, tricks_ = 0, second_wins_ = 0;
  unsigned long long digest_ = 0;
};

}  // namespace ratchet::bmn
