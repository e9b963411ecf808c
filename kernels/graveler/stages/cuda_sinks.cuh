// What becomes of a battle on the GPU: sinks for the timed run and for the probes, the sources of
// words, and the kernel. It is a template over both, so that timing and testing run the same code;
// it needs no CUDA runtime, so that a test runs it on an emulated device.
#pragma once

#include <cstdint>

#include "kernels/graveler/graveler.h"
#include "kernels/support/counter_stream.h"
#include "kernels/support/rng/gpu_seed.h"

namespace ratchet::graveler {

/// The work of one launch. Round r plays battles [r * B, (r + 1) * B), B the stage's battles per
/// round.
struct Job {
  std::uint64_t battles;
  std::uint64_t seed;
};

/// Keeps the maximum, as timed. `block_max` has one entry per block.
struct MaxSink {
  struct Target {
    unsigned* block_max;
  };
  static constexpr bool kKeepsOutcomes = false;
  unsigned max = 0;

  __device__ explicit MaxSink(const Target&, std::uint64_t) {}
  __device__ void next_round() {}
  __device__ void count(unsigned, unsigned ones) { max = ::max(max, ones); }
  __device__ void outcome(unsigned, unsigned, std::uint32_t) {}
  template <class Reduction>
  __device__ void finish(const Target& target) {
    Reduction::store(max, target.block_max);
  }
};

/// Adds every battle to a histogram of 232 bins, in shared memory first.
struct HistogramSink {
  struct Target {
    unsigned long long* bins;
  };
  static constexpr bool kKeepsOutcomes = false;
  unsigned* shared_bins;

  __device__ explicit HistogramSink(const Target&, std::uint64_t) {
    __shared__ unsigned bins[kTurns + 1];
    for (unsigned i = threadIdx.x; i <= kTurns; i += blockDim.x) bins[i] = 0;
    __syncthreads();
    shared_bins = bins;
  }
  __device__ void next_round() {}
  __device__ void count(unsigned, unsigned ones) { atomicAdd(&shared_bins[ones], 1u); }
  __device__ void outcome(unsigned, unsigned, std::uint32_t) {}
  template <class Reduction>
  __device__ void finish(const Target& target) {
    __syncthreads();
    for (unsigned i = threadIdx.x; i <= kTurns; i += blockDim.x)
      if (shared_bins[i])
        atomicAdd(&target.bins[i], static_cast<unsigned long long>(shared_bins[i]));
  }
};

/// Writes every battle out: its count, and the outcome bits that were counted.
struct TraceSink {
  struct Target {
    std::uint16_t* ones;
    std::uint32_t* outcome;
    std::uint32_t rounds, battles_per_round, words_per_battle;
  };
  static constexpr bool kKeepsOutcomes = true;
  Target target;
  std::uint64_t entry;  ///< of the first battle of the current round

  __device__ TraceSink(const Target& t, std::uint64_t group)
      : target(t), entry(group * t.rounds * t.battles_per_round) {}
  __device__ void next_round() { entry += target.battles_per_round; }
  __device__ void count(unsigned slot, unsigned ones) {
    target.ones[entry + slot] = static_cast<std::uint16_t>(ones);
  }
  __device__ void outcome(unsigned slot, unsigned word, std::uint32_t bits) {
    target.outcome[(entry + slot) * target.words_per_battle + word] = bits;
  }
  template <class Reduction>
  __device__ void finish(const Target&) {}
};

/// Words of the counter stream, as the reference replays them: thread t of the grid reads stream t.
struct DeviceCounterWords {
  std::uint64_t seed, stream, k = 0;
  __device__ DeviceCounterWords(std::uint64_t s, std::uint64_t thread) : seed(s), stream(thread) {}
  __device__ std::uint32_t next() { return counter_word32(seed, stream, k++); }
  __device__ std::uint64_t next64() { return counter_word64(seed, stream, k++); }
  template <unsigned N>
  __device__ std::uint32_t step() {
    return next();
  }
};

template <class T, class Words, class Sink>
__global__ void __launch_bounds__(T::kThreads, T::kBlocksPerSm)
    simulate(Job job, typename Sink::Target target) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * T::kThreads + threadIdx.x;
  const std::uint64_t group = thread / T::kLanes;
  const std::uint64_t groups = std::uint64_t{gridDim.x} * T::kThreads / T::kLanes;
  Words words(job.seed, thread);
  typename T::Round round(static_cast<unsigned>(thread % T::kLanes));
  Sink sink(target, group);

  const std::uint64_t whole = job.battles / T::kBattles;
  std::uint64_t left = whole / groups + (group < whole % groups ? 1 : 0);
  if constexpr (T::kAsPrinted) left = whole / groups + 2;  // N / threads + 1 truncates, <= adds one
  // Counted in 32 bits inside, where a 64-bit counter would cost an instruction a round.
  while (left > 0) {
    const auto chunk = static_cast<unsigned>(left < (1u << 30) ? left : (1u << 30));
    for (unsigned i = 0; i < chunk; ++i) {
      round.play(words, sink, T::kBattles);
      sink.next_round();
    }
    left -= chunk;
  }
  if constexpr (T::kBattles > 1) {
    const auto rest = static_cast<unsigned>(job.battles % T::kBattles);
    if (rest > 0 && group == whole % groups) round.play(words, sink, rest);
  }
  sink.template finish<typename T::Reduction>(target);
}

}  // namespace ratchet::graveler
