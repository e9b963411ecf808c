#include "correctness/graveler/checks/ring15/parities.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "correctness/graveler/checks/ring15/schedule.h"
#include "kernels/graveler/cage/cage.h"
#include "perf/support/error.h"

namespace ratchet::graveler {
namespace {

/// Bit j of word i becomes bit i of word j, in every lane.
void transpose(std::array<Lanes, 32>& words) {
  std::uint32_t mask = 0x0000ffff;
  for (unsigned half = 16; half != 0; half /= 2, mask ^= mask << half)
    for (unsigned i = 0; i < 32; i = (i + half + 1) & ~half)
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        std::uint32_t &low = words[i][lane], &high = words[i + half][lane];
        const std::uint32_t swap = (low >> half ^ high) & mask;
        low ^= swap << half;
        high ^= swap;
      }
}

/// Hands every window's words to `use`, of kLanes streams side by side.
template <class Use>
void play(const RingSchedule& schedule, const std::vector<WordDifference>& differences,
          const Sample& sample, Use use) {
  unsigned rounds = 1;
  for (const WordDifference& d : differences) rounds = std::max(rounds, d.round + 1);
  RingLanes ring(schedule, sample.seed);
  std::vector<Lanes> pool(std::size_t{rounds} * kCageWords);
  for (std::uint64_t done = 0; done < sample.windows; done += kLanes) {
    for (unsigned round = 0; round < rounds; ++round) ring.round(&pool[round * kCageWords]);
    use(pool);
  }
}

}  // namespace

std::vector<WordDifference> independent_differences(const RollWords& rolls) {
  // Words that sums of the differences so far connect: a difference within a set is such a sum.
  std::vector<unsigned> set;
  const auto root = [&set](unsigned word) {
    while (set[word] != word) word = set[word];
    return word;
  };
  std::vector<WordDifference> kept;
  for (const RollWord& roll : rolls)
    for (const unsigned which : {0u, 1u}) {
      const unsigned first = roll.round * kCageWords;
      const unsigned a = first + cage_word(roll.outcome, which),
                     b = first + cage_word(roll.outcome, which + 1);
      while (set.size() <= std::max(a, b)) set.push_back(static_cast<unsigned>(set.size()));
      if (root(a) == root(b)) continue;
      set[root(a)] = root(b);
      kept.push_back({a, b, roll.round, roll.outcome});
    }
  return kept;
}

std::vector<std::vector<std::int32_t>> count_differences(
    const RingSchedule& schedule, const std::vector<WordDifference>& differences,
    const std::vector<unsigned>& bits, const Sample& sample) {
  if (differences.size() > kMostDifferences)
    throw Error(fmt::format("{} differences are too many to count together, at most {}",
                            differences.size(), kMostDifferences));
  std::vector<std::vector<std::int32_t>> counts(
      bits.size(), std::vector<std::int32_t>(std::size_t{1} << differences.size()));
  std::array<Lanes, 32> shown{};
  play(schedule, differences, sample, [&](const std::vector<Lanes>& pool) {
    for (std::size_t k = 0; k < 32; ++k)
      for (unsigned lane = 0; lane < kLanes; ++lane)
        shown[k][lane] = k < differences.size()
                             ? pool[differences[k].a][lane] ^ pool[differences[k].b][lane]
                             : 0;
    transpose(shown);
    for (std::size_t i = 0; i < bits.size(); ++i)
      for (const std::uint32_t index : shown[bits[i]]) ++counts[i][index];
  });
  return counts;
}

Parity measure_parity(const RingSchedule& schedule, const std::vector<WordDifference>& differences,
                      std::uint32_t mask, unsigned bit, const Sample& sample) {
  std::uint64_t odd = 0, samples = 0;
  play(schedule, differences, sample, [&](const std::vector<Lanes>& pool) {
    Lanes parity{};
    for (std::size_t k = 0; k < differences.size(); ++k)
      for (unsigned lane = 0; lane < kLanes && (mask >> k & 1) != 0; ++lane)
        parity[lane] ^= pool[differences[k].a][lane] ^ pool[differences[k].b][lane];
    for (const std::uint32_t lane : parity) odd += lane >> bit & 1;
    samples += kLanes;
  });
  const auto n = static_cast<double>(samples);
  return {mask, (n - 2 * static_cast<double>(odd)) / std::sqrt(n)};
}

void walsh_transform(std::vector<std::int32_t>& values) {
  // Halves first, so that the small transforms, which are most of the work, stay in the cache.
  const auto transform = [](const auto& self, std::span<std::int32_t> part) -> void {
    const std::size_t half = part.size() / 2;
    if (half == 0) return;
    for (std::size_t i = 0; i < half; ++i) {
      const std::int32_t low = part[i], high = part[half + i];
      part[i] = low + high;
      part[half + i] = low - high;
    }
    self(self, part.first(half));
    self(self, part.last(half));
  };
  transform(transform, values);
}

std::vector<Parity> leaning_parities(std::vector<std::int32_t> counts, double z, std::size_t most) {
  double samples = 0;
  for (const std::int32_t count : counts) samples += count;
  walsh_transform(counts);
  const double deviation = std::sqrt(samples);
  std::vector<Parity> leaning;
  Parity worst;
  for (std::uint32_t mask = 1; mask < counts.size(); ++mask) {
    const Parity parity{mask, counts[mask] / deviation};
    if (std::abs(parity.z) > std::abs(worst.z)) worst = parity;
    if (std::abs(parity.z) > z) leaning.push_back(parity);
  }
  if (leaning.empty()) return {worst};
  std::sort(leaning.begin(), leaning.end(),
            [](const Parity& a, const Parity& b) { return std::abs(a.z) > std::abs(b.z); });
  if (leaning.size() > most) leaning.resize(most);
  return leaning;
}

}  // namespace ratchet::graveler
