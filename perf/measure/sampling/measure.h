// The course of one measurement: warm up until steady, sample until known, repeat what was
// throttled.
//
// Everything here works on samples from a function and on an injected clock, so that it is tested
// without a GPU and without waiting (correctness/perf/measure/measure_test.cpp).
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kernels/contract/stage.h"
#include "perf/measure/sampling/preemption.h"
#include "perf/measure/sampling/sample.h"
#include "perf/measure/sampling/stopping.h"
#include "perf/measure/sampling/throttle.h"
#include "perf/measure/sampling/warmup.h"

namespace ratchet::timing {

/// The clock that a measurement goes by, in seconds.
struct Clock {
  std::function<double()> now;
  std::function<void(double)> sleep;
};
/// steady_clock and a real sleep.
Clock real_clock();

/// The quantile of a launch's samples that is its time. Disturbances only ever lengthen a CPU run,
/// so its lower quartile repeats better between launches than its median as soon as there are
/// neighbours, and hardly worse without: perf/measure/README.md has the figures, quantile_test the
/// simulation. A GPU's kernels have no neighbours to speak of: their median.
inline constexpr double kCpuQuantile = 0.25;
inline constexpr double kGpuQuantile = 0.5;

/// A run on CPUs that takes so long needs no other before it, see Plan::warms_itself_s.
inline constexpr double kCpuWarmsItselfS = 1;

struct Plan {
  bool warm_up = true;
  WarmupRule warmup;
  /// A first run of so many seconds, and of the whole budget, is the one sample: what a cold start
  /// adds is lost in it.
  double warms_itself_s = std::numeric_limits<double>::infinity();
  StoppingRule stopping;
  ThrottleRule throttle;
  PreemptionRule preemption;
};
/// Tolerances by where the time is taken: a GPU's kernels repeat to 0.05 %, CPU runs to about 1 %.
Plan plan_for(Backend backend);

struct Measurement {
  std::vector<Sample> samples;     ///< never empty
  double quantile = kGpuQuantile;  ///< StoppingRule::quantile, for summarize()
  std::size_t warmup_samples = 0;
  double warmup_s = 0;
  WarmupEnd warmup_end = WarmupEnd::running;
  StopReason stop = StopReason::running;
  std::size_t discarded = 0;    ///< samples taken while throttled, and repeated
  bool throttled = false;       ///< even the samples kept were
  double highest_mhz = 0;       ///< highest SM clock seen, 0 if unknown
  std::size_t preempted = 0;    ///< samples during which the kernel took a CPU away
  bool preempted_kept = false;  ///< too few others: they are among the samples
  /// In which the samples were taken (interleaving.h); 0: at one go. What is taken interleaved is
  /// summed up by its mean, not by a quantile.
  std::size_t slices = 0;

  /// "steady, precision": why warm-up and sampling ended, for people.
  std::string reasons() const;
};

/// Calls `take` until the plan is satisfied; at least once after warm-up. Errors of `take` pass
/// through. `between`, if given, is called after each sample past warm-up, kept or not; the time
/// that it takes is the budget's.
Measurement measure(const std::function<Sample()>& take, const Plan& plan, const Clock& clock,
                    double highest_mhz = 0, const std::function<void(const Sample&)>& between = {});

/// What a row reports. Times are that quantile of the samples', the rest is by medians.
struct Summary {
  double seconds = 0;
  double span_seconds = 0;
  double cpu_seconds = 0;
  double sm_clock_mhz = 0;
  double spread = 0;      ///< interquartile range of the times over their median
  double half_width = 0;  ///< of the quantile's interval, relative; 0: too few samples
  std::uint32_t kernels = 0;
};
Summary summarize(const std::vector<Sample>& samples, double quantile = kGpuQuantile,
                  double confidence = 0.95);

}  // namespace ratchet::timing
