#include "kernels/officers/simd/simd.h"

#include <algorithm>

#include "kernels/officers/rare_values/rare_values.h"
#include "kernels/officers/simd/tables.h"
#include "kernels/officers/values/compressed.h"

namespace ratchet::officers {
namespace {

/// By the definition, until `state` is at `end`.
void append_exact(State& state, std::uint64_t end, std::vector<std::uint16_t>& out, Work& work) {
  for (; state.next < end; ++work.exact) {
    out.push_back(static_cast<std::uint16_t>(exact_value(state, work.verifying)));
    state.append(out.back());
  }
}

}  // namespace

void compute_anew(const State& from, std::vector<std::uint16_t>& values, std::uint64_t at,
                  std::uint64_t count) {
  State state = from;
  for (std::uint64_t i = 0; i < at; ++i) state.append(values[i]);
  values.resize(at);
  const std::vector<std::uint16_t> rest = SimdValues(state).compute(count - at);
  values.insert(values.end(), rest.begin(), rest.end());
}

SimdValues::SimdValues(const State& from) : from_(from) {}
SimdValues::~SimdValues() = default;

std::vector<std::uint16_t> SimdValues::compute(std::uint64_t count) {
  work_ = {};
  std::vector<std::uint16_t> out;
  out.reserve(count);
  State state = from_;
  const std::uint64_t end = state.next + count;
  if (state.next < kCommonFrom && state.next < end && !state.late_rare()) {
    RareValues first(state);
    while (state.next < std::min(end, kCommonFrom)) {
      out.push_back(first.next(work_));
      state.append(out.back());
    }
  }
  const std::uint64_t before = out.size();
  Tables bytes(state, end - state.next);
  while (state.next < end && !state.late_rare()) {
    const std::uint64_t done = out.size() - before;
    const std::uint64_t made = bytes.compute(done, count - out.size(), work_);
    for (std::uint64_t i = 0; i < made; ++i)
      out.push_back(static_cast<std::uint16_t>(uncompress(bytes.value(done + i), false)));
    if (out.size() == count) return out;
    for (std::uint64_t i = out.size() - made; i < out.size(); ++i) state.append(out[i]);
    append_exact(state, state.next + 1, out, work_);
    bytes.value(done + made) = compress(out.back());
  }
  append_exact(state, end, out, work_);
  return out;
}

}  // namespace ratchet::officers
