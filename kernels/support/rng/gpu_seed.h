// Seeding for generators that run on host and device alike.
#pragma once

#include <cstdint>

#include "kernels/support/counter_stream.h"

namespace ratchet {

/// The finalizer of splitmix64: a bijection of 64 bits with full avalanche.
RATCHET_HD constexpr std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// The seed of the `run`-th run of an instance seeded with `seed`. Seeds of different runs are
/// unrelated: `seed + thread` of two runs overlap when seeds come from the clock.
RATCHET_HD constexpr std::uint64_t run_seed(std::uint64_t seed, std::uint64_t run) {
  return mix64(mix64(seed) + run * 0x9E3779B97F4A7C15ull);
}

}  // namespace ratchet
