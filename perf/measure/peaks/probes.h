// The probes by device; other code uses peaks.h.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "perf/measure/peaks/peaks.h"
#include "perf/support/clock.h"

namespace ratchet::peaks {

/// Names and kernels of the CUDA resources; empty in a build without CUDA.
std::vector<Probe> cuda_probes();
std::vector<Probe> cuda_memory_probes();   ///< part of cuda_probes()
std::vector<Probe> cuda_latency_probes();  ///< likewise
std::vector<Probe> cuda_thread_probes();   ///< likewise
std::vector<Probe> cuda_peer_probes();     ///< likewise
std::vector<Probe> cpu_probes();

/// One core's rates; see the files for what an operation is.
double cpu_scalar_ops_per_second();
double cpu_vector_ops_per_second();
double cpu_byte_lookups_per_second();
double cpu_dram_bytes_per_second();

/// The best rate over several runs, in operations per second. `work(iterations)` does
/// `per_iteration * iterations` operations; the iterations grow until a run takes some
/// milliseconds.
template <class Work>
double best_cpu_rate(const Work& work, double per_iteration) {
  const auto seconds = [&](long iterations) {
    const double begin = seconds_now();
    work(iterations);
    return seconds_now() - begin;
  };
  long iterations = 1;
  while (seconds(iterations) < 0.01 && iterations < (1L << 40)) iterations *= 2;
  double best = 0;
  // Many short runs, so that some are undisturbed on a busy machine.
  for (int run = 0; run < 25; ++run)
    best = std::max(best, iterations * per_iteration / seconds(iterations));
  return best;
}

// Timing of a saturating kernel, shared by the CUDA probes.

/// A launch: enqueues `iterations` loops of the kernel on the default stream.
using Launch = std::function<void(int iterations)>;

/// The best rate over several runs, in operations per second; one loop does `per_iteration`
/// operations in all threads together. Doubles the loops until a run takes a few milliseconds,
/// which also raises the clocks. Throws Error without a device or on a CUDA error.
double best_rate(const Launch& launch, double per_iteration);

/// Multiprocessors of the current device.
int multiprocessors();

}  // namespace ratchet::peaks
