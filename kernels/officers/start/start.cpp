#include "kernels/officers/start/start.h"

#include <algorithm>
#include <mutex>

#include "kernels/officers/officers.h"
#include "kernels/officers/simd/simd.h"

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

}  // namespace

State state_at(std::uint64_t start) {
  static std::mutex mutex;
  static State known = initial_state(std::uint64_t{1} << 24);
  const std::lock_guard lock(mutex);
  if (start < known.next) return known.holds(0) ? first_part(known, start) : known;
  if (start > known.next) {
    SimdValues values(known);
    known = state_after(std::move(known), {known.next, values.compute(start - known.next), {}});
  }
  return known;
}

}  // namespace ratchet::officers
