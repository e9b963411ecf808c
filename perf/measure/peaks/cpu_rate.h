// Timing of a saturating loop on one CPU, shared by the CPU probes.
#pragma once

#include <algorithm>

#include "perf/support/clock.h"

namespace ratchet::peaks {

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

}  // namespace ratchet::peaks
