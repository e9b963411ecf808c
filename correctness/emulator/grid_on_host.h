// CUDA C++ on a CPU for kernels whose warps and blocks wait for each other. A test includes this
// file, a replacement of the kernel's PTX, then the kernel, and calls launch(). Only one file of a
// program may.
//
// The lanes of all warps of all blocks are fibers. A warp runs, lane after lane, until all of its
// lanes wait. Then the seed chooses another warp: in a random order, or one as long as it makes
// progress. Its lanes run upwards or downwards. What is written is seen at once by all: the order
// of memory operations on a real device is not tested here. A grid that does not end is an error.
//
// Watched memory is compared after each lane has run; launch_block_by_block() watches shared
// memory. It is an error if two lanes change a byte with no barrier between them, unless both use
// atomic operations. So a sum that loses an addition on a device fails here, where a turn is never
// interrupted. A read beside a write shows in one of the orders alone.
#pragma once

#include <link.h>

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
  static inline std::uint64_t made = 0;
  std::uint64_t number = ++made;  ///< of all blocks of all launches
  unsigned index = 0, threads = 0;
  std::vector<std::byte> shared;
  std::map<std::uint32_t, Barrier> barriers;
  // Threads at the barrier of __syncthreads() now, those that have ended, and barriers passed.
  unsigned arrived = 0, ended = 0;
  std::uint64_t synchronized = 0;
  void meet_if_all() {
    if (arrived > 0 && arrived + ended == threads) arrived = 0, ++synchronized;
  }
};

struct Lane {
  static constexpr std::size_t kStack = 256 * 1024;
  Fiber fiber;
  std::unique_ptr<std::byte[]> stack{new std::byte[kStack]};
  std::uint64_t meetings = 0;
  bool ended = false;
};

/// Who changed a byte last.
struct Writer {
  std::uint64_t block = 0;  ///< its number from 1; 0: not written yet
  unsigned thread = 0;
  std::uint64_t synchronized = 0, meetings = 0;
  bool atomic = false;

  bool races(const Writer& later) const {
    if (block == 0 || (atomic && later.atomic)) return false;
    if (block != later.block) return true;
    return thread != later.thread && synchronized == later.synchronized &&
           (thread / kLanes != later.thread / kLanes || meetings == later.meetings);
  }
};

/// Memory as it was after the last turn.
class Watched {
 public:
  Watched(void* data, std::size_t bytes)
      : data_(static_cast<std::byte*>(data)), known_(data_, data_ + bytes), last_(bytes) {}

  /// Whether a race is among the bytes changed since.
  bool changed_by(const Writer& writer) {
    return std::memcmp(data_, known_.data(), known_.size()) != 0 &&
           write(writer, 0, known_.size(), true);
  }
  bool wrote_atomically(const Writer& writer, const void* to, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(to);
    if (first < data_ || first >= data_ + known_.size()) return false;
    const auto at = static_cast<std::size_t>(first - data_);
    return write(writer, at, at + bytes, false);
  }
  /// For the next block: nothing is known of what was written.
  void spoil() {
    for (std::size_t i = 0; i < last_.size(); ++i)
      if (last_[i].block != 0) data_[i] = known_[i] = std::byte{0xA5}, last_[i] = {};
  }

 private:
  bool write(const Writer& writer, std::size_t from, std::size_t to, bool changed_alone) {
    bool race = false;
    for (std::size_t i = from; i < to; ++i) {
      if (changed_alone && data_[i] == known_[i]) continue;
      race |= last_[i].races(writer);
      last_[i] = writer, known_[i] = data_[i];
    }
    return race;
  }
  std::byte* data_;
  std::vector<std::byte> known_;
  std::vector<Writer> last_;
};

/// The program's own thread_local variables, of which __shared__ ones are.
inline Watched shared_variables() {
  std::pair<void*, std::size_t> found{nullptr, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_TLS)
            *static_cast<std::pair<void*, std::size_t>*>(result) = {info->dlpi_tls_data,
                                                                    info->dlpi_phdr[i].p_memsz};
        return 1;  // the program alone, which is the first
      },
      &found);
  return {found.first, found.second};
}

struct Warp {
  Block* block = nullptr;
  unsigned first = 0;  ///< thread
  std::array<Lane, kLanes> lanes;
  std::array<Values, 2> values{};
  bool waits = false;  ///< in its last turn, for other warps
  bool ended() const {
    return std::all_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.ended; });
  }
};

/// The grid that runs.
class GridOfWarps {
 public:
  std::mt19937 random;
  bool stays = false;  ///< with a warp as long as it does not wait for others
  /// Until the launch ends.
  std::vector<Watched> watched;

  /// Blocks `first_block` and following.
  void run(unsigned first_block, unsigned blocks, unsigned threads, unsigned shared_bytes,
           const std::function<void()>& body) {
    body_ = &body, error_ = nullptr, turns_ = 0;
    std::vector<Block> all(blocks);
    std::vector<std::unique_ptr<Warp>> warps;
    for (unsigned b = 0; b < blocks; ++b) {
      all[b].index = first_block + b, all[b].threads = threads;
      all[b].shared.assign(shared_bytes, std::byte{0xA5});
      for (unsigned first = 0; first < threads; first += kLanes) {
        warps.push_back(std::make_unique<Warp>());
        warps.back()->block = &all[b], warps.back()->first = first;
        for (Lane& lane : warps.back()->lanes) prepare(lane);
      }
    }
    const std::size_t shared_from = watched.size();
    if (shared_from > 0 && shared_bytes > 0)
      for (Block& block : all) watched.emplace_back(block.shared.data(), shared_bytes);
    while (!warps.empty()) {
      const std::size_t chosen = random() % warps.size();
      Warp& warp = *warps[chosen];
      do turn(warp);
      while (stays && !warp.waits && !warp.ended());
      if (warp.ended()) warps.erase(warps.begin() + static_cast<std::ptrdiff_t>(chosen));
      if (turns_ > kMostTurns) error_ = "the warps of the grid wait for each other";
      if (error_ != nullptr) throw std::logic_error(error_);
    }
    watched.erase(watched.begin() + static_cast<std::ptrdiff_t>(shared_from), watched.end());
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
    observe();
    Block& block = *warp_->block;
    const std::uint64_t before = block.synchronized;
    ++block.arrived;
    block.meet_if_all();
    while (block.synchronized == before) wait();
    happened();
  }
  void wrote_atomically(const void* to, std::size_t bytes) {
    for (Watched& memory : watched)
      if (memory.wrote_atomically(writer(true), to, bytes)) error_ = kRace;
  }
  /// What every lane has handed in.
  const Values& meet(std::uint32_t value) {
    observe();
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
  static constexpr const char* kRace =
      "two threads write to one place, with no barrier between them and not both atomically";

  void prepare(Lane& lane) {
    lane.fiber.prepare(lane.stack.get(), Lane::kStack, &GridOfWarps::enter);
  }
  static void enter();
  /// This lane's turn is over.
  void leave() { warp_->lanes[lane_].fiber.switch_to(host_); }
  /// Every lane of the warp up to the next point where it waits.
  void turn(Warp& warp) {
    ++turns_;
    warp_ = &warp, warp.waits = false;
    blockIdx = {warp.block->index % gridDim.x, warp.block->index / gridDim.x};
    const bool down = random() % 2 == 1;
    for (unsigned i = 0; i < kLanes; ++i) {
      lane_ = down ? kLanes - 1 - i : i;
      const unsigned thread = warp.first + lane_;
      threadIdx = {thread % blockDim.x, thread / blockDim.x};
      if (warp.lanes[lane_].ended) continue;
      host_.switch_to(warp.lanes[lane_].fiber);
      observe();
    }
  }
  /// What the lane has written so far.
  void observe() {
    for (Watched& memory : watched)
      if (memory.changed_by(writer(false))) error_ = kRace;
  }
  Writer writer(bool atomic) const {
    return {warp_->block->number, warp_->first + lane_, warp_->block->synchronized,
            warp_->lanes[lane_].meetings, atomic};
  }

  Fiber host_;
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
  ++grid.warp_->block->ended;
  grid.warp_->block->meet_if_all();
  grid.happened();
  grid.leave();
}

/// kernel<<<blocks, threads, shared_bytes>>>(arguments...), `threads` a multiple of 32.
template <class Kernel, class... Arguments>
void launch(Kernel kernel, dim3 blocks, dim3 threads, unsigned shared_bytes,
            const Arguments&... arguments) {
  gridDim = blocks, blockDim = threads;
  grid.run(0, blocks.x * blocks.y, threads.x * threads.y, shared_bytes,
           [&] { kernel(arguments...); });
}

/// The same for a kernel with __shared__ variables whose blocks do not wait for each other. Blocks
/// run one after the other. Shared memory is watched, and full of garbage at the start.
template <class Kernel, class... Arguments>
void launch_block_by_block(Kernel kernel, dim3 blocks, dim3 threads, unsigned shared_bytes,
                           const Arguments&... arguments) {
  gridDim = blocks, blockDim = threads;
  const struct Watching {
    Watching() { grid.watched.push_back(shared_variables()); }
    ~Watching() { grid.watched.clear(); }
  } watching;
  for (unsigned block = 0; block < blocks.x * blocks.y; ++block) {
    grid.watched.back().spoil();
    grid.run(block, 1, threads.x * threads.y, shared_bytes, [&] { kernel(arguments...); });
  }
}

}  // namespace ratchet::on_host

inline unsigned ratchet::on_host::this_lane() { return grid.lane(); }
inline const ratchet::on_host::Values& ratchet::on_host::meet(std::uint32_t value) {
  return grid.meet(value);
}
inline void ratchet::on_host::wrote_atomically(const void* to, std::size_t bytes) {
  grid.wrote_atomically(to, bytes);
}
inline void __syncwarp() { ratchet::on_host::grid.meet(0); }
inline void __trap() { ratchet::on_host::grid.fail("trap"); }
inline void __syncthreads() { ratchet::on_host::grid.synchronize(); }
