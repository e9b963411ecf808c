// Turns a kernel into a bmn stage on CUDA: launches, totals, probes.
//
// A stage file defines a type T with
//   static StageInfo info();
//   static Shape shape(const Parameters&);            blocks and threads of a block
//   static void launch(Shape, const Job&, std::uint64_t run_first, const ShuffleTables*, Totals*);
// where warps may play kWarpShare games each, and registers std::make_unique<CudaBmnStage<T>>().
// The type of a search also has
//   static Deal deal(const Parameters&, std::uint64_t index);
//   static std::uint64_t search(const Parameters&);   Job::search
//   static constexpr bool kShuffles = true;           where its deals are shuffles by default
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/bmn/record/record.cuh"
#include "kernels/bmn/shuffle/shuffle.h"
#include "kernels/support/device_buffer.h"

namespace ratchet::bmn {

struct Shape {
  unsigned blocks = 1, threads = 32;
  bool bytes = false;        ///< of stages that have their cards as ints or as bytes
  bool article_table = false;  ///< of stages that have the article's table, too
  std::uint64_t warps() const { return std::uint64_t{blocks} * (threads / 32); }
};

/// The tables on the device, uploaded once per instance.
inline DeviceBuffer<ShuffleTables> upload_shuffle_tables() {
  DeviceBuffer<ShuffleTables> tables(1);
  RATCHET_CUDA(
      cudaMemcpy(tables.data(), &shuffle_tables(), sizeof(ShuffleTables), cudaMemcpyHostToDevice));
  return tables;
}

/// A stage that says itself what its deals are.
template <class T>
concept Search = requires(const Parameters& parameters) {
  T::deal(parameters, 0);
};

template <class T>
Deal deal_of(const Parameters& parameters, std::uint64_t index) {
  if constexpr (Search<T>)
    return T::deal(parameters, index);
  else
    return shuffled_deal(parameters.at("seed"), index);
}

/// What a job under these parameters has, but for the deals.
template <class T>
Job job_of(const Parameters& parameters) {
  Job job;
  if (parameters.has("seed")) job.seed = parameters.at("seed");
  job.cap = static_cast<std::uint32_t>(parameters.at("cap"));
  if constexpr (Search<T>) job.search = T::search(parameters);
  return job;
}

/// `deal`: the deal of an index.
template <class DealOf>
Result result_of(const Totals& totals, const DealOf& deal, std::uint64_t run_first) {
  Result result;
  result.finished = std::accumulate(totals.lengths, totals.lengths + kBins, std::uint64_t{0});
  result.capped = totals.capped;
  result.deals = result.finished + result.capped;
  result.turns = totals.turns;
  result.tricks = totals.tricks;
  result.wins = {result.finished - totals.second_wins, totals.second_wins};
  result.digest = totals.digest;
  std::copy(totals.lengths, totals.lengths + kBins, result.lengths.begin());
  const auto game = [&](std::uint64_t index) { return Game{index, {}, deal(index)}; };
  if (result.finished > 0) {
    result.most_turns = game(run_first + (kKeyIndex - (totals.most_turns & kKeyIndex)));
    result.most_turns.outcome.turns = static_cast<std::uint32_t>(totals.most_turns >> kKeyShift);
    result.most_tricks = game(run_first + (kKeyIndex - (totals.most_tricks & kKeyIndex)));
    result.most_tricks.outcome.tricks = static_cast<std::uint32_t>(totals.most_tricks >> kKeyShift);
  }
  const auto kept = std::min<std::uint64_t>(totals.capped, kCappedKept);
  std::vector<std::uint64_t> found(totals.capped_index, totals.capped_index + kept);
  std::sort(found.begin(), found.end());
  for (const std::uint64_t index : found) result.capped_games.push_back(game(run_first + index));
  return result;
}

template <class T>
class CudaTable final : public Table {
 public:
  explicit CudaTable(const Parameters& parameters)
      : parameters_(parameters),
        deals_(parameters.at("deals")),
        shape_(T::shape(parameters)),
        tables_(upload_shuffle_tables()),
        totals_(1) {
    totals_.zero();
  }

  void run() override {
    RATCHET_CUDA(cudaMemsetAsync(totals_.data(), 0, totals_.bytes()));
    first_ = deals_ * run_++;
    Job job = job_of<T>(parameters_);
    job.first = first_;
    job.deals = deals_;
    play(job);
  }
  void wait() override { RATCHET_CUDA(cudaDeviceSynchronize()); }
  std::uint64_t units() const override { return deals_; }
  Result collect() override {
    return result_of(
        totals_.download().front(),
        [&](std::uint64_t index) { return deal_of<T>(parameters_, index); }, first_);
  }

  /// Plays the job in launches of at most kWarpShare games a warp.
  void play(Job job) {
    const std::uint64_t most = shape_.warps() * kWarpShare;
    for (std::uint64_t left = job.deals; left > 0; left -= job.deals) {
      job.deals = std::min(left, most);
      T::launch(shape_, job, first_, tables_.data(), totals_.data());
      RATCHET_CUDA_LAUNCHED();
      job.first += job.deals;
      if (job.given != nullptr) job.given += job.deals;
      if (job.each != nullptr) job.each += job.deals;
    }
  }

 private:
  Parameters parameters_;
  std::uint64_t deals_, run_ = 0, first_ = 0;
  Shape shape_;
  DeviceBuffer<ShuffleTables> tables_;
  DeviceBuffer<Totals> totals_;
};

template <class T>
class CudaBmnStage : public BmnStage {
 public:
  CudaBmnStage() : BmnStage(T::info()) {}
  std::unique_ptr<Table> prepare_table(const Parameters& parameters) const override {
    return std::make_unique<CudaTable<T>>(parameters);
  }
  Deal deal(const Parameters& parameters, std::uint64_t index) const override {
    return deal_of<T>(parameters, index);
  }
  bool shuffles() const override {
    if constexpr (requires { T::kShuffles; }) return T::kShuffles;
    return !Search<T>;
  }
  std::vector<Outcome> games(const Parameters& parameters) const override {
    return played(parameters, parameters.at("deals"), nullptr);
  }
  std::vector<Outcome> play(const Parameters& parameters,
                            std::span<const Deal> deals) const override {
    if (deals.empty()) return {};
    const DeviceBuffer<Deal> given(std::vector<Deal>(deals.begin(), deals.end()));
    return played(parameters, deals.size(), given.data());
  }

 private:
  static std::vector<Outcome> played(const Parameters& parameters, std::uint64_t deals,
                                     const Deal* given) {
    CudaTable<T> table(parameters);
    DeviceBuffer<Outcome> each(deals);
    RATCHET_CUDA(cudaMemset(each.data(), 0xff, each.bytes()));  // a game lost is seen
    Job job = job_of<T>(parameters);
    job.deals = deals;
    job.given = given;
    job.each = each.data();
    table.play(job);
    return each.download();
  }
};

}  // namespace ratchet::bmn
