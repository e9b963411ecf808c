// The kernel of graveler/cuda/02 to 07 on a CPU: blocks of one warp and of several, whose threads
// take turns in many orders, held to the checks of the family.
#include "correctness/graveler/tests/emulated/tensor_on_host.h"
// After it:
#include "kernels/graveler/cage/cuda_cage_layout.h"
#include "kernels/graveler/rounds/cuda_carry_save.cuh"
#include "kernels/graveler/rounds/cuda_pairs.cuh"
#include "kernels/graveler/rounds/cuda_tensor.cuh"
#include "kernels/graveler/rounds/cuda_two_battles.cuh"
#include "kernels/graveler/stages/cuda_reduce.cuh"
#include "kernels/graveler/stages/cuda_sinks.cuh"

// And the rest.
#include <gtest/gtest.h>

#include <algorithm>

#include "correctness/graveler/checks/checks.h"
#include "correctness/support/expect_results.h"
#include "kernels/support/rng/ring15.h"
#include "kernels/support/rng/xorwow.h"

namespace ratchet::graveler {
namespace {

using correctness::expect;
using on_host::grid;

struct XorwowOnHost {
  Xorwow generator;
  XorwowOnHost(std::uint64_t seed, std::uint64_t thread) : generator(mix64(seed + thread)) {}
  std::uint32_t next() { return generator.next32(); }
};

template <unsigned Threads, template <unsigned> class Reduce>
struct Pairs {
  static constexpr unsigned kThreads = Threads, kLanes = 1, kBattles = 1, kOutcomeWords = 8;
  static constexpr bool kAsPrinted = false;
  static constexpr std::uint32_t kRounds = 1'000;  ///< to be shown
  using Reduction = Reduce<Threads>;
  using Words = XorwowOnHost;
  using Round = PairsRound<kLastSeven>;
  static Layout layout() { return paired_words_layout(32); }
};

template <unsigned Threads, template <unsigned> class Reduce>
struct TwoBattles : Pairs<Threads, Reduce> {
  static constexpr unsigned kBattles = 2;
  using Round = TwoBattlesRound;
  static Layout layout() { return two_battles_layout(); }
};

template <unsigned Threads>
struct SharedMasks : Pairs<Threads, ShuffleReduction> {
  static constexpr unsigned kBattles = 4;
  using Words = Ring15;
  using Round = CarrySaveRound;
  static Layout layout() { return cage_layout(1, kBattles, shared_masks_bit); }
};

template <unsigned Threads>
struct TensorCount : SharedMasks<Threads> {
  static constexpr unsigned kLanes = 32, kBattles = tensor::kRows * tensor::kColumns;
  static constexpr unsigned kOutcomeWords = 9;
  static constexpr std::uint32_t kRounds = 129;  // of 128 battles, for which the warp meets often
  using Round = tensor::TensorRound;
  static Layout layout() { return cage_layout(kLanes, kBattles, tensor_count_bit); }
};

template <unsigned Threads>
struct MoreMultiplications : TensorCount<Threads> {
  using Words = Ring15Rows;
};

constexpr unsigned kBlocks = 3;

template <class T, class Words, class Sink>
void play(unsigned blocks, const Job& job, const typename Sink::Target& target) {
  on_host::launch_block_by_block(simulate<T, Words, Sink>, blocks, T::kThreads, 0, job, target);
}

template <class T>
class EmulatedSimulation final : public Simulation {
 public:
  explicit EmulatedSimulation(const Parameters& parameters)
      : battles_(parameters.at("battles")), seed_(parameters.at("seed")) {}
  void run() override {
    play<T, typename T::Words, MaxSink>(kBlocks, {battles_, run_seed(seed_, run_++)}, {maxima_});
  }
  std::uint64_t units() const override { return battles_; }
  Result collect() override { return {battles_, *std::max_element(maxima_, maxima_ + kBlocks)}; }

 private:
  std::uint64_t battles_, seed_, run_ = 0;
  unsigned maxima_[kBlocks] = {};
};

/// CudaStage on the emulated device.
template <class T>
class EmulatedStage final : public GravelerStage {
 public:
  EmulatedStage()
      : GravelerStage(stage_info({.name = "graveler/cuda/00_emulated",
                                  .summary = "emulated",
                                  .source = "ratchet",
                                  .parameters = common_parameters(1'000)})) {}
  Layout layout() const override { return T::layout(); }
  std::unique_ptr<Simulation> prepare_simulation(const Parameters& parameters) const override {
    return std::make_unique<EmulatedSimulation<T>>(parameters);
  }
  Histogram histogram(const Parameters& parameters) const override {
    unsigned long long bins[kTurns + 1] = {};
    play<T, typename T::Words, HistogramSink>(
        kBlocks, {parameters.at("battles"), run_seed(parameters.at("seed"), 0)}, {bins});
    Histogram histogram{};
    std::copy(bins, bins + kTurns + 1, histogram.begin());
    return histogram;
  }
  Trace trace(const Parameters& parameters, Stream stream, std::uint32_t max_groups,
              std::uint32_t rounds) const override {
    constexpr unsigned per_block = T::kThreads / T::kLanes;
    const unsigned blocks = std::max(1u, max_groups / per_block);
    Trace trace;
    trace.groups = blocks * per_block;
    trace.groups_per_block = per_block;
    trace.rounds = rounds;
    trace.battles_per_round = T::kBattles;
    trace.words_per_battle = T::kOutcomeWords;
    const std::size_t entries = std::size_t{trace.groups} * rounds * T::kBattles;
    trace.ones.resize(entries);
    trace.outcome.resize(entries * T::kOutcomeWords);
    const TraceSink::Target target{trace.ones.data(), trace.outcome.data(), rounds, T::kBattles,
                                   T::kOutcomeWords};
    const std::uint64_t seed = parameters.at("seed");
    if (stream == Stream::counter)
      play<T, DeviceCounterWords, TraceSink>(blocks, {entries, seed}, target);
    else
      play<T, typename T::Words, TraceSink>(blocks, {entries, run_seed(seed, 0)}, target);
    return trace;
  }
};

template <class T>
class GravelerBlocks : public testing::Test {
 protected:
  const EmulatedStage<T> stage_;
};

using Shapes = testing::Types<Pairs<32, OneThreadReduction>, Pairs<128, OneThreadReduction>,
                              Pairs<256, ShuffleReduction>, TwoBattles<128, ShuffleReduction>,
                              TwoBattles<256, OneThreadReduction>, SharedMasks<128>,
                              TensorCount<64>, MoreMultiplications<64>>;
TYPED_TEST_SUITE(GravelerBlocks, Shapes);

TYPED_TEST(GravelerBlocks, LoseNoBattleInManyOrders) {
  // Fewer battles than threads, a few for each, and a rest.
  for (const std::uint64_t battles : {1, 31, 127, 700, 1'537})
    for (const bool stays : {false, true}) {
      grid.random.seed(static_cast<unsigned>(battles)), grid.stays = stays;
      expect(check_counts(this->stage_, battles));
      expect(check_first_run(this->stage_, battles, 12));
    }
}

TYPED_TEST(GravelerBlocks, ReplayManyRounds) {
  grid.random.seed(1), grid.stays = false;
  expect(check_layout(this->stage_.layout()));
  expect(check_replay(this->stage_, 3, 1, TypeParam::kRounds));
}

/// Of their own words, too.
TYPED_TEST(GravelerBlocks, RepeatNoWordInManyRounds) {
  constexpr std::uint64_t kGroups = TypeParam::kThreads / TypeParam::kLanes;
  const Trace trace =
      own_trace(this->stage_, 5, {1, TypeParam::kRounds * kGroups * TypeParam::kBattles});
  ASSERT_GE(trace.rounds, TypeParam::kRounds);
  expect({check_repeats(trace, used_bits(trace))});
}

}  // namespace
}  // namespace ratchet::graveler
