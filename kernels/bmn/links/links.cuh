// The kernel of games as linked lists: a game a lane, and no lane waits for another one's game.
//
// Each lane has the nodes of two games in shared memory, in columns of its own, so that no bank
// serves two lanes: the game it plays and a *spare*, shuffled and laid out. When a game ends the lane
// goes on with its spare in the same step, since a game starts as a trick does; what came of the old
// one stays in a register. Once kStarved lanes have neither a game nor a spare, all lanes without a
// spare write down what they have and shuffle, together: that is dear, and then done for most lanes
// of the warp at once.
#pragma once

#include "kernels/bmn/links/links.h"
#include "kernels/bmn/record/record.cuh"
#include "kernels/bmn/shuffle/shuffle.h"

namespace ratchet::bmn::links {

/// Nodes in shared memory by their address in it, which saves adding its base.
struct SharedNodes {
  __device__ __forceinline__ Word load(Word address) const {
    Word word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
  }
  __device__ __forceinline__ void store(Word address, Word word) const {
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(address), "r"(word) : "memory");
  }
};

/// A shuffled game, laid out but not begun.
struct Spare {
  Word front[2], tail[2];
  unsigned index;  ///< within the share of the warp
};

template <class T>
struct Nodes {
  static constexpr Word kStride = 4 * T::kThreads;  ///< bytes from a lane's node to its next one
  static constexpr unsigned kRows = 2 * kCourts + 1;
  static_assert(kRows * kStride + 8192 <= kAddress + 1);  // with what else lies in shared memory
};

template <class T>
__device__ __forceinline__ void deal_spare(Spare& spare, const Job& job,
                                           const ShuffleTables* tables, std::uint64_t number,
                                           std::uint64_t given, Word node, Word end,
                                           const SharedNodes& nodes) {
  constexpr Word stride = Nodes<T>::kStride;
  if (job.given == nullptr) {
    Shuffle cards = shuffled(counter_block(job.seed, number), *tables);
    for (unsigned player = 0; player < 2; ++player)
      spare.front[player] = lay_out(cards.courts[player] | 1u << kHand, cards.ranks, node, stride,
                                    end, spare.tail[player], nodes);
  } else {
    Deal deal = job.given[given];
    for (unsigned player = 0; player < 2; ++player)
      spare.front[player] =
          lay_out(deal.courts[player] | std::uint64_t{1} << deal.cards[player], deal.ranks, node,
                  stride, end, spare.tail[player], nodes);
  }
}

/// A lane of the kernel, and what becomes of its games. Each place holds one of them or none:
///
///   share -> spare       dealt, laid out
///   spare -> at hand     take_spare()
///   at hand -> over      step(), play_round()
///   over -> done         finish_game()
///   done -> recorded     record_done()
///
/// A game that is over stays at hand until its lane has a spare to go on with, or deals.
struct Lane {
  static constexpr unsigned kNone = ~0u;
  Play play;
  Spare spare;
  unsigned index = kNone;  ///< of the game at hand, within the share of the warp; kNone: no game
  unsigned done_index = kNone;
  unsigned done = 0;    ///< turns | tricks << 15 | winner << 31
  bool active = false;  ///< the game at hand is not over

  __device__ Lane() { spare.index = kNone; }

  __device__ __forceinline__ bool has_spare() const { return spare.index != kNone; }
  __device__ __forceinline__ bool can_take_spare() const { return !active && has_spare(); }
  __device__ __forceinline__ bool is_over() const { return !active && index != kNone; }

  /// The spare becomes the game at hand, its opening still to come.
  __device__ __forceinline__ void take_spare() {
    start(play, spare.front, spare.tail);
    index = spare.index;
    spare.index = kNone;
  }
  /// The same for a lane that has to deal first.
  __device__ __forceinline__ void begin_spare(const SharedNodes& nodes) {
    take_spare();
    open_trick(play, nodes);
    active = true;
  }
  /// Up to kPays payments and what follows from them. A lane whose game is over goes on with its
  /// spare.
  template <unsigned kPays>
  __device__ __forceinline__ void step(const SharedNodes& nodes, Word end, unsigned cap) {
    if (!pay_in_turn<kPays>(play, nodes)) return;
    if (collect(play, nodes, end) || play.turns > cap) {
      if (!has_spare()) {
        active = false;
        return;
      }
      finish_game();
      take_spare();
    }
    open_trick(play, nodes);
  }
  template <class T>
  __device__ __forceinline__ void play_round(const SharedNodes& nodes, Word end, unsigned cap) {
#pragma unroll
    for (unsigned j = 0; j < T::kSteps; ++j)
      if (active) step<T::kPays>(nodes, end, cap);
  }
  /// What came of the game at hand is kept in a register: to record it is dear, and done together.
  __device__ __forceinline__ void finish_game() {
    const Outcome outcome = outcome_of(play);
    done = outcome.turns | outcome.tricks << 15 | outcome.winner << 31;
    done_index = index;
  }
  __device__ __forceinline__ void record_done(Record& record, std::uint64_t share_first) {
    if (done_index != kNone) record.game(share_first + done_index, outcome_done());
    done_index = kNone;
  }
  /// The game that is done, and then the one that is over.
  __device__ __forceinline__ void record_all_over(Record& record, std::uint64_t share_first) {
    for (unsigned i = 0; i < 2; ++i) {
      record_done(record, share_first);
      if (!is_over()) break;
      finish_game();
      index = kNone;
    }
  }
  /// The same when nothing is left to play.
  __device__ __forceinline__ void record_rest(Record& record, std::uint64_t share_first) const {
    if (done_index != kNone) record.game(share_first + done_index, outcome_done());
    if (index != kNone) record.game(share_first + index, outcome_of(play));
  }

  __device__ __forceinline__ Outcome outcome_done() const {
    return {done & 0x7fff, done >> 15 & 0xffff, done >> 31};
  }
};
// A game may pass the cap by the cards of a trick, and a trick has two cards or more.
static_assert(kMaxCap + kDeck < 1u << 15);

/// The lanes of the warp of which something is so, a bit each.
__device__ __forceinline__ unsigned lanes_where(bool so) { return __ballot_sync(~0u, so); }

template <class T>
__global__ void __launch_bounds__(T::kThreads, T::kBlocksPerSm)
    play_links(Job job, std::uint64_t run_first, const ShuffleTables* tables, Totals* totals) {
  __shared__ Word words[Nodes<T>::kRows * T::kThreads];
  __shared__ BlockRecord block;
  const SharedNodes nodes{};
  Record record(block, job, run_first, totals);

  const std::uint64_t warps = std::uint64_t{gridDim.x} * (T::kThreads / 32);
  const std::uint64_t warp = (std::uint64_t{blockIdx.x} * T::kThreads + threadIdx.x) / 32;
  const std::uint64_t share_first = job.deals / warps * warp + min(warp, job.deals % warps);
  const auto share = static_cast<unsigned>(job.deals / warps + (warp < job.deals % warps ? 1 : 0));
  const unsigned before = (1u << threadIdx.x % 32) - 1;
  constexpr Word kBuffer = kCourts * Nodes<T>::kStride;
  const Word column = static_cast<Word>(__cvta_generic_to_shared(words)) + 4 * threadIdx.x;
  const Word end = end_at(2 * kBuffer + column);

  unsigned next = 0;  // of the share, not yet shuffled
  Word spare_node = column;
  Lane lane;
  while (true) {
    while (true) {  // lanes without a spare get one, once enough of them want it
      const unsigned needy = lanes_where(!lane.has_spare()), idle = lanes_where(!lane.active);
      if ((next >= share || __popc(needy) < T::kNeedy) && (idle & ~needy) == 0 &&
          (next >= share || __popc(idle) < T::kStarved))
        break;
      if (!lane.has_spare()) {
        lane.record_all_over(record, share_first);
        const unsigned mine = next + __popc(needy & before);
        if (mine < share) {
          const std::uint64_t offset = share_first + mine;
          deal_spare<T>(lane.spare, job, tables, job.first + offset, offset, spare_node, end, nodes);
          if (lane.spare.front[0] == end || lane.spare.front[1] == end) {  // over at once
            record.game(offset, {0, 0, lane.spare.front[0] == end ? 1u : 0u});
          } else {
            lane.spare.index = mine;
            spare_node = 2 * column + kBuffer - spare_node;
          }
        }
      }
      next = min(next + __popc(needy), share);
      if (lane.can_take_spare()) lane.begin_spare(nodes);
    }
    if (lanes_where(lane.active) == 0) break;
    do {
      lane.template play_round<T>(nodes, end, job.cap);
    } while (__popc(lanes_where(!lane.active)) < T::kStarved);
  }
  lane.record_rest(record, share_first);
  record.finish();
}

}  // namespace ratchet::bmn::links
