// A start that makes a rare value: real values, some of them changed so that no split of one
// position gives a certain rare value.
#pragma once

#include "correctness/officers/checks/oracle.h"
#include "kernels/officers/values/compressed.h"

namespace ratchet::officers {

/// A state before position `next` whose position `position`, soon after, has a rare value: values
/// of common positions from 20628 up that would, with their partners, sum to `rare` are others.
/// What the game's values are does not matter: the recurrence goes on from any start.
inline State planted_state(std::uint64_t position, std::uint32_t rare,
                           std::uint64_t next = 120000) {
  std::vector<std::uint32_t> values(oracle_values().begin(),
                                    oracle_values().begin() + static_cast<std::ptrdiff_t>(next));
  for (std::uint64_t i = 0; i <= position - 1 - i; ++i) {
    const std::uint64_t other = position - 1 - i;
    if (other >= next || (values[i] ^ values[other]) != rare) continue;
    std::uint32_t& changed = is_rare(values[other]) ? values[i] : values[other];
    if (is_rare(changed)) continue;
    changed ^= 0b110;  // common still, and another sum
  }
  State state = initial_state(std::uint64_t{1} << 20);
  for (const std::uint32_t value : values) state.append(value);
  return state;
}

/// A state before position 120000. Its next value is none of the first 20 that options of rare
/// positions from `near` on leave: nearer values are changed so that their options exclude those.
inline State far_value_state(std::uint64_t near) {
  constexpr std::uint64_t kNext = 120000;
  std::vector<std::uint32_t> values(oracle_values().begin(), oracle_values().begin() + kNext);
  std::vector<bool> seen(kValues);
  for (const Rare& rare : oracle_rares())
    if (rare.position >= near) seen[rare.value ^ values[kNext - 1 - rare.position]] = true;
  std::size_t next = 0;
  for (std::uint32_t value = 0; value < kValues && next < 20; ++value) {
    if (is_rare(value) || seen[value]) continue;
    const Rare& with = oracle_rares()[next++];
    values[kNext - 1 - with.position] = with.value ^ value;
  }
  State state = initial_state(std::uint64_t{1} << 20);
  for (const std::uint32_t value : values) state.append(value);
  return state;
}

/// A state before position `next`, little more than kCommonFrom. Its next values are 2, 3, 4, 2 ...
/// by the two before each. Its rare value 1 is a sum of the last heaps that verification from
/// either end reaches. So a stage that ends verification a little earlier finds other values.
inline State late_sum_state(std::uint64_t next) {
  std::vector<std::uint16_t> values(next,
                                    8);  // common; its sums with 2, 3 and 4 are rare, and none is 1
  values[0] = values[1] = values[20'000] =
      0;                  // rare, and one far enough to be no neighbour's option
  values[kLastRare] = 9;  // common; with 8 it is 1
  State state = initial_state(std::uint64_t{1} << 20);
  state.append(values);
  return state;
}

/// A state that keeps the first and the last values alone. Its next value cannot be verified: no
/// sum of two kept values gives the rare value 1, which is less than any common one.
inline State forgetful_state() {
  // A few more than where the tail is cut: as little is kept as ever is.
  constexpr std::uint64_t kReach = kLeastReach, kNext = 3 * kReach + 1000;
  std::vector<std::uint16_t> values(kNext);
  for (std::uint64_t n = 0; n < kNext; ++n)
    values[n] = oracle_values()[n < 2 * kReach ? n : kReach + n % kReach];
  for (std::uint64_t i = 0; i < kReach; ++i) {
    std::uint16_t& partner = values[kNext - 1 - i];  // common, as all so far out
    if ((values[i] ^ partner) == 1) partner ^= 0b110;
  }
  State state = initial_state(kReach);
  state.append(values);
  return state;
}

/// A state before position 120000 whose next value is 512. Partners of rare positions are changed
/// so that their sums are all common values. Partners of others are changed so that theirs are all
/// rare ones.
inline State too_large_state() {
  constexpr std::uint64_t kNext = 120000;
  std::vector<std::uint32_t> values(oracle_values().begin(), oracle_values().begin() + kNext);
  std::size_t rare = 0;
  std::uint64_t other = 30000;
  for (std::uint32_t value = 0; value < kValues; ++value) {
    if (is_rare(value)) {
      values[kNext - 1 - other] = values[other] ^ value;
      ++other;
    } else {
      const Rare& with = oracle_rares()[rare++];
      values[kNext - 1 - with.position] = with.value ^ value;
    }
  }
  State state = initial_state(std::uint64_t{1} << 20);
  for (const std::uint32_t value : values) state.append(value);
  return state;
}

}  // namespace ratchet::officers
