// The noise of this machine, measured by repeating the control workload for a few seconds.
#pragma once

#include <functional>
#include <vector>

#include "perf/measure/doctor/diagnosis.h"
#include "perf/measure/sampling/measure.h"

namespace ratchet::doctor {

struct Noise {
  std::size_t passes = 0;
  double spread = 0;          ///< interquartile range over the median
  double drift = 0;           ///< median of the last third over that of the first, less 1
  double disturbed = 0;       ///< share of preempted passes
  double launches = 0;        ///< relative standard deviation between short launches
  std::size_t stretches = 0;  ///< these launches
  /// The smallest slowdown of one CPU row that the gate, at its default tolerance and launches,
  /// calls slower nine times in ten; infinity if it cannot.
  double detectable = 0;
};

/// Takes passes for `seconds` by `clock`, and treats each `launch_s` of them as a launch. Real
/// launches differ more, since processes also differ in addresses and pages.
Noise measure_noise(const std::function<timing::Sample()>& pass, const timing::Clock& clock,
                    double seconds = 3, double launch_s = 0.1);

/// The noise as diagnoses, listed after those of the checks.
std::vector<Diagnosis> check_noise(const Noise& noise);

}  // namespace ratchet::doctor
