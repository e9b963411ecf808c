// When a stage is warm: its time and the SM clock are steady.
//
// A fixed number of runs warms nothing if a run takes microseconds, and wastes minutes if it takes
// seconds. So the rule examines the last samples, as many as fill a window of time. They are steady
// if they scatter little and both halves agree, in time and in clock.
#pragma once

#include <cstddef>
#include <deque>
#include <string_view>

#include "perf/measure/sampling/sample.h"

namespace ratchet::timing {

struct WarmupRule {
  std::size_t min_samples = 6;  ///< minimum in the window
  double window_s = 0.03;       ///< minimum duration of the window
  double spread = 0.01;  ///< steady: interquartile range of the times over their median, at most
  double trend = 0.004;  ///< steady: medians of the two halves differ by at most this share
  double clock_trend = 0.005;  ///< the same for the SM clock
  double cap_s = 1.0;          ///< timeout of the warm-up; checked between runs
};

enum class WarmupEnd {
  running,   ///< not yet
  steady,    ///< time and clock are steady
  time_cap,  ///< WarmupRule::cap_s passed first
  skipped,   ///< no warm-up was requested (under a profiler)
  one_run,   ///< the first run spent the whole budget (Plan::warms_itself_s), and is a sample
};
std::string_view to_string(WarmupEnd end);

/// Takes one sample at a time and decides when to stop. Uses no clock and no GPU.
class Warmup {
 public:
  /// `start_s`: start of the warm-up, in seconds of any steady clock.
  Warmup(const WarmupRule& rule, double start_s) : rule_(rule), start_s_(start_s) {}

  /// `now_s`: end of the sample, by the same clock.
  WarmupEnd add(const Sample& sample, double now_s);
  std::size_t samples() const { return count_; }

 private:
  struct Entry {
    double begin_s;
    double seconds;
    double clock_mhz;
  };
  void trim(double now_s);
  bool full(double now_s) const;
  bool steady() const;

  WarmupRule rule_;
  double start_s_;
  double last_s_ = -1;
  std::size_t count_ = 0;
  std::deque<Entry> window_;
};

}  // namespace ratchet::timing
