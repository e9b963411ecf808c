// The states of graveler/cuda/01_xoshiro, worked out from the rolls that it shows.
//
// At bit 0 xoshiro256+ is linear: an output's lowest bit is the sum of two bits of the state, and a
// step is a matrix. A roll of bit 0 that is a one says of two outputs that their lowest bits are
// ones: two equations over GF(2). Some three hundred leave no more than one state of 256 bits, and
// the states of threads then show what no statistic of rolls would: words that threads share.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "correctness/graveler/checks/checks.h"
#include "kernels/support/rng/gpu_seed.h"
#include "kernels/support/rng/xoshiro256plus.h"

namespace ratchet::graveler {
namespace {

constexpr std::size_t kBits = 256;
constexpr unsigned kPairs = 4;  ///< of outputs a battle
using Combination = std::bitset<kBits>;  ///< of bits of the first state
using State = std::array<std::uint64_t, 4>;

/// What the lowest bits of the first outputs are sums of.
std::vector<Combination> lowest_bits(std::size_t outputs) {
  std::array<std::array<Combination, 64>, 4> s;
  for (std::size_t word = 0; word < 4; ++word)
    for (std::size_t bit = 0; bit < 64; ++bit) s[word][bit].set(64 * word + bit);
  const auto add = [](auto& to, const auto& from) {
    for (std::size_t bit = 0; bit < 64; ++bit) to[bit] ^= from[bit];
  };
  std::vector<Combination> lowest;
  while (lowest.size() < outputs) {
    lowest.push_back(s[0][0] ^ s[3][0]);
    std::array<Combination, 64> shifted;
    for (std::size_t bit = 17; bit < 64; ++bit) shifted[bit] = s[1][bit - 17];
    add(s[2], s[0]);
    add(s[3], s[1]);
    add(s[1], s[2]);
    add(s[0], s[3]);
    add(s[2], shifted);
    const auto before = s[3];
    for (std::size_t bit = 0; bit < 64; ++bit) s[3][(bit + 45) % 64] = before[bit];
  }
  return lowest;
}

/// Sums that are one, brought into a form in which each has a bit of its own.
class Equations {
 public:
  /// False where it contradicts those before.
  bool add(Combination sum, bool value) {
    for (std::size_t bit = 0; bit < kBits; ++bit) {
      if (!sum[bit]) continue;
      const auto known = of_.find(bit);
      if (known == of_.end()) {
        of_[bit] = {sum, value};
        return true;
      }
      sum ^= known->second.first;
      value ^= known->second.second;
    }
    return !value;
  }
  /// Nothing while several states satisfy them.
  std::optional<State> solution() const {
    if (of_.size() < kBits) return std::nullopt;
    Combination bits;
    for (auto equation = of_.rbegin(); equation != of_.rend(); ++equation) {
      const auto& [bit, sum] = *equation;
      bits[bit] = sum.second ^ ((sum.first & bits).count() % 2 == 1);
    }
    State state{};
    for (std::size_t bit = 0; bit < kBits; ++bit)
      state[bit / 64] |= std::uint64_t{bits[bit]} << bit % 64;
    return state;
  }

 private:
  std::map<std::size_t, std::pair<Combination, bool>> of_;  ///< by the lowest bit of the sum
};

/// The state of which these are the rolls at bit 0, four a battle; nothing where there is none, or
/// several.
std::optional<State> state_of(const std::vector<bool>& rolls,
                              const std::vector<Combination>& lowest) {
  Equations equations;
  for (std::size_t i = 0; i < rolls.size(); ++i)
    for (const std::size_t output : {2 * i, 2 * i + 1})
      if (rolls[i] && !equations.add(lowest[output], true)) return std::nullopt;
  return equations.solution();
}

/// Rolls at bit 0 of a group's battles.
std::vector<bool> lowest_rolls(const Trace& trace, std::uint32_t group) {
  std::vector<bool> rolls;
  for (std::uint32_t round = 0; round < trace.rounds; ++round) {
    const std::size_t entry = std::size_t{group} * trace.rounds + round;
    for (unsigned pair = 0; pair < kPairs; ++pair)
      rolls.push_back(trace.outcome[entry * trace.words_per_battle + 2 * pair] & 1);
  }
  return rolls;
}

std::vector<bool> lowest_rolls(Xoshiro256Plus words, std::size_t count) {
  std::vector<bool> rolls;
  while (rolls.size() < count) {
    const std::uint64_t first = words.next64();
    rolls.push_back(first & words.next64() & 1);
  }
  return rolls;
}

TEST(XoshiroStates, AreFoundAgain) {
  constexpr std::size_t kRolls = 900;
  const auto lowest = lowest_bits(2 * kRolls);
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    const State state{mix64(seed), mix64(~seed), mix64(7 * seed), seed};
    auto rolls = lowest_rolls(Xoshiro256Plus(state[0], state[1], state[2], state[3]), kRolls);
    EXPECT_EQ(state_of(rolls, lowest), state);
    std::vector<bool> other = rolls;
    *std::find(other.begin() + static_cast<std::ptrdiff_t>(50 * seed), other.end(), false) = true;
    EXPECT_FALSE(state_of(other, lowest)) << "a roll that it does not show";
    rolls.resize(100);
    EXPECT_FALSE(state_of(rolls, lowest)) << "a hundred rolls cannot tell";
  }
}

TEST(XoshiroStates, ThreadsShareNoWord) {
  const auto* stage = dynamic_cast<const GravelerStage*>(find_stage("graveler/cuda/01_xoshiro"));
  if (!stage) GTEST_SKIP() << "graveler/cuda/01_xoshiro is not in this build";
  if (const Availability available = stage->availability(); !available.ok)
    GTEST_SKIP() << available.reason;
  constexpr std::uint32_t kThreads = 256, kRounds = 250;
  const std::uint32_t shown = own_trace(*stage, 91, {kThreads, 1}).groups;  // a block at least
  const Trace trace = own_trace(*stage, 91, {kThreads, std::uint64_t{kRounds} * shown});
  ASSERT_GE(trace.groups, kThreads);
  const auto lowest = lowest_bits(2 * std::size_t{kPairs} * trace.rounds);
  std::set<std::uint64_t> words, differences;
  State before{};
  for (std::uint32_t group = 0; group < kThreads; ++group) {
    const auto state = state_of(lowest_rolls(trace, group), lowest);
    ASSERT_TRUE(state) << "thread " << group << " rolls by no state of xoshiro256+";
    for (std::size_t i = 0; i < state->size(); ++i) {
      EXPECT_TRUE(words.insert((*state)[i]).second) << "word " << i << " of thread " << group;
      EXPECT_TRUE(differences.insert((*state)[i] ^ before[i]).second)
          << "difference of word " << i << " of threads " << group - 1 << " and " << group;
    }
    before = *state;
  }
}

}  // namespace
}  // namespace ratchet::graveler
