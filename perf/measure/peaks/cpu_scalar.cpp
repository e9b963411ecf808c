// One core's instructions on 64-bit integers. Additions alone saturate only the scalar units. A
// core that also has vector or load units issues more of a mixture, and the counts of stages
// include all instructions. So the peak is the fastest of several mixtures.

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "perf/measure/peaks/probes.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::peaks {
namespace {

constexpr int kChains = 10;  // wider than any core issues; fits the 16 registers of x86-64
constexpr int kUnroll = 8;

using Vector = std::uint64_t __attribute__((vector_size(16)));  // on every 64-bit core

/// Keeps a value in a register and unknown to the compiler, which could otherwise merge the
/// operations of a chain or vectorize the chains.
inline void keep(std::uint64_t& value) { asm volatile("" : "+r"(value)); }
#ifdef __aarch64__
inline void keep(Vector& value) { asm volatile("" : "+w"(value)); }
#else
inline void keep(Vector& value) { asm volatile("" : "+x"(value)); }
#endif

constexpr auto kEachChain = std::make_index_sequence<kChains>();

volatile std::uint64_t memory[kChains];  // not in `Chains`, which stays in registers

/// The state of all chains, and their addends.
struct Chains {
  std::uint64_t scalar[kChains] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  Vector vector[kChains] = {};
  std::uint64_t a = 0x9e3779b97f4a7c15u;
  Vector b = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u};
};

/// The mixtures: each does two operations per chain.
struct ScalarAlone {
  static void step(Chains& x, std::size_t c) {
    x.scalar[c] += x.a, keep(x.scalar[c]);
    x.scalar[c] ^= x.a, keep(x.scalar[c]);
  }
};
struct VectorInterleaved {
  static void step(Chains& x, std::size_t c) {
    x.scalar[c] += x.a, keep(x.scalar[c]);
    x.vector[c] ^= x.b, keep(x.vector[c]);
  }
};
struct LoadInterleaved {
  static void step(Chains& x, std::size_t c) {
    x.scalar[c] += x.a, keep(x.scalar[c]);
    std::uint64_t loaded = memory[c];
    keep(loaded);
  }
};

template <class Mixture, std::size_t... C>
inline void step(Chains& x, std::index_sequence<C...>) {
  (Mixture::step(x, C), ...);
}

template <class Mixture>
void work(long iterations) {
  Chains x;
  keep(x.a);
  keep(x.b);
  for (long i = 0; i < iterations; ++i) {
#pragma GCC unroll 8
    for (int u = 0; u < kUnroll; ++u) step<Mixture>(x, kEachChain);
  }
}

template <class Mixture>
double rate() {
  return best_cpu_rate(work<Mixture>, 2.0 * kChains * kUnroll);
}

}  // namespace

double cpu_scalar_ops_per_second() {
  const timing::CpuPin pin;
  return std::max({rate<ScalarAlone>(), rate<VectorInterleaved>(), rate<LoadInterleaved>()});
}

std::vector<Probe> cpu_probes() {
  return {{"cpu.scalar_ops", "64-bit instructions of one core",
           "scalar add and xor, or add with a 128-bit xor or a load interleaved",
           cpu_scalar_ops_per_second},
          {"cpu.vector_ops", "64-bit lane operations of one core", "vector add and xor",
           cpu_vector_ops_per_second},
          {"cpu.byte_lookups", "bytes, by one core",
           "lookup of a vector's bytes in a table of 64 or 16", cpu_byte_lookups_per_second},
          {"cpu.dram_bytes", "bytes", "memory copy by all CPUs, read + written",
           cpu_dram_bytes_per_second}};
}

// Memory bandwidth of all CPUs together: each copies its own part, much larger than the caches.

namespace {

/// Bytes of the source: four last-level caches, between 128 and 256 MiB. Source and destination
/// take at most half a GiB.
std::size_t buffer_bytes() {
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  const std::size_t wanted = cache > 0 ? 4 * static_cast<std::size_t>(cache) : 0;
  return std::clamp<std::size_t>(wanted, std::size_t{128} << 20, std::size_t{256} << 20);
}

}  // namespace

double cpu_dram_bytes_per_second() {
  const std::size_t bytes = buffer_bytes();
  const std::size_t threads = timing::allowed_cpus().size();
  const std::size_t part = bytes / threads;
  const auto from = std::make_unique_for_overwrite<char[]>(bytes);
  const auto to = std::make_unique_for_overwrite<char[]>(bytes);
  const auto on_all = [&](const auto& work) {
    std::vector<std::jthread> workers;
    for (std::size_t t = 0; t < threads; ++t) workers.emplace_back([&, t] { work(t * part); });
  };
  // First touch by the copying thread, so that pages are on its NUMA node.
  on_all([&](std::size_t at) {
    std::memset(from.get() + at, 1, part);
    std::memset(to.get() + at, 2, part);
  });
  const auto copy = [&](long iterations) {
    on_all([&](std::size_t at) {
      for (long i = 0; i < iterations; ++i) std::memcpy(to.get() + at, from.get() + at, part);
    });
  };
  return best_cpu_rate(copy, 2.0 * static_cast<double>(part * threads));
}

}  // namespace ratchet::peaks
