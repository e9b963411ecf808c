#include "kernels/officers/values/state.h"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/officers/values/compressed.h"
#include "perf/support/error.h"

namespace ratchet::officers {
namespace {

[[noreturn]] void throw_too_large(std::uint64_t position) {
  throw Error("officers: the value of position " + std::to_string(position) +
              " is 512 or more and does not fit a byte: a discovery; everything before it is right");
}

constexpr std::array<bool, kValues> kIsRare = [] {
  std::array<bool, kValues> rare{};
  for (std::uint32_t value = 0; value < kValues; ++value) rare[value] = is_rare(value);
  return rare;
}();

/// The common value of each byte.
constexpr std::array<std::uint16_t, 256> kCommonValues = [] {
  std::array<std::uint16_t, 256> values{};
  for (std::uint32_t byte = 0; byte < 256; ++byte)
    values[byte] = static_cast<std::uint16_t>(uncompress(byte, false));
  return values;
}();

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
  append(std::vector<std::uint16_t>{static_cast<std::uint16_t>(value)});
}

void State::append(const std::vector<std::uint16_t>& values) {
  const auto too_large =
      std::find_if(values.begin(), values.end(), [](std::uint16_t value) { return value >= kValues; });
  if (too_large != values.end())
    throw_too_large(next + static_cast<std::uint64_t>(too_large - values.begin()));
  // Sums in registers: a byte that is stored may be part of any member. And a loop apart for what
  // needs no value before it, which is made of vectors.
  std::vector<std::uint8_t> bytes(values.size());
  std::uint64_t values_sum = 0, hash = digest;
  std::uint32_t most = largest, rare = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t value = values[i];
    bytes[i] = compress(value);
    values_sum += value;
    most = std::max(most, value);
    rare |= is_rare(value);
  }
  for (const std::uint32_t value : values)
    hash = (hash ^ value) * 0x100000001b3u + 0x9e3779b97f4a7c15u;
  if (rare != 0)
    for (std::size_t i = 0; i < values.size(); ++i)
      if (kIsRare[values[i]]) rares.push_back({next + i, values[i]});
  sum += values_sum, digest = hash, largest = most;
  next += values.size();
  for (auto at = bytes.begin(); at != bytes.end();) {
    // The tail is cut in pieces: moving it at every value would cost more than the value.
    if (tail.size() == 2 * reach)
      tail.erase(tail.begin(), tail.begin() + static_cast<std::ptrdiff_t>(reach));
    const auto end = at + std::min<std::ptrdiff_t>(
                              bytes.end() - at, static_cast<std::ptrdiff_t>(2 * reach - tail.size()));
    if (head.size() < reach)
      head.insert(head.end(), at, at + std::min<std::ptrdiff_t>(end - at, static_cast<std::ptrdiff_t>(
                                                                            reach - head.size())));
    tail.insert(tail.end(), at, end);
    at = end;
  }
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

std::uint8_t State::byte(std::uint64_t position) const {
  return position < head.size() ? head[position] : tail[position - (next - tail.size())];
}

std::uint32_t State::value(std::uint64_t position) const {
  return uncompress(byte(position), rare_at(position));
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
  // Positions ascend, and so do the rare ones: no search for each of twenty thousand and more.
  auto rare = state.rares.begin();
  const std::uint64_t last_rare = state.rares.empty() ? 0 : state.rares.back().position;
  for (std::uint64_t i = 0; missing > 0 && i <= n - 1 - i; ++i) {
    const std::uint64_t other = n - 1 - i;
    if (!state.holds(i)) throw_forgotten(state, i);
    if (!state.holds(other)) throw_forgotten(state, other);
    const bool listed = rare != state.rares.end() && rare->position == i;
    const std::uint32_t first = listed ? (rare++)->value : kCommonValues[state.byte(i)];
    const std::uint32_t second =
        other > last_rare ? kCommonValues[state.byte(other)] : state.value(other);
    const std::uint32_t value = first ^ second;
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
