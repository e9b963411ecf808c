// What the vectors work on, made of a state. Each file that includes it has a class of its own,
// which is compiled into its caller: what 07 executes is known by its code (perf/counters).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/officers/simd/simd.h"
#include "kernels/officers/values/compressed.h"

namespace ratchet::officers {
namespace {

/// Sums that the vectors try for one position before they leave it to the definition; one value in
/// 10^3 needs more than 2 % of it.
constexpr std::uint64_t kDepth = std::uint64_t{1} << 19;

/// Room for vectors that begin within the values and end beyond.
constexpr std::uint64_t kRoom = 256;

/// The state's last values with room for more, its head mirrored, its rare values as bytes.
class Tables {
 public:
  Tables(const State& state, std::uint64_t count)
      : values_(state.tail.size() + count + kRoom), next_(state.next), tail_(state.tail.size()) {
    std::copy(state.tail.begin(), state.tail.end(), values_.begin());
    // Of fewer no vector makes use.
    const std::uint64_t held =
        state.head.size() < kDescending
            ? 0
            : std::min<std::uint64_t>(state.head.size(), kDepth) / kRoom * kRoom;
    const auto index = [&](std::uint64_t n) {
      return n < kDescending ? kDescending - 1 - n : held - 1 - n + kDescending;
    };
    head_.bytes.resize(held), head_.rare.resize(held);
    for (std::uint64_t n = 0; n < held; ++n) head_.bytes[index(n)] = state.head[n];
    for (const Rare& rare : state.rares) {
      rare_position_.push_back(rare.position);
      rare_value_.push_back(compress(rare.value));
      if (rare.position < held) head_.rare[index(rare.position)] = 0xff;
    }
  }
  /// `count` positions, `done` after the state, for the vectors.
  SimdJob job(std::uint64_t done, std::uint64_t count) {
    return {values_.data() + tail_ + done,
            next_ + done,
            count,
            tail_ + done,
            &head_,
            rare_position_.data(),
            rare_value_.data(),
            rare_position_.size()};
  }
  /// Computes up to `count` values, `done` values after the state, and returns how many.
  std::uint64_t compute(std::uint64_t done, std::uint64_t count, Work& work) {
    return compute_by_vectors(job(done, count), work);
  }
  std::uint8_t& value(std::uint64_t done) { return values_[tail_ + done]; }

 private:
  std::vector<std::uint8_t> values_, rare_value_;
  std::vector<std::uint64_t> rare_position_;
  Head head_;
  std::uint64_t next_, tail_;
};

}  // namespace
}  // namespace ratchet::officers
