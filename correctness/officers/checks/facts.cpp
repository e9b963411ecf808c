#include "correctness/officers/checks/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <numeric>

#include "correctness/officers/checks/oracle.h"
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

Places places_of(const std::vector<std::uint16_t>& values, std::uint64_t near, std::uint64_t from,
                 std::uint64_t to, std::uint64_t step) {
  Places places;
  for (std::uint64_t n = from; n < to; n += step) {
    std::bitset<kValues> seen;
    for (const Rare& rare : oracle_rares())
      if (rare.position >= near) seen.set(rare.value ^ values[n - 1 - rare.position]);
    std::uint64_t place = 1;
    for (std::uint32_t value = 0; value < values[n]; ++value)
      place += !is_rare(value) && !seen[value];
    ++places.values;
    places.beyond_first += place > 1, places.beyond_third += place > 3;
    places.last = std::max(places.last, place);
  }
  return places;
}

std::vector<std::uint64_t> sums_of(const std::vector<std::uint16_t>& values,
                                   std::uint64_t descending, std::uint64_t from, std::uint64_t to,
                                   std::uint64_t step) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t n = from; n < to; n += step) {
    std::bitset<kValues> seen;
    std::uint32_t missing = 0;
    for (std::uint32_t value = 0; value < values[n]; ++value) missing += is_rare(value);
    std::uint64_t sums = 0;
    for (; missing > 0 && sums < n; ++sums) {
      const std::uint64_t head = sums < descending ? descending - 1 - sums : sums;
      const std::uint32_t value = values[head] ^ values[n - 1 - head];
      missing -= is_rare(value) && value < values[n] && !seen[value];
      seen.set(value);
    }
    all.push_back(sums);
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string rounds_table(const std::vector<std::uint16_t>& values) {
  std::string text =
      "# Blocks of so many values from position 65536 on: evaluations until none changes, the "
      "first\n"
      "# guess not counted; per cent of blocks that are right after so many evaluations.\n"
      "block\trounds";
  for (int k = 1; k <= 12; ++k) text += fmt::format("\tright_{}", k);
  text += "\n";
  for (const std::uint64_t block : {128, 256, 512, 1024, 2048}) {
    const auto blocks = static_cast<double>(65536 / block);
    const Rounds rounds = rounds_of(values, 65536, block, 65536 / block);
    text += fmt::format("{}\t{:.2f}", block, static_cast<double>(rounds.total) / blocks);
    std::uint64_t right = 0;
    for (std::size_t k = 1; k <= 12; ++k) {
      right += rounds.after[k];
      text += fmt::format("\t{:.1f}", 100 * static_cast<double>(right) / blocks);
    }
    text += "\n";
  }
  return text;
}

std::string places_table(const std::vector<std::uint16_t>& values) {
  std::string text =
      "# Every third of positions 60000 to 131071: where the value is among those that are left "
      "when\n"
      "# options of rare positions below `near` are left out; per cent, and the last place.\n"
      "near\tnot_first\tnot_first_three\tlast\n";
  for (const std::uint64_t near : {128, 256, 384, 512, 768, 1024}) {
    const Places places = places_of(values, near, 60000, 131072, 3);
    const double each = 100 / static_cast<double>(places.values);
    text += fmt::format("{}\t{:.2f}\t{:.3f}\t{}\n", near,
                        each * static_cast<double>(places.beyond_first),
                        each * static_cast<double>(places.beyond_third), places.last);
  }
  return text;
}

std::string sums_table(const std::vector<std::uint16_t>& values) {
  std::string text =
      "# Every second of positions 115000 to 131071: sums until a value is verified, heads taken "
      "from\n"
      "# below `descending` down to 0, then up.\n"
      "descending\tmean\tmedian\tper_cent_99\tmost\n";
  for (const std::uint64_t descending : {0, 2048, 4096, 8192, 16384}) {
    const auto sums = sums_of(values, descending, 115000, 131072, 2);
    const std::uint64_t total = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", descending, total / sums.size(),
                        sums[sums.size() / 2], sums[sums.size() * 99 / 100], sums.back());
  }
  return text;
}

}  // namespace ratchet::officers
