// Timing of a saturating kernel, shared by the CUDA probes.
#pragma once

#include <functional>

namespace ratchet::peaks {

/// A launch: enqueues `iterations` loops of the kernel on the default stream.
using Launch = std::function<void(int iterations)>;

/// The best rate over several runs, in operations per second; one loop does `per_iteration`
/// operations in all threads together. Doubles the loops until a run takes a few milliseconds,
/// which also raises the clocks. Throws Error without a device or on a CUDA error.
double best_rate(const Launch& launch, double per_iteration);

/// Multiprocessors of the current device.
int multiprocessors();

}  // namespace ratchet::peaks
