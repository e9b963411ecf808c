// A game as a thread of the text's CUDA programs holds it: the cards in local memory, and where its
// stacks begin and end in registers. As members of arrays that are indexed by the player at hand,
// the cursors would be in local memory too, where lanes at different cards share no line: ten
// accesses a card for two. (The programs without a backlog gained nothing by it on an H200 and stay
// with game.h.)
#pragma once

#include <type_traits>

#include "kernels/bmn/record/record.cuh"
#include "kernels/bmn/search/swaps.h"
#include "kernels/bmn/text/game.h"

namespace ratchet::bmn::text {

/// The cards of a deal, in the order they are dealt, and how many go to each player.
template <class Card>
struct ShortDeal {
  Card card[kDeck];
  std::uint8_t cards[2];
};

template <class Card>
__device__ void write_out(const Deal& deal, ShortDeal<Card>& to) {
  std::uint32_t ranks = deal.ranks;
  unsigned at = 0;
  for (unsigned player = 0; player < 2; ++player) {
    to.cards[player] = deal.cards[player];
    for (unsigned i = 0; i < deal.cards[player]; ++i) {
      const bool court = deal.courts[player] >> i & 1;
      to.card[at++] = static_cast<Card>(court ? 1 + (ranks & 3) : 0);
      if (court) ranks >>= 2;
    }
  }
}

/// Where a stack of cards lies in its ring of 64.
struct Cursor {
  unsigned front = 0, size = 0;

  __device__ unsigned pop() {
    --size;
    return front++ & 63;
  }
  __device__ unsigned push() { return (front + size++) & 63; }
};

/// Two hands and the pile: rings 0 to 2 of `card`.
template <class Card>
struct Lane {
  Card card[3 * 64];
  Cursor first, second, pile;

  __device__ void deal_out(const ShortDeal<Card>& deal) {
    first = {0, deal.cards[0]};
    second = {0, deal.cards[1]};
    pile = {};
    unsigned at = 0;
    for (unsigned i = 0; i < first.size; ++i) card[i] = deal.card[at++];
    for (unsigned i = 0; i < second.size; ++i) card[64 + i] = deal.card[at++];
  }
  __device__ bool over() const { return first.size == 0 || second.size == 0; }
  __device__ Cursor cursor(unsigned ring) const {
    return ring == 0 ? first : ring == 1 ? second : pile;
  }
  __device__ void keep(unsigned ring, Cursor cursor) {
    first = ring == 0 ? cursor : first;
    second = ring == 1 ? cursor : second;
    pile = ring == 2 ? cursor : pile;
  }
};

/// Machine of game.h.
template <class Card>
struct LaneMachine {
  Lane<Card> lane;
  Outcome game;
  int owed;
  bool player, taking;

  __device__ void start(const ShortDeal<Card>& deal) {
    lane.deal_out(deal);
    game = {0, 0, 0};
    owed = 0;
    player = taking = false;
  }
  /// One card from a hand to the pile, or from the pile to a hand. True if the game is over after
  /// it, or past the cap.
  template <class Entry>
  __device__ bool step(const Entry* table, std::uint32_t cap) {
    const Cursor hand = player ? lane.second : lane.first;
    Cursor from = taking ? lane.pile : hand, to = taking ? hand : lane.pile;
    const unsigned hand_ring = player ? 64 : 0;
    unsigned input = kNoCard;
    if (from.size > 0) {
      const Card moved = lane.card[(taking ? 128 : hand_ring) + from.pop()];
      lane.card[(taking ? hand_ring : 128) + to.push()] = moved;
      input = static_cast<unsigned>(moved);
    }
    lane.pile = taking ? from : to;
    const Cursor left = taking ? to : from;
    lane.first = player ? lane.first : left;
    lane.second = player ? left : lane.second;
    if (taking) {
      taking = from.size > 0;
      return !taking && (lane.over() || game.turns > cap);
    }
    game.turns += input != kNoCard;
    const Entry entry = table[static_cast<unsigned>(owed) * kInputs + input];
    owed = entry.owes();
    player ^= entry.changes() != 0;
    taking = entry.takes() != 0;
    game.tricks += taking;
    return false;
  }
  __device__ Outcome outcome() const {
    return {game.turns, game.tricks, lane.first.size > 0 ? 0u : 1u};
  }
};

/// The machine of the article's table: a step moves one card, and the pile has turns, too.
template <class Card>
struct PileMachine {
  Lane<Card> lane;
  Outcome game;
  unsigned player, state;

  __device__ void start(const ShortDeal<Card>& deal) {
    lane.deal_out(deal);
    game = {0, 0, 0};
    player = lane.first.size == 0;  // the winner, should the game be over
    state = 0;
  }
  /// One card from a stack to another. True as LaneMachine's.
  template <class Play>
  __device__ bool step(const Play* table, std::uint32_t cap) {
    Cursor from = lane.cursor(player);
    unsigned input = kNoCard;
    if (from.size > 0) input = static_cast<unsigned>(lane.card[player * 64 + from.pop()]);
    lane.keep(player, from);
    const Play play = table[(player * kGameOver + state) * kInputs + input];
    if (input != kNoCard) {
      Cursor to = lane.cursor(play.to);
      lane.card[play.to * 64 + to.push()] = static_cast<Card>(input);
      lane.keep(play.to, to);
    }
    player = play.player;
    state = play.state;
    game.turns += play.turn;
    game.tricks += play.trick;
    return play.trick && (lane.over() || game.turns > cap);
  }
  /// The next to play after a trick is its winner.
  __device__ Outcome outcome() const { return {game.turns, game.tricks, player}; }
};

/// The machine that a table is of.
template <class Card, class Entry>
using MachineOf =
    std::conditional_t<Entry::kEntries == kPlayEntries, PileMachine<Card>, LaneMachine<Card>>;

__device__ inline Deal deal_at(const Job& job, std::uint64_t index, const ShuffleTables* tables) {
  return job.given != nullptr ? job.given[index] : dealt(job.seed, job.first + index, *tables);
}

/// A thread's chains of Job::search deals (search/swaps.h), every so many threads the next: calls
/// play(index, deal) for their deals that the job has. In a chain that begins before the job, the
/// thread swaps up to the job's first deal.
template <class Play>
__device__ void play_chains(const Job& job, const ShuffleTables* tables, const Play& play) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (job.given != nullptr) {
    for (std::uint64_t i = thread; i < job.deals; i += threads) play(i, job.given[i]);
    return;
  }
  const std::uint64_t end = job.first + job.deals;
  for (std::uint64_t chain = job.first / job.search + thread; chain * job.search < end;
       chain += threads) {
    search::Places places = search::places_of(shuffled(counter_block(job.seed, chain), *tables));
    for (std::uint32_t k = 0; k < job.search && chain * job.search + k < end; ++k) {
      if (k > 0) search::swap_by(places, counter_block(job.seed, chain, k));
      const std::uint64_t number = chain * job.search + k;
      if (number >= job.first) play(number - job.first, deal_from(search::shuffle_of(places)));
    }
  }
}

/// Each thread takes the next deal of the backlog whenever its game is over, by an atomic.
template <class Card, class Entry, bool kSharedTable>
__global__ void play_backlog(Job job, std::uint64_t run_first, const Entry* global_table,
                             const ShortDeal<Card>* backlog, unsigned long long* taken,
                             Totals* totals) {
  __shared__ BlockRecord block;
  __shared__ Entry shared_table[kSharedTable ? Entry::kEntries : 1];
  const Entry* table = global_table;
  if constexpr (kSharedTable) {
    for (unsigned i = threadIdx.x; i < Entry::kEntries; i += blockDim.x)
      shared_table[i] = global_table[i];
    table = shared_table;
  }
  Record record(block, job, run_first, totals);  // waits for the block
  MachineOf<Card, Entry> machine;
  unsigned long long index = 0;
  bool over = true, first = true;
  while (true) {
    if (over) {
      if (!first) record.game(index, machine.outcome());
      first = false;
      index = atomicAdd(taken, 1ull);
      if (index >= job.deals) break;
      machine.start(backlog[index]);
      over = machine.lane.over();
    } else {
      over = machine.step(table, job.cap);
    }
  }
  record.finish();
}

/// Batches of deals a launch of the text's program.
inline constexpr unsigned kPrintedBatches = 128;

/// Plays a backlog of `kBacklog` deals, the block's own, again and again: all threads refill it
/// when all its games are over. The next deal to play is set to 0 before every `kBatches`-th
/// backlog. With more than 1, as in the text's program, threads find no deal left in those that
/// follow, which are shuffled for nothing.
template <unsigned kBatches, unsigned kBacklog, class Card, class Entry>
__device__ void play_batches(const Job& job, std::uint64_t run_first, const ShuffleTables* tables,
                             const Entry* table, ShortDeal<Card>* backlog, Totals* totals) {
  __shared__ BlockRecord block;
  __shared__ unsigned taken;
  Record record(block, job, run_first, totals);
  MachineOf<Card, Entry> machine;
  unsigned batch = 0;
  for (std::uint64_t start = std::uint64_t{blockIdx.x} * kBacklog; start < job.deals;
       start += std::uint64_t{gridDim.x} * kBacklog) {
    const std::uint64_t left = job.deals - start;
    const auto deals = static_cast<unsigned>(left < kBacklog ? left : kBacklog);
    for (unsigned i = threadIdx.x; i < deals; i += blockDim.x)
      write_out(deal_at(job, start + i, tables), backlog[i]);
    if (threadIdx.x == 0 && batch++ % kBatches == 0) taken = 0;
    __syncthreads();
    bool over = true;
    unsigned index = ~0u;
    while (true) {
      if (over) {
        if (index != ~0u) record.game(start + index, machine.outcome());
        index = atomicAdd(&taken, 1u);
        if (index >= deals) break;
        machine.start(backlog[index]);
        over = machine.lane.over();
      } else {
        over = machine.step(table, job.cap);
      }
    }
    __syncthreads();
  }
  record.finish();
}

}  // namespace ratchet::bmn::text
