#include "correctness/graveler/checks/ring15/schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <sstream>

#include "kernels/contract/parameters.h"
#include "kernels/graveler/cage/cage.h"
#include "kernels/graveler/cage/cuda_cage_layout.h"
#include "perf/support/error.h"

namespace ratchet::graveler {
namespace {

using List = std::array<std::uint8_t, Ring15::kRound>;

List parse_list(const std::string& text, const std::string& name, unsigned below) {
  List list{};
  std::size_t size = 0;
  std::istringstream entries(text);
  for (std::string entry; std::getline(entries, entry, ','); ++size) {
    const std::uint64_t value = parse_unsigned(entry, name);
    if (value >= below)
      throw Error(fmt::format("{}: entry {} is {}, give 0 to {}", name, size, value, below - 1));
    if (size < list.size()) list[size] = static_cast<std::uint8_t>(value);
  }
  if (size != list.size())
    throw Error(fmt::format("{}: {} entries, a round has {}", name, size, list.size()));
  return list;
}

template <class Ring>
RingSchedule schedule_of() {
  RingSchedule schedule;
  for (unsigned n = 0; n < Ring15::kRound; ++n) {
    schedule.tap[n] = static_cast<std::uint8_t>(Ring::tap(n));
    schedule.rotation[n] = static_cast<std::uint8_t>(Ring::rotation(n));
  }
  return schedule;
}

}  // namespace

RingSchedule shipped_schedule() { return schedule_of<Ring15>(); }
RingSchedule rows_schedule() { return schedule_of<Ring15Rows>(); }

RingSchedule sampled_schedule() {
  return {{9,  13, 8, 13, 12, 0, 3, 4,  14, 8,  1,  5, 13, 5,  7, 14, 0, 1,  14, 11, 9, 5, 4,
           13, 7,  1, 13, 4,  9, 1, 10, 11, 12, 14, 5, 14, 11, 9, 4,  1, 12, 2,  2,  7, 10},
          {17, 0, 10, 0, 0,  0,  27, 0, 0, 1,  13, 25, 6, 18, 30, 0, 23, 4, 0, 28, 0, 21, 0,
           14, 0, 7,  0, 31, 12, 0,  0, 0, 29, 10, 22, 3, 0,  27, 8, 0,  0, 0, 25, 0, 18}};
}

std::string text_of(const RingSchedule& schedule) {
  return fmt::format("taps      {}\nrotations {}", fmt::join(schedule.tap, ","),
                     fmt::join(schedule.rotation, ","));
}

RingSchedule chosen_schedule(const std::string& taps, const std::string& rotations,
                             const RingSchedule& otherwise) {
  if (taps.empty() && rotations.empty()) return otherwise;
  const RingSchedule schedule{parse_list(taps, "--taps", kRingWords),
                              parse_list(rotations, "--rotations", 32)};
  for (unsigned n = 0; n < Ring15::kRound; ++n)
    if (schedule.tap[n] == n % kRingWords)
      throw Error(fmt::format("--taps: step {} adds the word that it replaces", n));
  return schedule;
}

namespace {

/// Outcome words of a battle by lane, round 0.
template <class Where>
std::map<unsigned, RollWords> rolls_by_lane(unsigned battle, Where where) {
  std::map<unsigned, std::map<unsigned, std::uint32_t>> bits;
  for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
    const OutcomeBit at = where(battle, turn);
    bits[at.lane][at.outcome] |= 1u << at.bit;
  }
  std::map<unsigned, RollWords> rolls;
  for (const auto& [lane, outcomes] : bits)
    for (const auto& [outcome, mask] : outcomes) rolls[lane].push_back({0, outcome, mask});
  return rolls;
}

}  // namespace

std::vector<BattleRolls> rolls_of_shared_masks() {
  std::vector<BattleRolls> battles;
  for (unsigned battle = 0; battle < 4; ++battle)
    for (auto& [lane, words] : rolls_by_lane(battle, shared_masks_bit))
      battles.push_back(
          {fmt::format("battle {} of 05_shared_masks", battle), "05_shared_masks", words});
  return battles;
}

std::vector<BattleRolls> rolls_of_words_in_turn() {
  std::vector<BattleRolls> battles = rolls_of_shared_masks();
  for (unsigned battle = 0; battle < 4; ++battle)
    for (RollWord& word : battles[battle].words)
      if (word.bits == ~0u) word.outcome = word.outcome / 4 + 7 * battle;
  return battles;
}

std::vector<BattleRolls> rolls_of_tensor_count() {
  std::vector<BattleRolls> battles;
  for (const unsigned row : {0u, 8u})  // the lanes of rows 1 to 7 and 9 to 15 do what these do
    for (unsigned column = 0; column < 8; ++column)
      for (auto& [lane, words] : rolls_by_lane(8 * row + column, tensor_count_bit))
        battles.push_back(
            {fmt::format("battle {} of 06_tensor_count, lane {}", 8 * row + column, lane),
             fmt::format("06_tensor_count, lane {}", lane), words});
  return battles;
}

std::vector<Scope> scopes_of(const std::vector<BattleRolls>& battles) {
  std::vector<Scope> alone, together, successive;
  for (std::size_t i = 0; i < battles.size(); ++i) {
    alone.push_back({battles[i].name, battles[i].words, 1, false});
    for (std::size_t j = 0; j < battles.size(); ++j) {
      if (battles[i].stream != battles[j].stream) continue;
      const auto scope = [&](const char* with, unsigned rounds, bool neighbours) {
        return Scope{battles[i].name + with + battles[j].name,
                     battles[i].words + later(battles[j].words, rounds), 2, neighbours};
      };
      const bool around = i + 1 == battles.size() && j == 0;
      if (i < j) together.push_back(scope(" and ", 0, i + 1 == j));
      successive.push_back(scope(" and, a round later, ", 1, i == j || around));
    }
  }
  alone.insert(alone.end(), together.begin(), together.end());
  alone.insert(alone.end(), successive.begin(), successive.end());
  return alone;
}

RollWords whole_words(const RollWords& words) {
  RollWords whole;
  for (const RollWord& word : words)
    if (word.bits == ~0u) whole.push_back(word);
  return whole;
}

RollWords later(RollWords words, unsigned rounds) {
  for (RollWord& word : words) word.round += rounds;
  return words;
}

RollWords operator+(RollWords words, const RollWords& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

namespace {

// Of 32 rolls at one in four: 8 come up, with a variance of 6.
constexpr int kMean = 8;
constexpr double kVariance = 6;

// The portable build counts bits by a function and multiplies four lanes at a time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define RATCHET_WITH_AVX2 [[gnu::target_clones("avx2", "default")]]
#else
#define RATCHET_WITH_AVX2
#endif

/// By how many more rolls than expected each word comes up, a lane a stream.
using Deviations = std::array<std::array<std::int16_t, kLanes>, kCageOutcomes>;

RATCHET_WITH_AVX2 void deviations_of(const std::array<Lanes, kCageWords>& pool,
                                     Deviations& deviations) {
  for (unsigned y = 0; y < kCageOutcomes; ++y)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      deviations[y][lane] = static_cast<std::int16_t>(
          std::popcount(all_equal(pool[cage_word(y, 0)][lane], pool[cage_word(y, 1)][lane],
                                  pool[cage_word(y, 2)][lane])) -
          kMean);
}

using Sums = std::array<std::array<std::int64_t, kCageOutcomes>, kCageOutcomes>;

RATCHET_WITH_AVX2 void add_products(const Deviations& first, const Deviations& second, Sums& sums) {
  for (unsigned y = 0; y < kCageOutcomes; ++y)
    for (unsigned z = 0; z < kCageOutcomes; ++z) {
      std::int32_t sum = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane) sum += first[y][lane] * second[z][lane];
      sums[y][z] += sum;
    }
}

}  // namespace

std::vector<WordPair> pairs_that_scatter_together(const RingSchedule& schedule, std::uint64_t seed,
                                                  std::uint64_t rounds, double limit) {
  const auto sums = std::make_unique<std::array<Sums, kRoundsApart>>();
  std::array<double, kRoundsApart> products{};
  RingLanes ring(schedule, seed);
  std::array<Lanes, kCageWords> pool;
  std::array<Deviations, kRoundsApart> last{};  // of round r at r % kRoundsApart
  for (std::uint64_t round = 0; round < rounds / kLanes; ++round) {
    ring.round(pool.data());
    const Deviations& here = last[round % kRoundsApart];
    deviations_of(pool, last[round % kRoundsApart]);
    for (unsigned apart = 0; apart < std::min<std::uint64_t>(round + 1, kRoundsApart); ++apart) {
      add_products(last[(round - apart) % kRoundsApart], here, (*sums)[apart]);
      products[apart] += kLanes;
    }
  }
  std::vector<WordPair> found;
  for (unsigned apart = 0; apart < kRoundsApart; ++apart)
    for (unsigned y = 0; y < kCageOutcomes; ++y)
      for (unsigned z = apart == 0 ? y + 1 : 0; z < kCageOutcomes; ++z) {
        const double score =
            static_cast<double>((*sums)[apart][y][z]) / (kVariance * std::sqrt(products[apart]));
        if (std::abs(score) > limit) found.push_back({y, z, apart, score});
      }
  return found;
}

}  // namespace ratchet::graveler
