#include "correctness/officers/rounds.h"

#include <algorithm>
#include <bitset>

#include "correctness/officers/oracle.h"
#include "kernels/officers/values/compressed.h"

namespace ratchet::officers {
namespace {

using Seen = std::bitset<256>;

std::uint8_t lowest(const Seen& seen) {
  std::uint32_t byte = 0;
  while (byte < 255 && seen[byte]) ++byte;
  return static_cast<std::uint8_t>(byte);
}

struct ByteRare {
  std::uint64_t position;
  std::uint8_t byte;
};

/// Evaluations until the block at `first` is right, and one more that shows it.
std::uint64_t evaluations(const std::vector<std::uint16_t>& values, std::uint64_t first,
                          std::uint64_t block, const std::vector<ByteRare>& rares) {
  std::vector<Seen> known(block);
  std::vector<std::uint8_t> now(block), before;
  for (std::uint64_t i = 0; i < block; ++i) {
    for (const ByteRare& rare : rares)
      if (rare.position >= i)
        known[i].set(compress(values[first + i - 1 - rare.position]) ^ rare.byte);
    now[i] = lowest(known[i]);
  }
  for (std::uint64_t count = 1;; ++count) {
    before = now;
    for (std::uint64_t i = 0; i < block; ++i) {
      Seen seen = known[i];
      for (const ByteRare& rare : rares) {
        if (rare.position >= i) break;
        seen.set(before[i - 1 - rare.position] ^ rare.byte);
      }
      now[i] = lowest(seen);
    }
    if (now == before) return count;
  }
}

}  // namespace

Rounds rounds_of(const std::vector<std::uint16_t>& values, std::uint64_t start, std::uint64_t block,
                 std::uint64_t blocks) {
  std::vector<ByteRare> rares;
  for (const Rare& rare : oracle_rares()) rares.push_back({rare.position, compress(rare.value)});
  Rounds rounds;
  for (std::uint64_t k = 0; k < blocks; ++k) {
    const std::uint64_t count = evaluations(values, start + k * block, block, rares);
    ++rounds.after[std::min<std::uint64_t>(count, rounds.after.size() - 1)];
    rounds.total += count;
  }
  return rounds;
}

}  // namespace ratchet::officers
