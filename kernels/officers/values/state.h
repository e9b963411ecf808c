// How far the values of officers are known, and all that is needed to go on from there.
#pragma once

#include <cstdint>
#include <vector>

namespace ratchet::officers {

/// A position whose value is rare.
struct Rare {
  std::uint64_t position = 0;
  std::uint32_t value = 0;
  friend bool operator==(const Rare&, const Rare&) = default;
};

/// No position beyond this one is known to have a rare value.
inline constexpr std::uint64_t kLastRare = 20627;
/// Values to keep at the least, at either end, before anything is forgotten.
inline constexpr std::uint64_t kLeastReach = 65536;
/// From here on the heaps that options are made of are common, unless a rare position is found
/// beyond kLastRare.
inline constexpr std::uint64_t kCommonFrom = 2 * (kLastRare + 1);

/// The values of the positions before `next`: the first ones and the last ones, `reach` of each,
/// or all when there are no more. Bytes as compress() makes them.
struct State {
  std::uint64_t next = 0;
  std::uint64_t reach = std::uint64_t{1} << 20;
  std::vector<std::uint8_t> head;  ///< positions 0 ... min(next, reach) - 1
  std::vector<std::uint8_t> tail;  ///< the last ones: positions next - tail.size() ... next - 1
  std::vector<Rare> rares;         ///< all of them, ascending
  std::uint64_t sum = 0;           ///< of all values, modulo 2^64
  std::uint64_t digest = 0;        ///< of all values in order
  std::uint32_t largest = 0;

  /// Takes over the value of position `next`. Throws Error when it is 512 or more.
  void append(std::uint32_t value);
  /// The same for many, much faster, and for all or none.
  void append(const std::vector<std::uint16_t>& values);
  /// True when the value at `position` is rare.
  bool rare_at(std::uint64_t position) const;
  /// True when the value of `position` is kept.
  bool holds(std::uint64_t position) const;
  /// The value of a position that is kept, as compress() made it.
  std::uint8_t byte(std::uint64_t position) const;
  /// The value of a position that is kept.
  std::uint32_t value(std::uint64_t position) const;
  /// A rare position was found beyond the last known one.
  bool late_rare() const { return !rares.empty() && rares.back().position > kLastRare; }

  friend bool operator==(const State&, const State&) = default;
};

/// G(next) by the definition, for any state: rare options first, then sums until every rare value
/// below the candidate is seen. `sums` counts the sums. Throws Error where a sum needs a value that
/// is not kept, and for a value of 512 or more.
std::uint32_t exact_value(const State& state, std::uint64_t& sums);

/// No value known; kLeastReach or more will be kept at either end.
State initial_state(std::uint64_t reach);

}  // namespace ratchet::officers
