// The kernels of the text's CUDA ladder, which differ in where a thread finds its next deal and its
// table.
//
// By default all play deals of the counter stream: games measured are then independent, and the
// same in every stage. The text goes on by swapping a pair of cards, as 01 and 02 do with `chain`.
#pragma once

#include "kernels/bmn/record/cuda_stage.cuh"
#include "kernels/bmn/text/lanes.cuh"

namespace ratchet::bmn::text {

/// The parameters of the family, and the text's shape: blocks of threads. `deals`: some 40 ms on an
/// H200.
inline std::vector<Parameter> shaped_parameters(std::uint64_t blocks, std::uint64_t threads,
                                                std::uint64_t most_threads, std::uint64_t deals) {
  std::vector<Parameter> all = common_parameters(deals);
  all.push_back({"blocks", blocks, 1, 1 << 20, "blocks of threads"});
  all.push_back({"threads", threads, 32, most_threads, "threads of a block, a multiple of 32"});
  return all;
}
inline Shape shape_of(const Parameters& parameters) {
  const std::uint64_t threads = parameters.at("threads");
  if (threads % 32 != 0)
    throw Error("threads = " + std::to_string(threads) + " is no multiple of 32; take " +
                std::to_string((threads + 31) / 32 * 32));
  return {static_cast<unsigned>(parameters.at("blocks")), static_cast<unsigned>(threads)};
}

/// Deals of a chain: the first is a shuffle, each other the one before with two cards swapped.
inline Parameter chain_parameter() {
  return {"chain", 1, 1, search::kMaxChain,
          "deals from a shuffle on, each by a swap of two cards; 1: a shuffle each"};
}
/// Chains of 128, one a thread, in the text's shape and in one that fills a GPU.
inline std::vector<ParameterPoint> chain_survey(std::uint64_t threads) {
  return {{{"deals", 128 * threads}, {"chain", 128}},
          {{"deals", 32 * 528 * 128}, {"blocks", 528}, {"threads", 128}, {"chain", 32}}};
}

/// A game a thread, from shuffle to end; every so many threads the next deal. No lane goes on
/// before the longest game of its warp is over.
template <class Card>
__global__ void play_port(Job job, std::uint64_t run_first, const ShuffleTables* tables,
                          Totals* totals) {
  __shared__ BlockRecord block;
  Record record(block, job, run_first, totals);
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  StackOfCards<Card> hand[2];
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < job.deals;
       i += threads) {
    deal_out(deal_at(job, i, tables), hand);
    record.game(i, play_nested(hand, job.cap));
  }
  record.finish();
}

/// The same of chains of swaps.
template <class Card>
__global__ void play_port_chains(Job job, std::uint64_t run_first, const ShuffleTables* tables,
                                 Totals* totals) {
  __shared__ BlockRecord block;
  Record record(block, job, run_first, totals);
  StackOfCards<Card> hand[2];
  play_chains(job, tables, [&](std::uint64_t index, const Deal& deal) {
    deal_out(deal, hand);
    record.game(index, play_nested(hand, job.cap));
  });
  record.finish();
}

/// play_port() by the state machine.
template <class Card, class Entry>
__global__ void play_machines(Job job, std::uint64_t run_first, const ShuffleTables* tables,
                              const Entry* table, Totals* totals) {
  __shared__ BlockRecord block;
  Record record(block, job, run_first, totals);
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  Machine<Card> machine;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < job.deals;
       i += threads) {
    deal_out(deal_at(job, i, tables), machine.stack);
    record.game(i, play_machine(machine, table, job.cap));
  }
  record.finish();
}

/// The same of chains of swaps.
template <class Card, class Entry>
__global__ void play_machines_chains(Job job, std::uint64_t run_first, const ShuffleTables* tables,
                                     const Entry* table, Totals* totals) {
  __shared__ BlockRecord block;
  Record record(block, job, run_first, totals);
  Machine<Card> machine;
  play_chains(job, tables, [&](std::uint64_t index, const Deal& deal) {
    deal_out(deal, machine.stack);
    record.game(index, play_machine(machine, table, job.cap));
  });
  record.finish();
}

/// Writes the job's deals into the backlog, from `at` on.
template <class Card>
__global__ void fill_backlog(Job job, const ShuffleTables* tables, ShortDeal<Card>* backlog) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < job.deals;
       i += threads)
    write_out(deal_at(job, i, tables), backlog[i]);
}

/// As before, with a backlog for each block in shared memory, refilled by the whole block when all
/// its games are over.
template <class Card, class Entry, unsigned kBacklog>
__global__ void play_small_backlogs(Job job, std::uint64_t run_first, const ShuffleTables* tables,
                                    const Entry* table, Totals* totals) {
  extern __shared__ unsigned char memory[];
  play_batches<1, kBacklog>(job, run_first, tables, table,
                            reinterpret_cast<ShortDeal<Card>*>(memory), totals);
}

/// The same as the text's program has it.
template <class Card, class Entry, unsigned kBacklog>
__global__ void play_small_backlogs_as_printed(Job job, std::uint64_t run_first,
                                               const ShuffleTables* tables, const Entry* table,
                                               Totals* totals) {
  extern __shared__ unsigned char memory[];
  play_batches<kPrintedBatches, kBacklog>(job, run_first, tables, table,
                                          reinterpret_cast<ShortDeal<Card>*>(memory), totals);
}

/// The table in global memory, once per program and entry type.
template <class Entry>
const Entry* device_action_table() {
  static const DeviceBuffer<ActionTable<Entry>> table(
      std::vector<ActionTable<Entry>>{action_table<Entry>()});
  return table.data()->entry;
}

/// Deals of a large backlog, filled, then played.
inline constexpr std::uint64_t kLargeBacklog = std::uint64_t{1} << 20;

/// The tables to choose from: 30 entries of 12 bytes or of one, or the article's.
inline Parameter entries_parameter() {
  return {"entries", WideEntry::kEntries, WideEntry::kEntries, kPlayEntries,
          "of the table: 30 of 12 bytes, packed 1; or the article's 126 of 16, packed 8"};
}
/// Shape::article_table with the rest; throws `Error` for another number of entries.
inline Shape tabled_shape_of(const Parameters& parameters) {
  Shape shape = shape_of(parameters);
  const std::uint64_t entries = parameters.at("entries");
  shape.article_table = entries == kPlayEntries;
  if (!shape.article_table && entries != WideEntry::kEntries)
    throw Error("entries = " + std::to_string(entries) + ": there are tables of 30 and of 126");
  return shape;
}

/// The text's large backlogs, of ints in one version and of bytes with a packed table in another.
inline std::vector<Parameter> backlog_parameters() {
  return joined(shaped_parameters(32, 32, 1024, 100'000),
                {{"bytes", 0, 0, 1, "cards and table: 0 ints, 1 bytes"}, entries_parameter()});
}
inline std::vector<ParameterPoint> backlog_survey() {
  return {{{"bytes", 1}}, {{"entries", kPlayEntries}}, {{"bytes", 1}, {"entries", kPlayEntries}}};
}
inline Shape backlog_shape_of(const Parameters& parameters) {
  Shape shape = tabled_shape_of(parameters);
  shape.bytes = parameters.at("bytes") == 1;
  return shape;
}

/// Fills and plays backlog after backlog.
template <bool kSharedTable, class Card, class Entry>
void launch_backlogs_of(Shape shape, Job job, std::uint64_t run_first, const ShuffleTables* tables,
                        Totals* totals) {
  static const DeviceBuffer<ShortDeal<Card>> backlog(kLargeBacklog);
  static const DeviceBuffer<unsigned long long> taken(1);
  for (std::uint64_t left = job.deals; left > 0; left -= job.deals) {
    job.deals = left < kLargeBacklog ? left : kLargeBacklog;
    fill_backlog<Card><<<1024, 128>>>(job, tables, backlog.data());
    RATCHET_CUDA_LAUNCHED();
    RATCHET_CUDA(cudaMemsetAsync(taken.data(), 0, taken.bytes()));
    play_backlog<Card, Entry, kSharedTable><<<shape.blocks, shape.threads>>>(
        job, run_first, device_action_table<Entry>(), backlog.data(), taken.data(), totals);
    RATCHET_CUDA_LAUNCHED();
    job.first += job.deals;
    if (job.given != nullptr) job.given += job.deals;
    if (job.each != nullptr) job.each += job.deals;
  }
}
/// Of the cards and the table that `shape` says.
template <bool kSharedTable>
void launch_backlogs(const Shape& shape, const Job& job, std::uint64_t run_first,
                     const ShuffleTables* tables, Totals* totals) {
  const auto launch =
      shape.bytes ? shape.article_table ? launch_backlogs_of<kSharedTable, std::uint8_t, PackedPlay>
                                      : launch_backlogs_of<kSharedTable, std::uint8_t, PackedEntry>
      : shape.article_table ? launch_backlogs_of<kSharedTable, int, WidePlay>
                          : launch_backlogs_of<kSharedTable, int, WideEntry>;
  launch(shape, job, run_first, tables, totals);
}

template <class Card, class Entry, unsigned kBacklog, bool kAsPrinted>
constexpr auto small_backlogs_kernel() {
  if constexpr (kAsPrinted)
    return &play_small_backlogs_as_printed<Card, Entry, kBacklog>;
  else
    return &play_small_backlogs<Card, Entry, kBacklog>;
}

/// `kBacklog` deals a block, as many as 48 KB hold.
template <class Card, class Entry, unsigned kBacklog, bool kAsPrinted = false>
void launch_small_backlogs(Shape shape, const Job& job, std::uint64_t run_first,
                           const ShuffleTables* tables, Totals* totals) {
  constexpr unsigned bytes = kBacklog * sizeof(ShortDeal<Card>);
  static_assert(bytes <= 48 * 1024);
  const auto kernel = small_backlogs_kernel<Card, Entry, kBacklog, kAsPrinted>();
  RATCHET_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<shape.blocks, shape.threads, bytes>>>(job, run_first, tables,
                                                 device_action_table<Entry>(), totals);
}

}  // namespace ratchet::bmn::text
