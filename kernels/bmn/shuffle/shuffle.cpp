#include "kernels/bmn/shuffle/shuffle.h"

#include <bit>
#include <memory>

namespace ratchet::bmn {
namespace {

__extension__ using Wide = unsigned __int128;

Wide choose13(unsigned k) {
  Wide result = 1;
  for (unsigned i = 0; i < k; ++i) result = result * (13 - i) / (i + 1);
  return result;
}

/// Calls split(a, b, c, d, cumulated number of ways) in lexicographic order.
template <class F>
void for_each_split(const F& split) {
  Wide sum = 0;
  for (unsigned a = 0; a <= 13; ++a)
    for (unsigned b = 0; b <= 13; ++b)
      for (unsigned c = 0; c <= 13; ++c) {
        if (a + b + c < 3 || a + b + c > 16) continue;
        const unsigned d = 16 - a - b - c;
        sum += choose13(a) * choose13(b) * choose13(c) * choose13(d);
        split(a | b << 4 | c << 8 | d << 12, sum);
      }
}

void build_splits(ShuffleTables& tables) {
  Wide all = 0;
  for_each_split([&](unsigned, Wide sum) { all = sum; });
  std::uint64_t below = 0;  // first words that the splits before choose
  unsigned count = 0;
  for_each_split([&](unsigned split, Wide sum) {
    const auto limit = static_cast<std::uint64_t>((sum << 32) / all);
    if (limit == below) return;
    tables.last_word[count] = static_cast<std::uint32_t>(limit - 1);
    tables.split[count++] = static_cast<std::uint16_t>(split);
    below = limit;
  });
  unsigned at = 0;
  for (std::uint32_t g = 0; g < (1u << ShuffleTables::kGuideBits); ++g) {
    while (tables.last_word[at] < g << (32 - ShuffleTables::kGuideBits)) ++at;
    tables.guide[g] = static_cast<std::uint16_t>(at);
  }
}

void build_patterns(ShuffleTables& tables) {
  unsigned at = 0;
  for (unsigned ones = 0; ones <= 13; ++ones) {
    const unsigned first = at;
    for (std::uint32_t x = 0; x < (1u << 13); ++x)
      if (std::popcount(x) == static_cast<int>(ones))
        tables.quarter[at++] = static_cast<std::uint16_t>(x);
    tables.quarter_of[ones] = (at - first) | first << 16;
  }
  at = 0;
  for (std::uint32_t x = 0; x < (1u << 16); ++x)
    if (std::popcount(x) == 8) tables.high[at++] = static_cast<std::uint16_t>(x);
  at = 0;
  for (std::uint32_t x = 0; x < (1u << 8); ++x)
    if (std::popcount(x) == 4) tables.low[at++] = static_cast<std::uint8_t>(x);
}

void build_ranks(ShuffleTables& tables) {
  for (std::uint32_t index = 0; index < (1u << 16); ++index) {
    const std::uint32_t high = index >> 8;
    std::uint32_t ace = index & 0xff, queen = ace >> std::popcount(high), ranks = 0;
    for (unsigned court = 0; court < 8; ++court) {
      std::uint32_t& low = high >> court & 1 ? ace : queen;
      ranks |= (2 * (high >> court & 1) + (low & 1)) << 2 * court;
      low >>= 1;
    }
    tables.ranks[index] = static_cast<std::uint16_t>(ranks);
  }
}

}  // namespace

const ShuffleTables& shuffle_tables() {
  static const std::unique_ptr<const ShuffleTables> tables = [] {
    auto built = std::make_unique<ShuffleTables>();
    build_splits(*built);
    build_patterns(*built);
    build_ranks(*built);
    return built;
  }();
  return *tables;
}

}  // namespace ratchet::bmn
