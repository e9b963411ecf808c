// Samples and a clock for the tests of perf/timing, which wait for nothing.
#pragma once

#include "perf/measure/sampling/measure.h"

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

/// Small, deterministic scatter of relative width `width` around 1.
inline double jitter(int i, double width) { return 1 + width * ((i * 7919 % 101) / 50.0 - 1); }

}  // namespace ratchet::timing
