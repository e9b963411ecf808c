// One core's 64-bit integer operations: additions and exclusive ors in independent chains.
#include <cstdint>
#include <utility>

#include "perf/limits/cpu_rate.h"
#include "perf/limits/probes.h"
#include "perf/timing/machine/cpu_affinity.h"

namespace ratchet::limits {
namespace {

constexpr int kChains = 10;  // wider than any core issues; fits the 16 registers of x86-64
constexpr int kUnroll = 8;

/// Keeps a value in a register and unknown to the compiler, which would otherwise merge the
/// operations of a chain, or spread the chains over vector lanes.
inline void keep(std::uint64_t& value) { asm volatile("" : "+r"(value)); }

template <std::size_t... C>
void step(std::uint64_t (&x)[kChains], std::uint64_t a, std::index_sequence<C...>) {
  ((x[C] += a, keep(x[C])), ...);
  ((x[C] ^= a, keep(x[C])), ...);
}

void work(long iterations) {
  std::uint64_t x[kChains] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::uint64_t a = 0x9e3779b97f4a7c15u;
  keep(a);
  for (long i = 0; i < iterations; ++i) {
#pragma GCC unroll 8
    for (int u = 0; u < kUnroll; ++u) step(x, a, std::make_index_sequence<kChains>());
  }
}

}  // namespace

double cpu_scalar_ops_per_second() {
  const timing::CpuPin pin;
  return best_cpu_rate(work, 2.0 * kChains * kUnroll);
}

std::vector<Probe> cpu_probes() {
  return {{"cpu.scalar_ops", "64-bit operations of one core", "scalar add and xor",
           cpu_scalar_ops_per_second},
          {"cpu.vector_ops", "64-bit lane operations of one core", "vector add and xor",
           cpu_vector_ops_per_second},
          {"cpu.dram_bytes", "bytes", "memory copy by all CPUs, read + written",
           cpu_dram_bytes_per_second}};
}

}  // namespace ratchet::limits
