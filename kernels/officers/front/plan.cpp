#include "kernels/officers/front/plan.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/officers/simd/simd.h"
#include "kernels/officers/values/compressed.h"
#include "kernels/support/error.h"

namespace ratchet::officers::front {
namespace {

std::vector<std::uint32_t> words_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

/// The place of head position n in the order of verification.
std::uint64_t place(std::uint64_t n) {
  return n < kDescendingHead ? kDescendingHead - 1 - n : kHead - 1 - n + kDescendingHead;
}

}  // namespace

bool can_launch(const State& state) {
  return state.next >= kCommonFrom && !state.late_rare() && state.tail.size() >= kKeep &&
         state.head.size() >= kHead;
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
  for (std::size_t i = 0; i < bytes.size(); ++i)
    values[i] = static_cast<std::uint16_t>(uncompress(bytes[i], false));
  if (undecided.empty()) return values;
  std::sort(undecided.begin(), undecided.end());
  State state = from;
  for (const std::uint32_t at : undecided) {
    for (std::uint64_t i = state.next - from.next; i < at; ++i) state.append(values[i]);
    const std::uint32_t value = exact_value(state, work.verifying);
    ++work.exact;
    if (value == values[at]) continue;
    if (!is_rare(value))
      throw Error("officers: position " + std::to_string(state.next) + " has the value " +
                  std::to_string(value) + ", and the kernel computed " +
                  std::to_string(values[at]) + ": a fault of the program or of the device");
    // A discovery. What was computed after it did not know of it.
    values.resize(at);
    SimdValues anew(state);
    const std::vector<std::uint16_t> rest = anew.compute(bytes.size() - at);
    values.insert(values.end(), rest.begin(), rest.end());
    break;
  }
  return values;
}

void check_control(const Control& control, std::uint64_t start) {
  const char* const roles[] = {"no block", "the front", "a preparing block", "a verifying block"};
  const std::uint32_t role = std::min<std::uint32_t>(control.role, 3);
  switch (static_cast<Reason>(control.stop)) {
    case Reason::none:
      break;
    case Reason::waited_too_long:
      throw Error(std::string("officers: ") + roles[role] +
                  " waited too long for block of values " + std::to_string(control.at) +
                  " after position " + std::to_string(start) +
                  "; the launch was ended and nothing of it is kept: run it again, and report it");
    case Reason::value_too_large:
      throw Error("officers: the value of position " + std::to_string(start + control.at) +
                  " is 512 or more and does not fit a byte: a discovery; all before it are right");
  }
  if (control.undecided > kMostUndecided)
    throw Error("officers: " + std::to_string(control.undecided) + " positions after " +
                std::to_string(start) + " could not be verified on the device, more than the " +
                std::to_string(kMostUndecided) + " that are kept: run fewer values at a time");
}

}  // namespace ratchet::officers::front
