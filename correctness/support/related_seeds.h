// Seeds that a careless mixing of seed and stream number would take for one another.
#pragma once

#include <cstdint>
#include <vector>

namespace ratchet::correctness {

/// A seed, every seed that differs from it in one bit, and neighbours near and 2^32 apart: 71.
inline std::vector<std::uint64_t> related_seeds() {
  constexpr std::uint64_t kSeed = 0x5eed'0000'0000'0005;
  std::vector<std::uint64_t> seeds{kSeed};
  for (unsigned bit = 0; bit < 64; ++bit) seeds.push_back(kSeed ^ std::uint64_t{1} << bit);
  for (const std::uint64_t step : {3, 7, 15}) {
    seeds.push_back(kSeed + step);
    seeds.push_back(kSeed + (step << 32));
  }
  return seeds;
}

/// Seeds that code may treat apart: the smallest, the largest, and those about the bits at which a
/// seed is cut, or takes a sign.
inline std::vector<std::uint64_t> special_seeds() {
  std::vector<std::uint64_t> seeds;
  for (const unsigned bits : {0, 8, 16, 31, 32, 63})
    for (const std::uint64_t off : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}})
      seeds.push_back((std::uint64_t{1} << bits) + off);
  seeds.push_back(~std::uint64_t{0});
  return seeds;
}

}  // namespace ratchet::correctness
