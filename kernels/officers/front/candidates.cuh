// Candidates for a value, three to a word, and which of them options exclude.
//
// Most values are the first that the options of far rare positions leave; few are beyond the
// third (README.md). So nearer options are only compared with the first few, and a word holds three
// of them, 10 bits each: with t = option xor candidate below 256, t + 255 has bit 8 set unless they
// are the same. Three operations an option, exact, for all three.
#pragma once

#include <cstdint>

#include "kernels/support/host_device.h"

namespace ratchet::officers::front {

inline constexpr std::uint32_t kLanes3 = 1 | 1 << 10 | 1 << 20;  ///< one in each of three places
inline constexpr std::uint32_t kCarry = 255 * kLanes3;
inline constexpr std::uint32_t kOpen = 256 * kLanes3;
/// Added to a candidate that is excluded, or alone where there is none.
inline constexpr std::uint32_t kExcluded = 512;

/// Bit 8 of each place: 0 when the candidate there is excluded from the start.
RATCHET_HD inline std::uint32_t open_places(std::uint32_t candidates) {
  return kOpen & ~(candidates >> 1);
}
/// `open` after an option: `value` in three places, `candidates` xor the rare value in three.
RATCHET_HD inline std::uint32_t without(std::uint32_t open, std::uint32_t value,
                                        std::uint32_t candidates_and_rare) {
  return open & ((value ^ candidates_and_rare) + kCarry);
}
/// Marks those that are not open.
RATCHET_HD inline std::uint32_t mark_excluded(std::uint32_t candidates, std::uint32_t open) {
  return candidates | (~open & kOpen) << 1;
}

}  // namespace ratchet::officers::front
