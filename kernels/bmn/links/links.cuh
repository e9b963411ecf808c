// The kernel of games as linked lists: a game a lane, lanes refilled without waiting for each other.
//
// Each lane has the nodes of two games in shared memory, in columns of its own, so that no bank
// serves two lanes: the game it plays and a *spare*, shuffled and laid out. A lane whose game is over
// stands idle until kIdle lanes of the warp do; then all of them record their games and go on with
// their spares, which is cheap. Once kStarved of the idle lanes have no spare, all lanes without one
// shuffle together, which is dear but then done for most of the warp at once.
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

/// Steps between two looks at the cap: a game goes on beyond it for as many tricks.
inline constexpr unsigned kMostSteps = 16;

template <class T>
struct Nodes {
  static constexpr Word kStride = 4 * T::kThreads;  ///< bytes from a lane's node to its next one
  static constexpr unsigned kRows = 2 * kCourts + 1;
  static_assert(kRows * kStride + 8192 <= kAddress + 1);  // with what else lies in shared memory
};

template <class T>
__device__ __forceinline__ Spare deal_spare(const Job& job, const ShuffleTables* tables,
                                            std::uint64_t number, std::uint64_t given, Word node,
                                            Word end, const SharedNodes& nodes) {
  Spare spare;
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
  return spare;
}

/// Up to kPays payments and the change to the next trick. True if the game is over.
template <unsigned kPays>
__device__ __forceinline__ bool step(Play& play, const SharedNodes& nodes, Word end) {
  if (!pay_in_turn<kPays>(play, nodes)) return false;
  if (collect(play, nodes, end)) return true;
  open_trick(play, nodes);
  return false;
}

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
  Play play;
  Spare spare;
  constexpr unsigned kNone = ~0u;
  unsigned index = kNone;  // the game at hand, within the share
  Word spare_node = column;
  bool active = false;  // and not over
  bool has_spare = false;
  while (true) {
    if (active && play.turns > job.cap) active = false;
    if (!active && index != kNone) {
      record.game(share_first + index, outcome_of(play));
      index = kNone;
    }
    for (unsigned pass = 0; pass < 2; ++pass) {
      if (!active && has_spare && index == kNone) {
        bool over;
        play = start(spare.front[0], spare.tail[0], spare.front[1], spare.tail[1], end, nodes, over);
        active = !over;
        index = spare.index;
        spare_node = 2 * column + kBuffer - spare_node;
        has_spare = false;
      }
      const unsigned starved = __popc(__ballot_sync(~0u, index == kNone));
      if (pass == 1 || next >= share || starved < T::kStarved) break;
      const unsigned needy = __ballot_sync(~0u, !has_spare);
      const unsigned mine = next + __popc(needy & before);
      next += __popc(needy);
      if (!has_spare && mine < share) {
        const std::uint64_t offset = share_first + mine;
        spare = deal_spare<T>(job, tables, job.first + offset, offset, spare_node, end, nodes);
        spare.index = mine;
        has_spare = true;
      }
    }
    if (!__any_sync(~0u, index != kNone)) break;
    for (unsigned i = 0; i < kMostSteps; i += T::kSteps) {
#pragma unroll
      for (unsigned j = 0; j < T::kSteps; ++j)
        if (active) active = !step<T::kPays>(play, nodes, end);
      if (__popc(__ballot_sync(~0u, !active)) >= T::kIdle) break;
    }
  }
  record.finish();
}

}  // namespace ratchet::bmn::links
