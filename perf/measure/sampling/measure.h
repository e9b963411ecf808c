// One measurement: warm up until steady, sample until precise, repeat throttled samples.
//
// Samples come from a function and times from an injected clock, so that tests need no GPU and do
// not wait (correctness/perf/measure/measure_test.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kernels/contract/stage.h"
#include "perf/measure/sampling/disturbed.h"
#include "perf/measure/sampling/sample.h"
#include "perf/measure/sampling/stopping.h"

namespace ratchet::timing {

/// The clock of a measurement, in seconds.
struct Clock {
  std::function<double()> now;
  std::function<void(double)> sleep;
};
/// steady_clock and a real sleep.
Clock real_clock();

/// The quantile of a launch's samples that is its time. Disturbances only lengthen a CPU run. So
/// with neighbours the lower quartile repeats better between launches than the median, and without
/// them hardly worse (figures: perf/measure/README.md; simulation: quantile_test). A GPU's kernels
/// are hardly disturbed, so their time is the median.
inline constexpr double kCpuQuantile = 0.25;
inline constexpr double kGpuQuantile = 0.5;

/// A CPU run of this duration needs no warm-up run, see Plan::warms_itself_s.
inline constexpr double kCpuWarmsItselfS = 1;

struct Plan {
  bool warm_up = true;
  WarmupRule warmup;
  /// A first run of at least so many seconds, and of the whole budget, is the only sample: the cold
  /// start is negligible in it.
  double warms_itself_s = std::numeric_limits<double>::infinity();
  StoppingRule stopping;
  ThrottleRule throttle;
  PreemptionRule preemption;
};
/// Precision by clock: a GPU's kernels repeat to 0.05 %, CPU runs to about 1 %.
Plan plan_for(Backend backend);

/// The summary of samples: times are a quantile of them (interleaved: their mean), the rest
/// medians.
struct Summary {
  double seconds = 0;
  double span_seconds = 0;
  double cpu_seconds = 0;
  double sm_clock_mhz = 0;
  double spread = 0;      ///< interquartile range of the times over their median
  double half_width = 0;  ///< relative half width of the quantile's interval; 0: too few samples
  std::uint32_t kernels = 0;

  /// Of the span, outside of the time: while none of a run's kernels was at work. 0 if unknown.
  double gap_seconds() const { return std::max(0.0, span_seconds - seconds); }
  /// Whether gaps, or an overlap, are long enough to be reported: over 1 % of the span.
  bool matters(double some_seconds) const { return some_seconds > 0.01 * span_seconds; }
};

struct Measurement {
  std::vector<Sample> samples;     ///< never empty
  double quantile = kGpuQuantile;  ///< StoppingRule::quantile
  Summary summary;                 ///< of the samples
  std::size_t warmup_samples = 0;
  double warmup_s = 0;
  WarmupEnd warmup_end = WarmupEnd::running;
  StopReason stop = StopReason::running;
  std::size_t discarded = 0;    ///< samples taken while throttled, and repeated
  bool throttled = false;       ///< the kept samples are throttled, too
  double highest_mhz = 0;       ///< highest SM clock seen, 0 if unknown
  std::size_t preempted = 0;    ///< samples with an involuntary context switch
  bool preempted_kept = false;  ///< too few clean samples: preempted ones are among the samples
  /// Time slices of an interleaved measurement, whose summary is the mean, not a quantile; 0: not
  /// interleaved.
  std::size_t slices = 0;

  /// Why warm-up and sampling ended, as text: "steady, precision".
  std::string reasons() const;
};

/// Calls `take` until the plan is satisfied, at least once after warm-up. Errors of `take` pass
/// through. `between`, if given, is called after each sample past warm-up, kept or not; its time
/// counts toward the budget. `warmed_up`, if given, is called when warm-up ends.
Measurement measure(const std::function<Sample()>& take, const Plan& plan, const Clock& clock,
                    double highest_mhz = 0, const std::function<void(const Sample&)>& between = {},
                    const std::function<void()>& warmed_up = {});

Summary summarize(const std::vector<Sample>& samples, double quantile = kGpuQuantile,
                  double confidence = 0.95);

}  // namespace ratchet::timing
