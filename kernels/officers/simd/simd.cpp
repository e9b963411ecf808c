#include "kernels/officers/simd/simd.h"

#include <algorithm>

#include "kernels/officers/rare_values/rare_values.h"
#include "kernels/officers/values/compressed.h"

namespace ratchet::officers {
namespace {

/// Sums that the vectors try for one position before they leave it to the definition; one value in
/// 10^3 needs more than 2 % of it.
constexpr std::uint64_t kDepth = std::uint64_t{1} << 19;

/// Room for vectors that begin within the values and end beyond.
constexpr std::uint64_t kRoom = 256;

/// The state's last values with room for more, its head mirrored, its rare values as bytes.
class Bytes {
 public:
  Bytes(const State& state, std::uint64_t count)
      : values_(state.tail.size() + count + kRoom), next_(state.next), tail_(state.tail.size()) {
    std::copy(state.tail.begin(), state.tail.end(), values_.begin());
    const std::uint64_t held = std::min<std::uint64_t>(state.head.size(), kDepth) / kRoom * kRoom;
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
  /// Computes up to `count` values, `done` values after the state, and returns how many.
  std::uint64_t compute(std::uint64_t done, std::uint64_t count, Work& work) {
    return compute_by_vectors({values_.data() + tail_ + done, next_ + done, count, tail_ + done,
                               &head_, rare_position_.data(), rare_value_.data(),
                               rare_position_.size()},
                              work);
  }
  std::uint8_t& value(std::uint64_t done) { return values_[tail_ + done]; }

 private:
  std::vector<std::uint8_t> values_, rare_value_;
  std::vector<std::uint64_t> rare_position_;
  Head head_;
  std::uint64_t next_, tail_;
};

/// By the definition, until `state` is at `end`.
void append_exact(State& state, std::uint64_t end, std::vector<std::uint16_t>& out, Work& work) {
  for (; state.next < end; ++work.exact) {
    out.push_back(static_cast<std::uint16_t>(exact_value(state, work.verifying)));
    state.append(out.back());
  }
}

}  // namespace

void compute_anew(const State& from, std::vector<std::uint16_t>& values, std::uint64_t at,
                  std::uint64_t count) {
  State state = from;
  for (std::uint64_t i = 0; i < at; ++i) state.append(values[i]);
  values.resize(at);
  const std::vector<std::uint16_t> rest = SimdValues(state).compute(count - at);
  values.insert(values.end(), rest.begin(), rest.end());
}

SimdValues::SimdValues(const State& from) : from_(from) {}
SimdValues::~SimdValues() = default;

std::vector<std::uint16_t> SimdValues::compute(std::uint64_t count) {
  work_ = {};
  std::vector<std::uint16_t> out;
  out.reserve(count);
  State state = from_;
  const std::uint64_t end = state.next + count;
  if (state.next < kCommonFrom && state.next < end && !state.late_rare()) {
    RareValues first(state);
    while (state.next < std::min(end, kCommonFrom)) {
      out.push_back(first.next(work_));
      state.append(out.back());
    }
  }
  const std::uint64_t before = out.size();
  Bytes bytes(state, end - state.next);
  while (state.next < end && !state.late_rare()) {
    const std::uint64_t done = out.size() - before;
    const std::uint64_t made = bytes.compute(done, count - out.size(), work_);
    for (std::uint64_t i = 0; i < made; ++i)
      out.push_back(static_cast<std::uint16_t>(uncompress(bytes.value(done + i), false)));
    if (out.size() == count) return out;
    for (std::uint64_t i = out.size() - made; i < out.size(); ++i) state.append(out[i]);
    append_exact(state, state.next + 1, out, work_);
    bytes.value(done + made) = compress(out.back());
  }
  append_exact(state, end, out, work_);
  return out;
}

}  // namespace ratchet::officers
