// Values of officers as bytes.
//
// A value is rare when it has an even number of set bits besides bits 0 and 4, common otherwise:
// rare xor rare and common xor common are rare, rare xor common is common. Knowing which it is, one
// bit of a value below 512 can be left out and found again. The text drops bit 1, which keeps the
// order; Grossman drops the top bit, which does not. Both keep xor.
//
// Source: mvr, "The Rare-Value Algorithm" and "Values as Bytes"; the
// `uncompress` printed there holds for common values only.
#pragma once

#include <cstdint>

#include "kernels/support/host_device.h"

namespace ratchet::officers {

inline constexpr std::uint32_t kValues = 512;  ///< a value of this or more does not fit a byte

RATCHET_HD constexpr std::uint32_t odd_bits(std::uint32_t x) {
  x ^= x >> 16, x ^= x >> 8, x ^= x >> 4, x ^= x >> 2, x ^= x >> 1;
  return x & 1;
}

RATCHET_HD constexpr bool is_rare(std::uint32_t value) { return odd_bits(value & ~0b10001u) == 0; }

/// Without bit 1. Of two common values the smaller stays the smaller.
RATCHET_HD constexpr std::uint8_t compress(std::uint32_t value) {
  return static_cast<std::uint8_t>((value >> 1 & ~1u) | (value & 1));
}

/// The value below 512 that compress() gave `byte`, rare or common.
RATCHET_HD constexpr std::uint32_t uncompress(std::uint32_t byte, bool rare) {
  const std::uint32_t others = (byte & ~1u) << 1 | (byte & 1);
  return others | (is_rare(others) == rare ? 0u : 2u);
}

/// Without bit 8, the top one, after Grossman.
constexpr std::uint8_t drop_top_bit(std::uint32_t value) {
  return static_cast<std::uint8_t>(value);
}
constexpr std::uint32_t restore_top_bit(std::uint8_t byte, bool rare) {
  return byte | (is_rare(byte) == rare ? 0u : 256u);
}

}  // namespace ratchet::officers
