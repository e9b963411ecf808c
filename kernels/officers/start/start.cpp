#include "kernels/officers/start/start.h"

#include <algorithm>
#include <mutex>

#include "kernels/contract/preparing_stage.h"

namespace ratchet::officers {
namespace {

/// `known` cut back to `start`, by values: sums and digests do not go backwards.
State first_part(const State& known, std::uint64_t start) {
  State state = initial_state(known.reach);
  std::vector<std::uint16_t> values(start);
  for (std::uint64_t n = 0; n < start; ++n) values[n] = static_cast<std::uint16_t>(known.value(n));
  state.append(values);
  return state;
}

/// `known` further, to `start`.
State extended(State known, std::uint64_t start) {
  constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 26;
  while (known.next < start) {
    // A launch is worth its tables for many values alone.
    const bool device = start - known.next >= std::uint64_t{1} << 20;
    const OfficersStage& by = fastest_stage(known, device);
    const std::uint64_t first_common = std::max(kCommonFrom, known.next + 1) - known.next;
    const std::uint64_t count = known.next < kCommonFrom
                                    ? std::min(start - known.next, first_common)
                                    : std::min(start - known.next, kMostAtOnce);
    const auto run = by.prepare_run(by.defaults().set("count", count), known);
    run->run();
    known = state_after(std::move(known), run->collect());
  }
  return known;
}

}  // namespace

const OfficersStage& fastest_stage(const State& state, bool device) {
  const auto* on_device =
      dynamic_cast<const OfficersStage*>(find_preparing_stage("officers/cuda/11_lean_front"));
  if (device && on_device && on_device->availability().ok && on_device->takes(state))
    return *on_device;
  return *dynamic_cast<const OfficersStage*>(find_preparing_stage("officers/cpu/07_simd"));
}

State state_at(std::uint64_t start) {
  static std::mutex mutex;
  static State known = initial_state(kept_at_either_end);
  const std::lock_guard lock(mutex);
  if (start < known.next) {
    if (start <= kept_at_either_end) return first_part(known, start);
    known = first_part(known, kept_at_either_end);
  }
  known = extended(std::move(known), start);
  return known;
}

}  // namespace ratchet::officers
