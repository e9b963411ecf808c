// From random words to floats in the open unit interval.
//
// Dividing a word by 2^32, as the text does, gives exactly 0 for 65 words and exactly 1 for 191:
// the logarithm of 0 is an infinite step. Of 23 bits and a half every value is exact in a float,
// none is 0 or 1, and they lie symmetric about 1/2.
#pragma once

#include <cstdint>

#include "kernels/support/counter_stream.h"

namespace ratchet::tiny_mc {

/// Uniform on (0, 1): (m + 1/2) / 2^23 of the high 23 bits m. Smallest 2^-24, largest 1 - 2^-24.
RATCHET_HD inline float open_unit(std::uint32_t word) {
  return (static_cast<float>(word >> 9) + 0.5f) * 0x1p-23f;
}

/// Uniform on (-1, 1) in the same way: never -1, 0 or 1.
RATCHET_HD inline float open_cosine(std::uint32_t word) {
  return (static_cast<float>(word >> 9) + (0.5f - 0x1p22f)) * 0x1p-22f;
}

}  // namespace ratchet::tiny_mc
