// Two ways to make a byte of a value below 512, and which bytes are below which.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/officers/values/compressed.h"

namespace ratchet::officers {

/// The bytes of common values, and of rare ones, by value. `Compression` has
/// byte(value) and value(byte, rare).
template <class Compression>
struct ByteOrder {
  std::array<std::uint8_t, 256> common{}, rare{};
  std::array<std::uint16_t, 257> rares_below{};  ///< the i-th common value; 256: any below 512

  constexpr ByteOrder() {
    std::uint32_t commons = 0, rares = 0;
    for (std::uint32_t value = 0; value < kValues; ++value) {
      if (is_rare(value)) {
        rare[rares++] = Compression::byte(value);
      } else {
        rares_below[commons] = static_cast<std::uint16_t>(rares);
        common[commons++] = Compression::byte(value);
      }
    }
    rares_below[256] = 256;
  }
};

/// After Grossman.
struct WithoutTopBit {
  static constexpr std::uint8_t byte(std::uint32_t value) { return drop_top_bit(value); }
  static constexpr std::uint32_t value(std::uint8_t byte, bool rare) {
    return restore_top_bit(byte, rare);
  }
  static constexpr bool kKeepsOrder = false;
};
/// The text's: of two common bytes the smaller is the smaller value.
struct WithoutBit1 {
  static constexpr std::uint8_t byte(std::uint32_t value) { return compress(value); }
  static constexpr std::uint32_t value(std::uint8_t byte, bool rare) {
    return uncompress(byte, rare);
  }
  static constexpr bool kKeepsOrder = true;
};

template <class Compression>
inline constexpr ByteOrder<Compression> kByteOrder{};

}  // namespace ratchet::officers
