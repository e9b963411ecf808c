// A device for the kernels of officers on a CPU: the grid of warps, and what device/ptx.cuh has.
#pragma once

#include "correctness/emulator/grid_on_host.h"

namespace ratchet::officers::device {

using on_host::grid;

/// Counts calls: time passes for who looks at the clock.
inline std::uint64_t clock_on_host = 0;

inline unsigned char* shared_memory() {
  return reinterpret_cast<unsigned char*>(grid.shared(0));
}
inline std::uint32_t bit(std::uint32_t by) { return by < 32 ? 1u << by : 0; }
inline std::uint32_t select_if(std::uint32_t bits, std::uint32_t a, std::uint32_t b) {
  return bits != 0 ? a : b;
}
inline std::uint64_t load_word(const std::uint64_t* from) { return *from; }
inline void store_word(std::uint64_t* to, std::uint64_t word) { *to = word, grid.happened(); }
inline std::uint32_t load_acquire(const std::uint32_t* from) { return *from; }
inline void store_release(std::uint32_t* to, std::uint32_t word) { *to = word, grid.happened(); }
inline std::uint32_t load_fresh(const std::uint32_t* from) { return *from; }
inline std::uint64_t nanoseconds() {
  grid.happened();  // a launch that waits too long is ended by its own watch
  return ++clock_on_host;
}
inline void others_turn() { grid.wait(); }

/// A barrier of some of a block's threads, which also tells whether a condition held in any.
struct Meeting {
  std::uint64_t arrived = 0, ended = 0;
  bool now = false, last = false;
};
inline std::map<std::pair<const void*, int>, Meeting> meetings;

inline bool meet_at(int barrier, int threads, bool condition) {
  Meeting& meeting = meetings[{grid.warp().block, barrier}];
  meeting.now |= condition;
  const std::uint64_t mine = meeting.ended;
  if (++meeting.arrived == static_cast<std::uint64_t>(threads)) {
    meeting.last = meeting.now, meeting.now = false, meeting.arrived = 0, ++meeting.ended;
    grid.happened();
  }
  while (meeting.ended == mine) grid.wait();
  return meeting.last;
}

template <int kBarrier, int kThreads>
bool any_of(bool condition) {
  return meet_at(kBarrier, kThreads, condition);
}
template <int kBarrier, int kThreads>
void meet() {
  meet_at(kBarrier, kThreads, false);
}

}  // namespace ratchet::officers::device

inline int __syncthreads_or(int condition) {
  using namespace ratchet::officers::device;
  return meet_at(-1, static_cast<int>(blockDim.x), condition != 0);
}
/// The upper half of (high:low) << by, `by` no more than 32.
inline std::uint32_t __funnelshift_lc(std::uint32_t low, std::uint32_t high, std::uint32_t by) {
  return static_cast<std::uint32_t>(((std::uint64_t{high} << 32 | low) << std::min(by, 32u)) >> 32);
}
