// A deal from four random words, by tables: 16 of 52 places and an order of the 16 courts.
//
// Number cards are anonymous, so a shuffle has 52!/(4!^4 36!) outcomes and needs 69 bits, not 52
// draws. Definition in reference/bmn.h, shuffled(); here each of its choices is one look-up. The
// tables take 190 KB and are the same on host and device.
#pragma once

#include <Random123/threefry.h>

#include <cstdint>

#include "kernels/bmn/bmn.h"
#include "kernels/support/host_device.h"

namespace ratchet::bmn {

/// counter_word32(seed, stream, 4 * block + 0..3): all four words of one block.
struct Words {
  std::uint32_t w[4];
};
RATCHET_HD inline Words counter_block(std::uint64_t seed, std::uint64_t stream,
                                     std::uint32_t block = 0) {
  const r123::Threefry4x32::ctr_type counter = {
      {block, 0, static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}};
  const r123::Threefry4x32::key_type key = {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0}};
  const auto words = r123::Threefry4x32()(counter, key);
  return {{words[0], words[1], words[2], words[3]}};
}

struct ShuffleTables {
  static constexpr unsigned kGuideBits = 12, kMaxSplits = 1024;

  /// Splits of the 16 courts over the quarters, in lexicographic order, those of no width left out:
  /// the last first word that chooses it, and the courts of each quarter, four bits each.
  std::uint32_t last_word[kMaxSplits];
  std::uint16_t split[kMaxSplits];
  /// Index of the first split that a word with these high bits may choose.
  std::uint16_t guide[1u << kGuideBits];
  /// Patterns of 13 bits by their number of ones: how many, and << 16 the first one's index.
  std::uint32_t quarter_of[14];
  std::uint16_t quarter[1u << 13];
  std::uint16_t high[12870];  ///< patterns of 16 bits with 8 ones
  std::uint8_t low[70];       ///< patterns of 8 bits with 4 ones
  /// Ranks of 8 courts: [h << 8 | bits], h telling which are K or A, the low bits of `bits` which of
  /// these are A, in order, and its next bits which of the others are Q.
  std::uint16_t ranks[1u << 16];
};

/// Built once, then shared.
const ShuffleTables& shuffle_tables();

/// 26 cards each: bit i of courts[p] is the i-th card of player p.
struct Shuffle {
  std::uint32_t courts[2];
  std::uint32_t ranks;  ///< as in Deal
};

/// Takes the most significant digit below `radix` off a fraction of 96 bits, f[0] the highest word.
RATCHET_HD inline std::uint32_t digit(std::uint32_t (&f)[3], std::uint32_t radix) {
  const std::uint64_t low = std::uint64_t{f[2]} * radix;
  const std::uint64_t middle = std::uint64_t{f[1]} * radix + (low >> 32);
  const std::uint64_t top = std::uint64_t{f[0]} * radix + (middle >> 32);
  f[2] = static_cast<std::uint32_t>(low);
  f[1] = static_cast<std::uint32_t>(middle);
  f[0] = static_cast<std::uint32_t>(top);
  return static_cast<std::uint32_t>(top >> 32);
}

RATCHET_HD inline unsigned ones_of(std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__popc(static_cast<int>(x)));
#else
  return static_cast<unsigned>(__builtin_popcount(x));
#endif
}

RATCHET_HD inline Shuffle shuffled(const Words& words, const ShuffleTables& tables) {
  std::uint32_t fraction[3] = {words.w[1], words.w[2], words.w[3]};
  unsigned i = tables.guide[words.w[0] >> (32 - ShuffleTables::kGuideBits)];
  while (words.w[0] > tables.last_word[i]) ++i;
  const unsigned split = tables.split[i];
  std::uint32_t place[4];
  for (unsigned q = 0; q < 4; ++q) {
    const std::uint32_t group = tables.quarter_of[split >> 4 * q & 15];
    place[q] = tables.quarter[(group >> 16) + digit(fraction, group & 0xffff)];
  }
  const std::uint32_t high = tables.high[digit(fraction, 12870)];
  const std::uint32_t ace = tables.low[digit(fraction, 70)];
  const std::uint32_t queen = tables.low[digit(fraction, 70)];
  const unsigned c = ones_of(high & 0xff);
  const std::uint32_t first = ((ace & ((1u << c) - 1)) | queen << c) & 0xff;
  const std::uint32_t second = ((ace >> c) | (queen >> (8 - c)) << (8 - c)) & 0xff;
  return {{place[0] | place[1] << 13, place[2] | place[3] << 13},
          tables.ranks[(high & 0xff) << 8 | first] |
              static_cast<std::uint32_t>(tables.ranks[(high & 0xff00) | second]) << 16};
}

}  // namespace ratchet::bmn
