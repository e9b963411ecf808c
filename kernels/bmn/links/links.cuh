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

/// A lane of the kernel: its game, its spare, and a game that is over but not yet recorded.
struct Lane {
  static constexpr unsigned kNone = ~0u;
  Play play;
  Spare spare;
  unsigned index = kNone;  ///< of the game at hand, within the share of the warp; kNone: no game
  unsigned done_index = kNone;
  unsigned done = 0;  ///< turns | tricks << 15 | winner << 31
  bool active = false;

  __device__ Lane() { spare.index = kNone; }

  __device__ __forceinline__ void finish_game() {
    const Outcome outcome = outcome_of(play);
    done = outcome.turns | outcome.tricks << 15 | outcome.winner << 31;
    done_index = index;
  }
  /// The game at hand becomes the spare one, its opening still to come.
  __device__ __forceinline__ void take_spare() {
    start(play, spare.front, spare.tail);
    index = spare.index;
    spare.index = kNone;
  }
  /// Up to kPays payments and what follows from them.
  template <unsigned kPays>
  __device__ __forceinline__ void step(const SharedNodes& nodes, Word end, unsigned cap) {
    if (!pay_in_turn<kPays>(play, nodes)) return;
    if (collect(play, nodes, end) || play.turns > cap) {
      if (spare.index == kNone) {
        active = false;
        return;
      }
      finish_game();
      take_spare();
    }
    open_trick(play, nodes);
  }
};
// A game may pass the cap by the cards of a trick, and a trick has two cards or more.
static_assert(kMaxCap + kDeck < 1u << 15);

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
    while (true) {
      const unsigned needy = __ballot_sync(~0u, lane.spare.index == Lane::kNone);
      const unsigned idle = __ballot_sync(~0u, !lane.active);
      if ((next >= share || __popc(needy) < T::kNeedy) && (idle & ~needy) == 0 &&
          (next >= share || __popc(idle) < T::kStarved))
        break;
      if (lane.spare.index == Lane::kNone) {
        for (unsigned i = 0; i < 2; ++i) {
          if (lane.done_index != Lane::kNone)
            record.game(share_first + lane.done_index,
                        {lane.done & 0x7fff, lane.done >> 15 & 0xffff, lane.done >> 31});
          lane.done_index = Lane::kNone;
          if (lane.active || lane.index == Lane::kNone) break;
          lane.finish_game();
          lane.index = Lane::kNone;
        }
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
      if (!lane.active && lane.spare.index != Lane::kNone) {
        lane.take_spare();
        open_trick(lane.play, nodes);
        lane.active = true;
      }
    }
    if (__ballot_sync(~0u, lane.active) == 0) break;
    do {
#pragma unroll
      for (unsigned j = 0; j < T::kSteps; ++j)
        if (lane.active) lane.template step<T::kPays>(nodes, end, job.cap);
    } while (__popc(__ballot_sync(~0u, !lane.active)) < T::kStarved);
  }
  // What the lanes still hold.
  if (lane.done_index != Lane::kNone)
    record.game(share_first + lane.done_index,
                {lane.done & 0x7fff, lane.done >> 15 & 0xffff, lane.done >> 31});
  if (lane.index != Lane::kNone) record.game(share_first + lane.index, outcome_of(lane.play));
  record.finish();
}

}  // namespace ratchet::bmn::links
