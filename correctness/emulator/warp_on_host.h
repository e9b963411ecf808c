// CUDA C++ on a CPU for kernels whose warps do not communicate. A test includes this file, a
// replacement of the kernel's PTX, then the kernel, and calls launch(). Only one file of a program
// may.
//
// The lanes of a warp are fibers that take turns: each runs up to the next operation that the warp
// does together. Warps run one after the other; __syncthreads() does nothing. A copy to shared
// memory lands when it is waited for, as late as it may, or at once. What works with both works
// with all in between. Shared memory starts with what the warp before left there.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <stdexcept>
#include <vector>

#include "correctness/emulator/cuda_on_host.h"

namespace ratchet::on_host {

/// The warp that runs.
class Warp {
 public:
  /// Runs `body` in every lane, the first of which is thread `first` of its block.
  void run(unsigned first, const std::function<void()>& body) {
    first_ = first, body_ = &body;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      lanes_[lane].meetings = 0, lanes_[lane].ended = false;
      lanes_[lane].fiber.prepare(lanes_[lane].stack.data(), lanes_[lane].stack.size(),
                                 &Warp::enter);
    }
    enter_lane(0);
    host_.switch_to(lanes_[0].fiber);
    if (diverged_) throw std::logic_error("lanes of a warp do not meet in the same operations");
    for (Lane& lane : lanes_)
      if (!lane.groups.empty() || !lane.open.empty())
        throw std::logic_error("a lane ended with copies on their way");
  }

  /// What every lane has handed in.
  const Values& meet(std::uint32_t value) {
    const unsigned lane = lane_;
    const std::uint64_t meeting = ++lanes_[lane].meetings;
    values_[meeting % 2][lane] = value;
    leave();
    // The others have handed in theirs. Lanes before this one may have reached the next meeting,
    // which fills the other array, but not a further one.
    for (unsigned i = 0; i < kLanes; ++i)
      diverged_ |= lanes_[i].meetings - meeting > (i < lane ? 1 : 0);
    return values_[meeting % 2];
  }
  unsigned lane() const { return lane_; }

  // Copies to shared memory, of the lane that runs.
  std::uint32_t shared_address(const void* shared) {
    shared_ = static_cast<std::byte*>(const_cast<void*>(shared));
    return 0;
  }
  std::byte* shared(std::uint32_t address) const { return shared_ + address; }
  void start_copy(std::uint32_t to, const std::uint32_t* from, int bytes) {
    const Copy copy{shared(to), from, bytes};
    at_once ? copy.land() : lanes_[lane_].open.push_back(copy);
  }
  void commit_copies() {
    lanes_[lane_].groups.push_back(std::move(lanes_[lane_].open));
    lanes_[lane_].open.clear();
  }
  void await_copies(std::size_t left) {
    auto& groups = lanes_[lane_].groups;
    for (; groups.size() > left; groups.pop_front())
      for (const Copy& copy : groups.front()) copy.land();
  }

  bool at_once = false;  ///< copies land when they start

 private:
  struct Copy {
    std::byte* to;
    const std::uint32_t* from;
    int bytes;
    void land() const {
      std::memset(to, 0, 16);
      if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
  };
  struct Lane {
    Fiber fiber;
    std::vector<std::byte> stack = std::vector<std::byte>(256 * 1024);
    std::uint64_t meetings = 0;
    bool ended = false;
    std::vector<Copy> open;
    std::deque<std::vector<Copy>> groups;
  };

  static void enter();
  void enter_lane(unsigned lane) { lane_ = lane, threadIdx.x = first_ + lane; }
  /// The next lane that has not ended goes on, or the host when all have.
  void leave() {
    const unsigned from = lane_;
    for (unsigned i = 1; i <= kLanes; ++i) {
      const unsigned next = (from + i) % kLanes;
      if (lanes_[next].ended) continue;
      if (next == from) return;
      enter_lane(next);
      lanes_[from].fiber.switch_to(lanes_[next].fiber);
      return;
    }
    host_.go_on();
  }

  Fiber host_;
  std::array<Lane, kLanes> lanes_;
  std::array<Values, 2> values_{};
  const std::function<void()>* body_ = nullptr;
  std::byte* shared_ = nullptr;
  unsigned first_ = 0, lane_ = 0;
  bool diverged_ = false;
};

inline Warp warp;

inline void Warp::enter() {
  (*warp.body_)();
  warp.lanes_[warp.lane_].ended = true;
  warp.leave();
}

/// kernel<<<blocks, threads>>>(arguments...), `threads` a multiple of 32.
template <class Kernel, class... Arguments>
void launch(Kernel kernel, unsigned blocks, unsigned threads, const Arguments&... arguments) {
  gridDim.x = blocks, blockDim.x = threads;
  for (unsigned block = 0; block < blocks; ++block)
    for (unsigned first = 0; first < threads; first += kLanes) {
      blockIdx.x = block;
      warp.run(first, [&] { kernel(arguments...); });
    }
}

}  // namespace ratchet::on_host

inline unsigned ratchet::on_host::this_lane() { return warp.lane(); }
inline const ratchet::on_host::Values& ratchet::on_host::meet(std::uint32_t value) {
  return warp.meet(value);
}
inline void ratchet::on_host::wrote_atomically(const void*, std::size_t) {}
inline void __syncthreads() {}
