#include "kernels/officers/values/state.h"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/officers/values/compressed.h"
#include "kernels/support/error.h"

namespace ratchet::officers {
namespace {

[[noreturn]] void throw_too_large(std::uint64_t position) {
  throw Error("officers: the value of position " + std::to_string(position) +
              " is 512 or more and does not fit a byte: a discovery; everything before it is right");
}

/// The values that sums have given so far.
class Seen {
 public:
  void add(std::uint32_t value) { seen_[value] = true; }
  std::uint32_t first_common_missing() const {
    for (std::uint32_t value = 0; value < kValues; ++value)
      if (!is_rare(value) && !seen_[value]) return value;
    return kValues;
  }
  /// Rare values below `limit` that were not seen.
  std::uint32_t rares_missing(std::uint32_t limit) const {
    std::uint32_t missing = 0;
    for (std::uint32_t value = 0; value < limit; ++value) missing += is_rare(value) && !seen_[value];
    return missing;
  }
  std::uint32_t mex() const {
    return static_cast<std::uint32_t>(std::find(seen_.begin(), seen_.end(), false) - seen_.begin());
  }
  bool operator[](std::uint32_t value) const { return seen_[value]; }

 private:
  std::array<bool, kValues> seen_{};
};

void throw_forgotten(const State& state, std::uint64_t position) {
  throw Error("officers: position " + std::to_string(state.next) + " needs the value of position " +
              std::to_string(position) + ", which is not kept: start again with a reach above " +
              std::to_string(state.reach));
}

}  // namespace

void State::append(std::uint32_t value) {
  if (value >= kValues) throw_too_large(next);
  const std::uint8_t byte = compress(value);
  if (is_rare(value)) rares.push_back({next, value});
  if (head.size() < reach) head.push_back(byte);
  // In pieces: moving the tail at every value would cost more than the value.
  if (tail.size() == 2 * reach)
    tail.erase(tail.begin(), tail.begin() + static_cast<std::ptrdiff_t>(reach));
  tail.push_back(byte);
  sum += value;
  digest = (digest ^ value) * 0x100000001b3u + 0x9e3779b97f4a7c15u;
  largest = std::max(largest, value);
  ++next;
}

bool State::rare_at(std::uint64_t position) const {
  const auto at = std::lower_bound(
      rares.begin(), rares.end(), position,
      [](const Rare& rare, std::uint64_t sought) { return rare.position < sought; });
  return at != rares.end() && at->position == position;
}

bool State::holds(std::uint64_t position) const {
  return position < head.size() || (position < next && position >= next - tail.size());
}

std::uint32_t State::value(std::uint64_t position) const {
  const std::uint8_t byte =
      position < head.size() ? head[position] : tail[position - (next - tail.size())];
  return uncompress(byte, rare_at(position));
}

std::uint32_t exact_value(const State& state, std::uint64_t& sums) {
  const std::uint64_t n = state.next;
  if (n < 2) return 0;
  Seen seen;
  for (const Rare& rare : state.rares) {
    const std::uint64_t other = n - 1 - rare.position;
    if (!state.holds(other)) throw_forgotten(state, other);
    seen.add(rare.value ^ state.value(other));
    ++sums;
  }
  const std::uint32_t candidate = seen.first_common_missing();
  std::uint32_t missing = seen.rares_missing(candidate);
  for (std::uint64_t i = 0; missing > 0 && i <= n - 1 - i; ++i) {
    if (!state.holds(i)) throw_forgotten(state, i);
    if (!state.holds(n - 1 - i)) throw_forgotten(state, n - 1 - i);
    const std::uint32_t value = state.value(i) ^ state.value(n - 1 - i);
    ++sums;
    missing -= value < candidate && !seen[value];
    seen.add(value);
  }
  const std::uint32_t mex = seen.mex();
  if (mex >= kValues) throw_too_large(n);
  return mex;
}

State initial_state(std::uint64_t reach) {
  State state;
  state.reach = std::max(reach, kLeastReach);
  return state;
}

}  // namespace ratchet::officers
