// CUDA C++ on a CPU for kernels whose warps and blocks wait for each other: a test includes this,
// what the kernel has for a device in PTX, then the kernel, and calls launch(). Only one file of a
// program may.
//
// The lanes of all warps of all blocks are fibers. A warp runs, its lanes in turn, until all of
// them have come to a point where they wait; then another warp is chosen by the seed: in a random
// order, or one as long as it gets on. What is written is seen at once by all: the order of memory
// operations on a real device is not tested here. A grid that does not end is an error.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "correctness/emulator/cuda_on_host.h"

namespace ratchet::on_host {

/// A barrier in shared memory (mbarrier).
struct Barrier {
  std::uint32_t arrivals = 0, left = 0;
  std::uint64_t phases = 0;  ///< that have ended
};

struct Block {
  unsigned index = 0, threads = 0;
  std::vector<std::byte> shared;
  std::map<std::uint32_t, Barrier> barriers;
  std::uint64_t synchronized = 0;  ///< threads, all in all
};

struct Lane {
  static constexpr std::size_t kStack = 256 * 1024;
  ucontext_t context{};
  std::unique_ptr<std::byte[]> stack{new std::byte[kStack]};
  std::uint64_t meetings = 0, synchronized = 0;
  bool ended = false;
};

struct Warp {
  Block* block = nullptr;
  unsigned first = 0;  ///< thread
  std::array<Lane, kLanes> lanes;
  std::array<Values, 2> values{};
  bool waits = false;  ///< in its last turn, for other warps
  bool ended() const { return lanes[0].ended; }
};

/// The grid that runs.
class GridOfWarps {
 public:
  std::mt19937 random;
  bool stays = false;  ///< with a warp as long as it does not wait for others

  void run(unsigned blocks, unsigned threads, unsigned shared_bytes,
           const std::function<void()>& body) {
    body_ = &body, error_ = nullptr, turns_ = 0;
    std::vector<Block> all(blocks);
    std::vector<std::unique_ptr<Warp>> warps;
    for (unsigned b = 0; b < blocks; ++b) {
      all[b].index = b, all[b].threads = threads;
      all[b].shared.assign(shared_bytes, std::byte{0xA5});
      for (unsigned first = 0; first < threads; first += kLanes) {
        warps.push_back(std::make_unique<Warp>());
        warps.back()->block = &all[b], warps.back()->first = first;
        for (Lane& lane : warps.back()->lanes) prepare(lane);
      }
    }
    while (!warps.empty()) {
      const std::size_t chosen = random() % warps.size();
      Warp& warp = *warps[chosen];
      do turn(warp);
      while (stays && !warp.waits && !warp.ended());
      if (warp.ended()) warps.erase(warps.begin() + static_cast<std::ptrdiff_t>(chosen));
      if (turns_ > kMostTurns) error_ = "the warps of the grid wait for each other";
      if (error_ != nullptr) throw std::logic_error(error_);
    }
  }

  Warp& warp() const { return *warp_; }
  unsigned lane() const { return lane_; }
  std::byte* shared(std::uint32_t address) const { return warp_->block->shared.data() + address; }
  Barrier& barrier(std::uint32_t address) const { return warp_->block->barriers[address]; }
  /// Something that others may wait for.
  void happened() { turns_ = 0; }
  void fail(const char* error) {
    error_ = error;
    while (true) leave();
  }
  /// For other warps.
  void wait() {
    warp_->waits = true;
    leave();
  }
  void synchronize() {
    Lane& lane = warp_->lanes[lane_];
    Block& block = *warp_->block;
    const std::uint64_t all = ++lane.synchronized * block.threads;
    ++block.synchronized;
    while (block.synchronized < all) wait();
    happened();
  }
  /// What every lane has handed in.
  const Values& meet(std::uint32_t value) {
    const std::uint64_t meeting = ++warp_->lanes[lane_].meetings;
    warp_->values[meeting % 2][lane_] = value;
    const auto missing = [&] {
      return std::any_of(warp_->lanes.begin(), warp_->lanes.end(),
                         [&](const Lane& lane) { return lane.meetings < meeting; });
    };
    while (missing()) leave();
    return warp_->values[meeting % 2];
  }

 private:
  /// Turns without anything happening that mean that nothing will: more than all warps take for a
  /// generation.
  static constexpr std::uint64_t kMostTurns = 100'000;

  void prepare(Lane& lane) {
    getcontext(&lane.context);
    lane.context.uc_stack.ss_sp = lane.stack.get();
    lane.context.uc_stack.ss_size = Lane::kStack;
    lane.context.uc_link = nullptr;
    makecontext(&lane.context, &GridOfWarps::enter, 0);
  }
  static void enter();
  /// This lane's turn is over.
  void leave() { swapcontext(&warp_->lanes[lane_].context, &host_); }
  /// Every lane of the warp up to the next point where it waits.
  void turn(Warp& warp) {
    ++turns_;
    warp_ = &warp, warp.waits = false;
    blockIdx.x = warp.block->index;
    for (lane_ = 0; lane_ < kLanes; ++lane_) {
      threadIdx.x = warp.first + lane_;
      if (!warp.lanes[lane_].ended) swapcontext(&host_, &warp.lanes[lane_].context);
    }
  }

  ucontext_t host_{};
  const std::function<void()>* body_ = nullptr;
  Warp* warp_ = nullptr;
  unsigned lane_ = 0;
  std::uint64_t turns_ = 0;  ///< since something happened
  const char* error_ = nullptr;
};

inline GridOfWarps grid;

inline void GridOfWarps::enter() {
  (*grid.body_)();
  grid.warp_->lanes[grid.lane_].ended = true;
  grid.happened();
  grid.leave();
}

/// kernel<<<blocks, threads, shared_bytes>>>(arguments...), `threads` a multiple of 32.
template <class Kernel, class... Arguments>
void launch(Kernel kernel, unsigned blocks, unsigned threads, unsigned shared_bytes,
            const Arguments&... arguments) {
  gridDim.x = blocks, blockDim.x = threads;
  grid.run(blocks, threads, shared_bytes, [&] { kernel(arguments...); });
}

}  // namespace ratchet::on_host

inline unsigned ratchet::on_host::this_lane() { return grid.lane(); }
inline const ratchet::on_host::Values& ratchet::on_host::meet(std::uint32_t value) {
  return grid.meet(value);
}
inline void __syncwarp() { ratchet::on_host::grid.meet(0); }
inline void __trap() { ratchet::on_host::grid.fail("trap"); }
inline void __syncthreads() { ratchet::on_host::grid.synchronize(); }
