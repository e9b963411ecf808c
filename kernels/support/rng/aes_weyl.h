// AES-Weyl: a Weyl sequence put through two rounds of AES. The scalar definition, which the vectors
// of aes_weyl-inl.h are tested against.
//
// A 128-bit block is two 64-bit halves. Each draw adds an odd constant to each half and sends the
// block through SubBytes, ShiftRows, MixColumns and AddRoundKey twice; the result is the output.
// State: the block and a round key, both seeded; period 2^64 blocks.
//
// Why two rounds suffice for simulation (not for secrets). Every output bit then depends on all 128
// input bits. By the wide-trail bound of AES at least five S-boxes take part in any two-round
// relation. So no differential trail is likelier than 2^-30, and no linear trail correlates by more
// than 2^-15. Between neighbouring draws the Weyl step changes nearly all bytes of the block, where
// a plain counter would change one. So two rounds do the work of the five that ARS (Salmon et al.,
// SC 2011) needs. The idea of few AES rounds on a Weyl sequence is that of AESRand.
//
// Streams differ in the 128-bit key and in the start of the block: two streams would have to draw
// the same key to overlap, a chance of S^2 / 2^129 for S streams.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "kernels/support/rng/splitmix64.h"

namespace ratchet {

class AesWeyl {
 public:
  static constexpr int kRounds = 2;
  /// Added to the low and to the high half at every draw.
  static constexpr std::uint64_t kStep[2] = {0x9e3779b97f4a7c15, 0xd1342543de82ef95};
  using Block = std::array<std::uint64_t, 2>;  ///< bytes in little-endian order, low half first

  AesWeyl(const Block& start, const Block& key) : block_(start), key_(key) {}
  /// Four seed words: start low, start high, key low, key high.
  explicit AesWeyl(SplitMix64& words) {
    for (auto& half : block_) half = words.next64();
    for (auto& half : key_) half = words.next64();
  }

  Block next() {
    for (int half = 0; half < 2; ++half) block_[half] += kStep[half];
    Block x = block_;
    for (int round = 0; round < kRounds; ++round) x = aes_round(x, key_);
    return x;
  }

  const Block& block() const { return block_; }
  const Block& key() const { return key_; }

  /// One round as the AESENC instruction does it (FIPS 197, section 5.1, key added last).
  static Block aes_round(const Block& in, const Block& key) {
    Block out = key;
    for (int column = 0; column < 4; ++column) {
      std::uint8_t s[4];  // ShiftRows: row r comes from r columns further on
      for (int row = 0; row < 4; ++row) s[row] = sub_byte(byte(in, 4 * ((column + row) % 4) + row));
      for (int row = 0; row < 4; ++row) {
        const std::uint8_t mixed =
            static_cast<std::uint8_t>(doubled(s[row]) ^ doubled(s[(row + 1) % 4]) ^
                                      s[(row + 1) % 4] ^ s[(row + 2) % 4] ^ s[(row + 3) % 4]);
        const int at = 4 * column + row;
        out[at / 8] ^= static_cast<std::uint64_t>(mixed) << (at % 8 * 8);
      }
    }
    return out;
  }

 private:
  static std::uint8_t byte(const Block& block, int at) {
    return static_cast<std::uint8_t>(block[at / 8] >> (at % 8 * 8));
  }
  // Multiplication by x in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1.
  static constexpr std::uint8_t doubled(std::uint8_t x) {
    return static_cast<std::uint8_t>(x << 1 ^ (x & 0x80 ? 0x1b : 0));
  }
  static constexpr std::uint8_t times(std::uint8_t x, std::uint8_t y) {
    std::uint8_t product = 0;
    for (; y; y >>= 1, x = doubled(x))
      if (y & 1) product ^= x;
    return product;
  }
  // The S-box: the inverse in the field, x^254, then the affine map.
  static constexpr std::array<std::uint8_t, 256> make_substitutes() {
    std::array<std::uint8_t, 256> substitutes{};
    for (int x = 0; x < 256; ++x) {
      std::uint8_t inverse = 1;
      for (int i = 0; i < 254; ++i) inverse = times(inverse, static_cast<std::uint8_t>(x));
      substitutes[x] = 0x63;
      for (int turn = 0; turn < 5; ++turn) substitutes[x] ^= std::rotl(inverse, turn);
    }
    return substitutes;
  }
  static std::uint8_t sub_byte(std::uint8_t x) {
    static const std::array<std::uint8_t, 256> substitutes = make_substitutes();
    return substitutes[x];
  }

  Block block_, key_;
};

}  // namespace ratchet
