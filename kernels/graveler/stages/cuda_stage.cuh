// Turns a kernel body into a graveler stage on CUDA: launch, maximum, histogram and trace. The
// kernel is simulate() in cuda_sinks.cuh.
//
// A stage file defines a type T with
//   static constexpr unsigned kThreads        threads of a block
//   static constexpr unsigned kBlocksPerSm    blocks the launch bounds ask for
//   static constexpr unsigned kLanes          threads that play one round together: 1 or 32
//   static constexpr unsigned kBattles        battles of a round
//   static constexpr unsigned kOutcomeWords   32-bit words kept per battle in a trace
//   using Words                               the stage's generator, made from (seed, thread)
//   using Reduction                           cuda_reduce.cuh
//   T::Round                                  per-thread constants, made from (lane), and
//     template <class W, class S> __device__ void play(W&, S&, unsigned active)
//                                             one round; only slots below `active` are counted
//   static StageInfo info();  static Layout layout();
//   static constexpr bool kAsPrinted          true: loops as the text prints it, beyond N
// and registers std::make_unique<CudaStage<T>>().
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/graveler/stages/cuda_reduce.cuh"
#include "kernels/graveler/stages/cuda_sinks.cuh"
#include "kernels/support/device_buffer.h"

namespace ratchet::graveler {

/// As many blocks as run at once, or fewer where there is not enough work for them.
template <class T, class Words, class Sink>
unsigned grid_size(std::uint64_t battles) {
  int device = 0, multiprocessors = 0, per_multiprocessor = 0;
  RATCHET_CUDA(cudaGetDevice(&device));
  RATCHET_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  RATCHET_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &per_multiprocessor, simulate<T, Words, Sink>, T::kThreads, 0));
  const std::uint64_t rounds = battles / T::kBattles + 1;
  const std::uint64_t useful = rounds / (T::kThreads / T::kLanes) + 1;
  const std::uint64_t resident = std::uint64_t(multiprocessors) * std::max(per_multiprocessor, 1);
  return static_cast<unsigned>(std::min(useful, resident));
}

/// Battles that really enter the maximum.
template <class T>
std::uint64_t battles_played(std::uint64_t asked, unsigned blocks) {
  if (!T::kAsPrinted) return asked;
  const std::uint64_t threads = std::uint64_t{blocks} * T::kThreads;
  return threads * (asked / threads + 2);
}

template <class T>
class CudaSimulation final : public Simulation {
 public:
  explicit CudaSimulation(const Parameters& parameters)
      : battles_(parameters.at("battles")),
        seed_(parameters.at("seed")),
        blocks_(grid_size<T, typename T::Words, MaxSink>(battles_)),
        block_max_(blocks_) {}

  void run() override {
    simulate<T, typename T::Words, MaxSink>
        <<<blocks_, T::kThreads>>>({battles_, run_seed(seed_, run_++)}, {block_max_.data()});
    RATCHET_CUDA_LAUNCHED();
  }
  void wait() override { RATCHET_CUDA(cudaDeviceSynchronize()); }
  std::uint64_t units() const override { return battles_played<T>(battles_, blocks_); }
  Result collect() override {
    const std::vector<unsigned> maxima = block_max_.download();
    return {units(), *std::max_element(maxima.begin(), maxima.end())};
  }

 private:
  std::uint64_t battles_, seed_, run_ = 0;
  unsigned blocks_;
  DeviceBuffer<unsigned> block_max_;
};

template <class T>
class CudaStage final : public GravelerStage {
 public:
  CudaStage() : GravelerStage(T::info()) {}
  Layout layout() const override { return T::layout(); }

  std::unique_ptr<Simulation> prepare_simulation(const Parameters& parameters) const override {
    return std::make_unique<CudaSimulation<T>>(parameters);
  }

  Histogram histogram(const Parameters& parameters) const override {
    DeviceBuffer<unsigned long long> bins(kTurns + 1);
    bins.zero();
    const std::uint64_t battles = parameters.at("battles");
    // The grid of the timed kernel, so that both play the same battles.
    const unsigned blocks = grid_size<T, typename T::Words, MaxSink>(battles);
    simulate<T, typename T::Words, HistogramSink>
        <<<blocks, T::kThreads>>>({battles, run_seed(parameters.at("seed"), 0)}, {bins.data()});
    RATCHET_CUDA_LAUNCHED();
    const auto counted = bins.download();
    Histogram histogram{};
    std::copy(counted.begin(), counted.end(), histogram.begin());
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
    const std::uint64_t entries = std::uint64_t{trace.groups} * rounds * T::kBattles;
    DeviceBuffer<std::uint16_t> ones(entries);
    DeviceBuffer<std::uint32_t> outcome(entries * T::kOutcomeWords);
    ones.zero();
    outcome.zero();
    const typename TraceSink::Target target{ones.data(), outcome.data(), rounds, T::kBattles,
                                            T::kOutcomeWords};
    const std::uint64_t seed = parameters.at("seed");
    // The printed loop plays two rounds too many; the trace asks for fewer so that it gets
    // `rounds`.
    const std::uint64_t asked = T::kAsPrinted ? entries - 2ull * trace.groups : entries;
    if (stream == Stream::counter)
      simulate<T, DeviceCounterWords, TraceSink><<<blocks, T::kThreads>>>({asked, seed}, target);
    else
      simulate<T, typename T::Words, TraceSink>
          <<<blocks, T::kThreads>>>({asked, run_seed(seed, 0)}, target);
    RATCHET_CUDA_LAUNCHED();
    trace.ones = ones.download();
    trace.outcome = outcome.download();
    return trace;
  }
};

}  // namespace ratchet::graveler
