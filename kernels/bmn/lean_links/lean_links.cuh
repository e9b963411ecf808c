// The kernel of lean_links.h: a game a lane, and no lane waits long for another one's game.
//
// As in links/, each lane has the nodes of two games in columns of its own in shared memory, the
// one it plays and a *spare*, shuffled and laid out. What is done differently: a lane whose game is
// over waits for the end of a round of a few steps, in which all lanes of the warp that have come
// to an end go on with their spares together; the steps themselves know nothing of it.
#pragma once

#include "kernels/bmn/lean_links/lay_out.h"
#include "kernels/bmn/lean_links/rounds.cuh"
#include "kernels/bmn/record/cuda_stage.cuh"

namespace ratchet::bmn::lean_links {

/// Nodes in shared memory by their address in it, which saves adding its base.
struct SharedNodes {
  Word column;
  __device__ __forceinline__ Word load(Word address) const {
    Word word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
  }
  __device__ __forceinline__ void store(Word address, Word word) const {
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(address), "r"(word) : "memory");
  }
};

/// Rows of a block: two tails, the end of a hand, and the nodes of two games.
struct Rows {
  static constexpr unsigned kTails = 0, kEnd = 2, kNodes = 3, kAll = kNodes + 2 * kCourts;
};

/// A lane of the kernel, and what becomes of its games. Each place holds one of them or none:
///
///   share -> spare       dealt, laid out
///   spare -> at hand     take_spare()
///   at hand -> over      play_round()
///   over -> done         finish_game()
///   done -> recorded     record_done()
///
/// A game that is over stays at hand until its lane has a spare to go on with, or deals.
struct Lane {
  static constexpr unsigned kNone = ~0u;
  Play play;
  Hands spare;
  Word node;                     ///< of the spare
  unsigned spare_index = kNone;  ///< within the share of the warp
  unsigned index = kNone;        ///< of the game at hand; kNone: no game
  unsigned done_index = kNone;
  std::uint32_t done = 0;  ///< as Play::length, and winner << 31
  bool active = false;     ///< the game at hand is not over

  __device__ __forceinline__ bool has_spare() const { return spare_index != kNone; }
  __device__ __forceinline__ bool can_take_spare() const { return !active && has_spare(); }
  __device__ __forceinline__ bool is_over() const { return !active && index != kNone; }

  /// The spare becomes the game at hand.
  __device__ __forceinline__ void take_spare(Word slot, Word both_nodes, Word end,
                                             const SharedNodes& nodes) {
    start(play, spare, node, slot, end, nodes);
    node = both_nodes - node;
    index = spare_index;
    spare_index = kNone;
    active = true;
  }
  /// Four steps of an active game. A lane whose game is over then goes on with its spare.
  __device__ __forceinline__ void play_round(std::uint32_t cap, Word slot, Word both_nodes,
                                             Word end, const SharedNodes& nodes) {
    four_steps(play, active, end, nodes.column, gridDim.y, gridDim.z);
    // One more: the end of a hand, which counts until the game is over, may lie last.
    if ((play.length & kTurns) > cap + 1) active = false;
    if (can_take_spare()) {
      finish_game();
      take_spare(slot, both_nodes, end, nodes);
    }
  }
  /// What came of the game at hand is kept in a register: to record it is dear, and done together.
  __device__ __forceinline__ void finish_game() {
    const Outcome outcome = outcome_at_hand();
    done = outcome.turns | outcome.tricks << kTurnBits | outcome.winner << 31;
    done_index = index;
    index = kNone;
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
    }
  }
  /// The same when nothing is left to play.
  __device__ __forceinline__ void record_rest(Record& record, std::uint64_t share_first) const {
    if (done_index != kNone) record.game(share_first + done_index, outcome_done());
    if (index != kNone) record.game(share_first + index, outcome_at_hand());
  }

  __device__ __forceinline__ Outcome outcome_at_hand() const {
    return outcome_of(play, (play.slot & kRow) != 0);
  }
  __device__ __forceinline__ Outcome outcome_done() const {
    return {done & kTurns, done >> kTurnBits & 0x1ffff, done >> 31};
  }
};

/// The lanes of the warp of which something is so, a bit each.
__device__ __forceinline__ unsigned lanes_where(bool so) { return __ballot_sync(~0u, so); }

/// Where the deals of a job come from: independent shuffles.
struct Shuffles {
  static constexpr unsigned kCards = kHand, kOf = kCourts;  ///< a hand, and courts in the deal
  /// Words a lane has for itself, from address `own` on, a row each.
  static constexpr unsigned kOwnRows = 0;
  __device__ __forceinline__ void begin(Word, const SharedNodes&) const {}
  __device__ __forceinline__ Shuffle deal(const Job& job, const ShuffleTables* tables,
                                          std::uint64_t number, Word, const SharedNodes&) const {
    return shuffled(counter_block(job.seed, number), *tables);
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
  if constexpr (2 * Source::kCards - Source::kOf >= 32) whole = whole && !has_wide_gap(cards);
  if (whole) return lay_out<Source::kCards, Source::kOf>(cards, node, end, nodes);
  Deal deal = {{cards.courts[0], cards.courts[1]}, cards.ranks, {Source::kCards, Source::kCards}};
  if (job.given != nullptr) deal = job.given[offset];
  return lay_out(deal, node, end, nodes);
}

template <class T>
__global__ void __launch_bounds__(T::kThreads, T::kBlocksPerSm)
    play_lean_links(Job job, std::uint64_t run_first, const ShuffleTables* tables,
                    typename T::Source source, Totals* totals) {
  static_assert(T::kThreads == kColumns);
  // A round may go beyond the cap by the cards of its tricks.
  static_assert(kMaxCap + (4 + 2) * (kDeck + 1) <= kTurns);
  __shared__ __align__(2 * kRow) Word words[(Rows::kAll + T::Source::kOwnRows) * kColumns];
  __shared__ BlockRecord block;
  Record record(block, job, run_first, totals);

  const std::uint64_t warps = std::uint64_t{gridDim.x} * (T::kThreads / 32);
  const std::uint64_t warp = (std::uint64_t{blockIdx.x} * T::kThreads + threadIdx.x) / 32;
  const std::uint64_t share_first = job.deals / warps * warp + min(warp, job.deals % warps);
  const auto share = static_cast<unsigned>(job.deals / warps + (warp < job.deals % warps ? 1 : 0));
  const unsigned before = (1u << threadIdx.x % 32) - 1;

  const Word start_row = static_cast<Word>(__cvta_generic_to_shared(words)) / kRow;
  const SharedNodes nodes{static_cast<Word>(4 * threadIdx.x)};
  const Word slot = (start_row + Rows::kTails) * kRow | nodes.column;
  const Word end = end_of(start_row + Rows::kEnd);
  const Word first_nodes = (start_row + Rows::kNodes) * kRow | nodes.column;
  const Word both_nodes = 2 * first_nodes + kCourts * kRow;
  const Word own = first_nodes + 2 * kCourts * kRow;
  source.begin(own, nodes);

  unsigned next = 0;  // of the share, not yet shuffled
  Lane lane;
  lane.node = first_nodes;
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
          lane.spare = deal_out(job, source, tables, offset, own, lane.node, end, nodes);
          if (lane.spare.front[0] == end || lane.spare.front[1] == end)  // over at once
            record.game(offset, {0, 0, lane.spare.front[0] == end ? 1u : 0u});
          else
            lane.spare_index = mine;
        }
      }
      next = min(next + __popc(needy), share);
      if (lane.can_take_spare()) lane.take_spare(slot, both_nodes, end, nodes);
    }
    if (lanes_where(lane.active) == 0) break;
    do {
      lane.play_round(job.cap, slot, both_nodes, end, nodes);
    } while (__popc(lanes_where(!lane.active)) < T::kStarved);
  }
  lane.record_rest(record, share_first);
  record.finish();
}

/// As many blocks as the device holds at once, but no more than there is work for.
template <class T>
Shape full_shape(const Parameters& parameters) {
  int device = 0, multiprocessors = 0;
  RATCHET_CUDA(cudaGetDevice(&device));
  RATCHET_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const std::uint64_t useful = (parameters.at("deals") + T::kThreads - 1) / T::kThreads;
  return {static_cast<unsigned>(std::min<std::uint64_t>(
              useful, static_cast<unsigned>(multiprocessors) * T::kBlocksPerSm)),
          T::kThreads};
}

/// What bmn/cuda/08 found best.
struct Tuning {
  static constexpr unsigned kThreads = kColumns, kBlocksPerSm = 10;
  /// Lanes of a warp without a game before it deals, and lanes without a spare before it does so
  /// early.
  static constexpr unsigned kStarved = 8, kNeedy = 20;
};

}  // namespace ratchet::bmn::lean_links
