// Samples and a clock for the tests of perf/measure, which wait for nothing, and what judges a real
// one.
#pragma once

#include <vector>

#include "perf/measure/sampling/measure.h"
#include "perf/stats/quantile.h"

namespace ratchet::timing {

inline Sample sample(double seconds, double mhz = 0) {
  Sample result;
  result.seconds = result.span_seconds = seconds;
  result.sm_clock_mhz = mhz;
  return result;
}

/// A clock that only moves when a run or a sleep takes time.
struct FakeTime {
  double now_s = 100;
  double slept_s = 0;
  int sleeps = 0;
  Clock clock() {
    return {[this] { return now_s; },
            [this](double seconds) {
              now_s += seconds;
              slept_s += seconds;
              ++sleeps;
            }};
  }
};

/// The median of five results of `measure`, or of up to 60 until it lies between `low` and `high`.
/// They are by the machine's clock, and other processes disturb single ones either way.
template <class Measure>
double median_of_disturbed(const Measure& measure, double low, double high) {
  std::vector<double> results;
  double median = 0;
  while (results.size() < 5 || (results.size() < 60 && !(median > low && median < high))) {
    results.push_back(measure());
    median = stats::median(results);
  }
  return median;
}

/// Small, deterministic scatter of relative width `width` around 1.
inline double jitter(int i, double width) { return 1 + width * ((i * 7919 % 101) / 50.0 - 1); }

}  // namespace ratchet::timing
