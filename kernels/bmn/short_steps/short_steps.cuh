// The kernel of short_steps.h: lanes, rounds and spares as in lean_links/lean_links.cuh.
//
// What is done differently there:
//   - Warps take deals from a count that all share, some hundreds at a time. A scheduler prefers
//   its
//     oldest warps: with even shares they finish long before the others, of which too few remain to
//     hide waits.
//   - A spare is kept as its first trick is opened, so that to go on with it takes moves; what came
//     of a game is kept as it stands, and read when it is recorded.
//   - A lane that deals records one game at most: the one at hand waits until the spare takes its
//     place.
#pragma once

#include "kernels/bmn/lean_links/lean_links.cuh"
#include "kernels/bmn/short_steps/lay_out.h"
#include "kernels/bmn/short_steps/rounds.cuh"

namespace ratchet::bmn::short_steps {

using lean_links::kColumns;
using lean_links::lanes_where;

struct SharedNodes : lean_links::SharedNodes {
  __device__ __forceinline__ void clear_next_row(Word address) const {
    asm volatile("st.shared.u32 [%0+%1], %2;" : : "r"(address), "n"(kRow), "r"(0) : "memory");
  }
};

/// Rows of a block: both tails, the end of a hand, and the nodes of two games.
struct Rows {
  static constexpr unsigned kTails = 0, kEnd = 1, kNodes = 2, kAll = kNodes + 2 * kCourts;
};

/// A lane of the kernel, and what becomes of its games. Each place holds one of them or none:
///
///   share -> spare       dealt, laid out, begun
///   spare -> at hand     take_spare(), which makes a game at hand done
///   at hand -> done      as above
///   done -> recorded     record_done()
struct Lane {
  static constexpr unsigned kNone = ~0u;
  /// Above turns and tricks of a game that is done stand the demand of its last court, and whether
  /// play.slot is of player 1. Turns fit, and a trick but the last has two of them or more.
  static constexpr unsigned kDoneShift = 28, kSecondShift = 31;

  Play play;
  Begun spare;
  unsigned spare_index = kNone;  ///< within the launch, as all three
  unsigned index = kNone;        ///< of the game at hand; kNone: no game
  unsigned done_index = kNone;
  std::uint32_t done = 0;
  unsigned active = 0;  ///< 1: the game at hand is not over

  __device__ __forceinline__ bool has_spare() const { return spare_index != kNone; }

  __device__ __forceinline__ void take_spare(Word slot, const SharedNodes& nodes) {
    finish_game();
    start(play, spare, slot, nodes);
    index = spare_index;
    spare_index = kNone;
    active = 1;
  }
  /// Six steps of an active game. A lane whose game is over then goes on with its spare.
  __device__ __forceinline__ void play_round(std::uint32_t cap, Word slot, Word end,
                                             const SharedNodes& nodes) {
    // One more: the end of a hand, which counts until the game is over, may lie last.
    six_steps(play, active, end, nodes.column, 2 * slot + kHalf, cap + 1, gridDim.y, gridDim.z);
    if (!active && has_spare()) take_spare(slot, nodes);
  }
  __device__ __forceinline__ void record_done(Record& record) {
    if (done_index != kNone)
      record.game(done_index, outcome_of(done & ((1u << kDoneShift) - 1), done >> kDoneShift,
                                         done >> kSecondShift != 0));
    done_index = kNone;
  }
  /// The game that is done and the one at hand, when nothing is left to play.
  __device__ __forceinline__ void record_rest(Record& record) {
    for (unsigned i = 0; i < 2; ++i) {
      record_done(record);
      finish_game();
      index = kNone;
    }
  }

 private:
  /// Of no game it makes none.
  __device__ __forceinline__ void finish_game() {
    static_assert(kHalf << 30 == 1u << kSecondShift && kDemand << kDoneShift < 1u << kSecondShift &&
                  2 * kTurnBits == kDoneShift);
    done = ((play.last & kDemand) << kDoneShift) + ((play.slot << 30) + play.length);
    done_index = index;
  }
};

/// The deals of a launch, which its warps take piece by piece. All lanes of a warp know the same.
/// Pieces become smaller towards the end, where warps wait for the last one.
template <unsigned kMost>
struct Pieces {
  static constexpr unsigned kLeast = 32;  ///< a deal a lane
  const unsigned deals;                   ///< of the launch
  unsigned* const taken;                  ///< of all warps; at first 0
  unsigned next = 0, end = 0;             ///< of the warp's piece

  __device__ __forceinline__ bool has_more() const { return next < deals; }
  /// Deals for `wanted` lanes, of which this is the one behind `before` others: its index, or
  /// `deals` or more if there is none.
  __device__ __forceinline__ unsigned take(unsigned wanted, unsigned before) {
    unsigned mine = next + before;
    next += wanted;
    if (next > end && end < deals) {
      const unsigned warps = gridDim.x * (blockDim.x / 32);
      const unsigned size = min(kMost, max(kLeast, (deals - end) / (2 * warps)));
      unsigned first = 0;
      if (threadIdx.x % 32 == 0) first = atomicAdd(taken, size);
      first = __shfl_sync(~0u, first, 0);
      const unsigned skipped = first - end;
      if (mine >= end) mine += skipped;
      next += skipped;
      end = min(first + size, deals);
    }
    next = min(next, deals);
    return mine;
  }
};

/// Makes a deal, or takes a given one, and lays it out.
template <class Source>
__device__ __forceinline__ Hands deal_out(const Job& job, const Source& source,
                                          const ShuffleTables* tables, std::uint64_t offset,
                                          Word own, Word node, Word end, const SharedNodes& nodes) {
  Shuffle cards;
  bool whole = true;
  if (job.given == nullptr) {
    cards = source.deal(job, tables, job.first + offset, own, nodes);
  } else {
    const Deal& deal = job.given[offset];
    cards = {
        {static_cast<std::uint32_t>(deal.courts[0]), static_cast<std::uint32_t>(deal.courts[1])},
        deal.ranks};
    whole = deal.cards[0] == Source::kCards && deal.cards[1] == Source::kCards &&
            ones_of(cards.courts[0]) + ones_of(cards.courts[1]) == Source::kOf;
  }
  if constexpr (2 * Source::kCards - Source::kOf >= 32)
    whole = whole && !lean_links::has_wide_gap(cards);
  if (whole) return hands_of<Source::kCards, Source::kOf>(cards, node, end, nodes);
  Deal deal = {{cards.courts[0], cards.courts[1]}, cards.ranks, {Source::kCards, Source::kCards}};
  if (job.given != nullptr) deal = job.given[offset];
  return hands_of(deal, node, end, nodes);
}

template <class T>
__global__ void __launch_bounds__(T::kThreads, T::kBlocksPerSm)
    play_short_steps(Job job, std::uint64_t run_first, const ShuffleTables* tables,
                     typename T::Source source, Totals* totals, unsigned* taken) {
  static_assert(T::kThreads == kColumns);
  // A round may go beyond the cap by the cards of its tricks.
  static_assert(kMaxCap + (6 + 2) * (kDeck + 1) <= kTurns);
  __shared__ __align__(2 * kRow) Word words[(Rows::kAll + T::Source::kOwnRows) * kColumns];
  __shared__ BlockRecord block;
  Record record(block, job, run_first, totals);

  Pieces<T::kPiece> pieces{static_cast<unsigned>(job.deals), taken};
  const unsigned before = (1u << threadIdx.x % 32) - 1;

  const Word start_row = static_cast<Word>(__cvta_generic_to_shared(words)) / kRow;
  const SharedNodes nodes{{static_cast<Word>(4 * threadIdx.x)}};
  const Word slot = (start_row + Rows::kTails) * kRow | nodes.column;
  const Word end = lean_links::end_of(start_row + Rows::kEnd);
  const Word first_nodes = (start_row + Rows::kNodes) * kRow | nodes.column;
  const Word both_nodes = 2 * first_nodes + kCourts * kRow;
  const Word own = first_nodes + 2 * kCourts * kRow;
  source.begin(own, nodes);

  Word node = first_nodes;
  Lane lane;
  while (true) {
    while (true) {  // lanes without a spare get one, once enough of them want it
      const unsigned needy = lanes_where(!lane.has_spare()), idle = lanes_where(!lane.active);
      const bool more = pieces.has_more();
      if ((!more || __popc(needy) < T::kNeedy) && (idle & ~needy) == 0 &&
          (!more || __popc(idle) < T::kStarved))
        break;
      const unsigned mine = pieces.take(__popc(needy), __popc(needy & before));
      if (!lane.has_spare()) {
        lane.record_done(record);
        if (mine < pieces.deals) {
          const Hands hands = deal_out(job, source, tables, mine, own, node, end, nodes);
          if (hands.front[0] == end || hands.front[1] == end) {  // over at once
            record.game(mine, {0, 0, hands.front[0] == end ? 1u : 0u});
          } else {
            lane.spare = begun(hands, slot);
            lane.spare_index = mine;
            node = both_nodes - node;
          }
        }
      }
      if (!lane.active && lane.has_spare()) lane.take_spare(slot, nodes);
    }
    if (lanes_where(lane.active) == 0) break;
    do {
      lane.play_round(job.cap, slot, end, nodes);
    } while (__popc(lanes_where(!lane.active)) < T::kStarved);
  }
  lane.record_rest(record);
  record.finish();
}

/// Plays `job` on the default stream.
template <class T>
void launch_short_steps(Shape shape, const Job& job, std::uint64_t run_first,
                        const ShuffleTables* tables, typename T::Source source, Totals* totals) {
  static const DeviceBuffer<unsigned> taken(1);
  RATCHET_CUDA(cudaMemsetAsync(taken.data(), 0, taken.bytes()));
  play_short_steps<T>
      <<<shape.blocks, shape.threads>>>(job, run_first, tables, source, totals, taken.data());
}

/// What bmn/cuda/12 found best.
struct Tuning {
  static constexpr unsigned kThreads = kColumns, kBlocksPerSm = 12;
  /// As in lean_links::Tuning.
  static constexpr unsigned kStarved = 8, kNeedy = 20;
  static constexpr unsigned kPiece = 1024;  ///< deals that a warp takes at once
};

}  // namespace ratchet::bmn::short_steps
