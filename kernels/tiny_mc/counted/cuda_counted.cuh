// Photons in lockstep, counted in integers: the body of the counted walks.
//
// The weight of a photon at its k-th collision is a function of k alone (tiny_mc.h, Schedule). So a
// warp walks 32 photons through the k of a round together, and one counter per (k, shell) keeps all
// there is to know: heat, heat^2, and both bit for bit, in whatever order the photons come. The
// counters of the first rows live in shared memory, where adding 1 is a single instruction, the
// rest in global memory.
//
// Nine photons in ten end at the first game of roulette. Those that go on wait in a queue of their
// warp until 32 of them can walk the next round together; their order is decided by ballots, not by
// races, so that equal seeds give equal photons. The few that pass kQueued games finish at once, in
// a warp that is mostly idle.
#pragma once

#include <cstdint>

#include "kernels/tiny_mc/tiny_mc.h"
#include "kernels/tiny_mc/walks/cuda_walks.cuh"

namespace ratchet::tiny_mc {

inline constexpr unsigned kQueued = 3;       ///< games of roulette whose survivors queue up
inline constexpr unsigned kQueueSlots = 64;  ///< 31 that wait and 32 that join them
inline constexpr unsigned kFullMask = 0xffffffff;

/// What a launch needs to know.
struct CountedJob {
  std::uint64_t photons = 0;
  std::uint64_t seed = 0;
  WalkScale scale;
  std::uint32_t shells = 0;
  std::uint32_t survival = 0;  ///< a 32-bit word below this survives roulette
  std::uint32_t shared_rows =
      0;  ///< rows of counters kept in shared memory, kQueued rounds or fewer
  std::uint32_t rounds = 0;
  std::uint32_t first[Schedule::kRounds] = {}, collisions[Schedule::kRounds] = {};
  unsigned long long* counts = nullptr;  ///< [row][shell], all rows
};

/// Where collisions are counted. `kStride` counters a row; 0: as many as there are shells.
template <unsigned kStride>
class CountSink {
 public:
  static constexpr bool kTraces = false;
  template <class Source>
  using Words = Source;
  struct Target {};

  __device__ CountSink(const CountedJob& job, std::uint32_t* shared, Target)
      : job_(job),
        shared_(shared),
        rows_(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared)) - 4 * 0x4b000000u) {
    for (unsigned i = threadIdx.x; i < shared_counters(); i += blockDim.x) shared_[i] = 0;
  }
  /// Collision at row `row` of shared memory. radius + 2^23, rounded down, is the float whose bits
  /// are 0x4b000000 + shell, shell = floor(radius): four times these bits, in bytes, are added to
  /// an address from which 4 * 0x4b000000 was taken before.
  template <class Walk, class Source>
  __device__ __forceinline__ void near(std::uint32_t row, const Walk&, float radius, std::uint64_t,
                                       const Source&) {
    const float sum = __fadd_rd(fminf(radius, job_.scale.last_shell), 0x1p23f);
    const std::uint32_t address =
        rows_ + row * stride() * 4 + __float_as_uint(sum) * 4;  // modulo 2^32
    asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(address));
  }
  /// Collision at row `row` of global memory.
  template <class Walk, class Source>
  __device__ void far(std::uint32_t row, const Walk&, float radius, std::uint64_t, const Source&) {
    const auto shell = static_cast<std::uint32_t>(fminf(radius, job_.scale.last_shell));
    atomicAdd(job_.counts + std::uint64_t{row} * job_.shells + shell, 1ull);
  }
  template <class Source>
  __device__ void played(std::uint64_t, std::uint32_t, const Source&) {}
  __device__ void ended(std::uint64_t, std::uint32_t) {}
  /// By the whole block.
  __device__ void finish() {
    __syncthreads();
    for (unsigned i = threadIdx.x; i < shared_counters(); i += blockDim.x)
      if (shared_[i] > 0 && i % stride() < job_.shells)
        atomicAdd(job_.counts + std::uint64_t{i / stride()} * job_.shells + i % stride(),
                  static_cast<unsigned long long>(shared_[i]));
  }

 private:
  __device__ unsigned stride() const { return kStride > 0 ? kStride : job_.shells; }
  __device__ unsigned shared_counters() const { return job_.shared_rows * stride(); }
  const CountedJob& job_;
  std::uint32_t* shared_;
  std::uint32_t rows_;  // address of row 0, less 4 * 0x4b000000
};

/// Keeps every collision of every photon instead: Trace.
class CollisionSink {
 public:
  static constexpr bool kTraces = true;
  template <class Source>
  using Words = Traced<Source>;
  struct Target {
    std::uint32_t* made;
    Collision* collisions;
    std::uint32_t capacity;
  };
  __device__ CollisionSink(const CountedJob& job, std::uint32_t*, Target target)
      : job_(job), target_(target) {}
  template <class Walk>
  __device__ void near(std::uint32_t row, const Walk& walk, float radius, std::uint64_t photon,
                       const LastWords& words) {
    if (row >= target_.capacity) return;
    const float sum = __fadd_rd(fminf(radius, job_.scale.last_shell), 0x1p23f);
    target_.collisions[photon * target_.capacity + row] =
        walk.collision(job_.scale, __float_as_uint(sum) - 0x4b000000u, words);
  }
  template <class Walk>
  __device__ void far(std::uint32_t row, const Walk& walk, float radius, std::uint64_t photon,
                      const LastWords& words) {
    near(row, walk, radius, photon, words);
  }
  /// The roulette after so many collisions, by the last word.
  __device__ void played(std::uint64_t photon, std::uint32_t collisions, const LastWords& words) {
    if (collisions > target_.capacity) return;
    Collision& last = target_.collisions[photon * target_.capacity + collisions - 1];
    last.roulette_word = words.last();
    last.roulettes = 1;
  }
  __device__ void ended(std::uint64_t photon, std::uint32_t collisions) {
    target_.made[photon] = collisions;
  }
  __device__ void finish() {}

 private:
  const CountedJob& job_;
  Target target_;
};

/// The survivors of a warp, by game of roulette: 32-bit fields of the walk, one after the other; a
/// photon's number follows in two more where it is traced.
template <class Walk, bool kNumbered>
class SurvivorQueue {
 public:
  static constexpr unsigned kFields = Walk::kFields + (kNumbered ? 2 : 0);
  static constexpr unsigned kWords = kQueued * kFields * kQueueSlots;  ///< of a warp

  __device__ explicit SurvivorQueue(std::uint32_t* words) : words_(words) {}
  __device__ unsigned waiting(unsigned game) const { return waiting_ >> 8 * game & 0xff; }
  __device__ bool empty() const { return waiting_ == 0; }

  __device__ void push(unsigned game, bool alive, const Walk& walk, std::uint64_t photon) {
    const unsigned joining = __ballot_sync(kFullMask, alive);
    const unsigned slot = waiting(game) + __popc(joining & ((1u << threadIdx.x % 32) - 1));
    if (alive) {
      for (unsigned f = 0; f < Walk::kFields; ++f)
        at(game, f, slot) = __float_as_uint(walk.field(f));
      if constexpr (kNumbered) {
        at(game, Walk::kFields, slot) = static_cast<std::uint32_t>(photon);
        at(game, Walk::kFields + 1, slot) = static_cast<std::uint32_t>(photon >> 32);
      }
    }
    waiting_ += __popc(joining) << 8 * game;
    __syncwarp();
  }
  /// Takes the last 32, or all there are, one for each of the first lanes; true where this lane has
  /// one.
  __device__ bool pop(unsigned game, Walk& walk, std::uint64_t& photon) {
    const unsigned count = min(waiting(game), 32u);
    waiting_ -= count << 8 * game;
    const unsigned lane = threadIdx.x % 32, slot = waiting(game) + lane;
    if (lane < count) {
      for (unsigned f = 0; f < Walk::kFields; ++f)
        walk.set_field(f, __uint_as_float(at(game, f, slot)));
      if constexpr (kNumbered)
        photon = at(game, Walk::kFields, slot) | std::uint64_t{at(game, Walk::kFields + 1, slot)}
                                                     << 32;
    }
    __syncwarp();
    return lane < count;
  }

 private:
  __device__ std::uint32_t& at(unsigned game, unsigned field, unsigned slot) {
    return words_[(game * kFields + field) * kQueueSlots + slot];
  }
  std::uint32_t* words_;
  std::uint32_t waiting_ = 0;  // 8 bits a game: an array would live in local memory
};

/// One warp's photons.
template <class Walk, class Sink, unsigned kUnroll>
class WarpOfPhotons {
 public:
  using Queue = SurvivorQueue<Walk, Sink::kTraces>;

  __device__ WarpOfPhotons(const CountedJob& job, Sink& sink, std::uint32_t* queue,
                           std::uint64_t thread)
      : job_(job), sink_(sink), queue_(queue), words_(job.seed, thread) {}

  /// Photons 32 * batch and the 31 after it, for every `stride`-th batch from `batch` on.
  __device__ void run(std::uint32_t batch, std::uint32_t stride) {
    const auto batches = static_cast<std::uint32_t>((job_.photons + 31) / 32);
    while (true) {
      const bool fresh_left = batch < batches;
      const unsigned round = next_round(fresh_left);
      Walk walk;
      std::uint64_t photon = 0;
      bool there = false;
      if (round > 0) {
        there = queue_.pop(round - 1, walk, photon);
      } else if (fresh_left) {
        photon = std::uint64_t{batch} * 32 + threadIdx.x % 32;
        there = photon < job_.photons;
        batch += stride;
      } else {
        return;
      }
      walk_on(round, there, walk, photon);
    }
  }

 private:
  /// The round to play next: the latest one that can fill the warp, else fresh photons (0) while
  /// there are any, else the earliest one that anybody waits for; 0 when nobody does.
  __device__ unsigned next_round(bool fresh_left) const {
    const unsigned enough = fresh_left ? 32 : 1;
    for (unsigned game = kQueued; game > 0; --game)
      if (queue_.waiting(game - 1) >= 32) return game;
    for (unsigned game = 0; game < kQueued; ++game)
      if (queue_.waiting(game) >= enough) return game + 1;
    return 0;
  }
  /// Plays `round`; survivors queue up, or go on here when they have passed too many games.
  __device__ void walk_on(unsigned round, bool there, Walk& walk, std::uint64_t photon) {
    while (true) {
      if (there) collide(round, walk, photon);
      __syncwarp();
      const bool alive = there && words_.next() < job_.survival && round + 1 < job_.rounds;
      if (there) sink_.played(photon, job_.first[round] + job_.collisions[round], words_);
      if (there && !alive) sink_.ended(photon, job_.first[round] + job_.collisions[round]);
      if (round < kQueued) {
        queue_.push(round, alive, walk, photon);
        return;
      }
      if (!__any_sync(kFullMask, alive)) return;
      there = alive;
      ++round;
    }
  }
  /// All collisions of a round.
  __device__ void collide(unsigned round, Walk& walk, std::uint64_t photon) {
    std::uint32_t row = job_.first[round];
    const std::uint32_t end = row + job_.collisions[round];
    const std::uint32_t near_end = min(end, job_.shared_rows);
#pragma unroll kUnroll
    for (; row < near_end; ++row) {
      const float radius = walk.step(words_, job_.scale);
      sink_.near(row, walk, radius, photon, words_);
    }
    for (; row < end; ++row) {
      const float radius = walk.step(words_, job_.scale);
      sink_.far(row, walk, radius, photon, words_);
    }
  }

  const CountedJob& job_;
  Sink& sink_;
  Queue queue_;
  typename Sink::template Words<typename Walk::Source> words_;
};

/// Grid-wide: batch b of 32 photons is played by warp b modulo the warps of the grid.
template <class Walk, class Sink, unsigned kThreads, unsigned kBlocksPerSm, unsigned kUnroll>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    counted_walk(const __grid_constant__ CountedJob job, typename Sink::Target target) {
  extern __shared__ std::uint32_t shared[];
  using Warp = WarpOfPhotons<Walk, Sink, kUnroll>;
  std::uint32_t* const counters = shared + kThreads / 32 * Warp::Queue::kWords;
  Sink sink(job, counters, target);
  __syncthreads();
  const std::uint32_t thread = blockIdx.x * kThreads + threadIdx.x;
  Warp warp(job, sink, shared + threadIdx.x / 32 * Warp::Queue::kWords, thread);
  warp.run(thread / 32, gridDim.x * (kThreads / 32));
  sink.finish();
}

}  // namespace ratchet::tiny_mc
