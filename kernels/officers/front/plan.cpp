#include "kernels/officers/front/plan.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "kernels/officers/front/near_rares.h"
#include "kernels/officers/simd/simd.h"
#include "kernels/officers/values/compressed.h"
#include "perf/support/error.h"

namespace ratchet::officers::front {
namespace {

std::vector<std::uint32_t> words_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

constexpr std::array<std::uint16_t, 256> kCommonValues = [] {
  std::array<std::uint16_t, 256> values{};
  for (std::uint32_t byte = 0; byte < 256; ++byte)
    values[byte] = static_cast<std::uint16_t>(uncompress(byte, false));
  return values;
}();

/// The place of head position n in the order of verification.
std::uint64_t place(std::uint64_t n) {
  return n < kDescendingHead ? kDescendingHead - 1 - n : kHead - 1 - n + kDescendingHead;
}

}  // namespace

bool can_launch(const State& state) {
  return state.next >= kCommonFrom && !state.late_rare() && state.tail.size() >= kKeep &&
         state.head.size() >= kHead && begins_as_the_game(state.rares, state.next) &&
         state.rares.size() <= kMostRares;
}

void require_launch(const std::string& stage, const State& state) {
  if (can_launch(state)) return;
  throw Error(stage + " starts at position " + std::to_string(kCommonFrom) +
              " or later, and where no rare position is beyond " + std::to_string(kLastRare) +
              ", after at most " + std::to_string(kMostRares) +
              " of them that begin as the game's: got " + std::to_string(state.next) + " and " +
              std::to_string(state.rares.size()) + "; officers/cpu/07_simd starts anywhere");
}

Tables make_tables(const State& state, std::uint32_t lookback) {
  Tables tables;
  tables.values.assign(state.tail.end() - kKeep, state.tail.end());
  std::vector<std::uint8_t> head(kHead), rare(kHead);
  for (std::uint64_t n = 0; n < kHead; ++n) head[place(n)] = state.head[n];
  for (auto at = state.rares.rbegin(); at != state.rares.rend(); ++at) {
    tables.rares.push_back(static_cast<std::uint32_t>(at->position << 8 | compress(at->value)));
    tables.far_rares += at->position >= lookback;
    if (at->position < kHead) rare[place(at->position)] = 0xff;
  }
  tables.head = words_of(head), tables.head_rare = words_of(rare);
  return tables;
}

std::vector<std::uint16_t> decide(const State& from, const std::vector<std::uint8_t>& bytes,
                                  std::vector<std::uint32_t> undecided, Work& work) {
  std::vector<std::uint16_t> values(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) values[i] = kCommonValues[bytes[i]];
  if (undecided.empty()) return values;
  std::sort(undecided.begin(), undecided.end());
  State state = from;
  for (const std::uint32_t at : undecided) {
    // At once: value by value it would take longer than the kernel took.
    const auto taken = static_cast<std::ptrdiff_t>(state.next - from.next);
    state.append(std::vector<std::uint16_t>(values.begin() + taken, values.begin() + at));
    const std::uint32_t value = exact_value(state, work.verifying);
    ++work.exact;
    if (value == values[at]) continue;
    if (!is_rare(value))
      throw Error("officers: position " + std::to_string(state.next) + " has the value " +
                  std::to_string(value) + ", and the kernel computed " +
                  std::to_string(values[at]) + ": a fault of the program or of the device");
    compute_anew(from, values, at, bytes.size());  // a discovery
    break;
  }
  return values;
}

}  // namespace ratchet::officers::front
