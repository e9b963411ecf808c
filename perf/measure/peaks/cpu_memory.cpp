// Memory bandwidth of all CPUs together: each copies its own part, much larger than the caches.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "perf/measure/peaks/cpu_rate.h"
#include "perf/measure/peaks/probes.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::peaks {
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
