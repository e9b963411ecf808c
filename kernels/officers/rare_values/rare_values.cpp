#include "kernels/officers/rare_values/rare_values.h"

#include <algorithm>
#include <array>
#include <string>

#include "kernels/officers/values/compressed.h"
#include "perf/support/error.h"

namespace ratchet::officers {
std::vector<std::uint16_t> whole_values(const State& state) {
  if (state.head.size() < state.next)
    throw Error("officers: this stage needs all " + std::to_string(state.next) +
                " values before its start, and the state keeps the first " +
                std::to_string(state.head.size()) + ": use a stage that does with the last ones");
  std::vector<std::uint16_t> values(state.next);
  for (std::uint64_t n = 0; n < state.next; ++n)
    values[n] = static_cast<std::uint16_t>(uncompress(state.head[n], false));
  for (const Rare& rare : state.rares)
    values[rare.position] = static_cast<std::uint16_t>(rare.value);
  return values;
}

RareValues::RareValues(const State& from) : values_(whole_values(from)) {
  for (const Rare& rare : from.rares)
    rares_.push_back({rare.position, static_cast<std::uint16_t>(rare.value)});
}

void RareValues::cut(std::uint64_t size) {
  values_.resize(size);
  while (!rares_.empty() && rares_.back().position >= size) rares_.pop_back();
}

std::uint16_t RareValues::next(Work& work) {
  const std::uint64_t n = values_.size();
  std::array<std::uint8_t, kValues> seen{};
  for (const At& rare : rares_) seen[rare.value ^ values_[n - 1 - rare.position]] = 1;
  work.options += rares_.size();
  std::uint32_t candidate = 0, missing = 0;
  for (; candidate < kValues; ++candidate) {
    if (seen[candidate]) continue;
    if (!is_rare(candidate)) break;
    ++missing;
  }
  if (n < 2) missing = candidate = 0;
  std::uint64_t i = 0;
  for (; missing > 0 && i <= n - 1 - i; ++i) {
    const std::uint32_t value = values_[i] ^ values_[n - 1 - i];
    missing -= value < candidate && !seen[value];
    seen[value] = 1;
  }
  work.verifying += i, work.deepest = std::max(work.deepest, i);
  if (missing > 0) {  // a new rare value
    candidate = 0;
    while (candidate < kValues && seen[candidate]) ++candidate;
  }
  if (candidate >= kValues)
    throw Error("officers: the value of position " + std::to_string(n) +
                " is 512 or more and does not fit a byte: a discovery; all before it are right");
  if (is_rare(candidate)) rares_.push_back({n, static_cast<std::uint16_t>(candidate)});
  values_.push_back(static_cast<std::uint16_t>(candidate));
  return values_.back();
}

}  // namespace ratchet::officers
