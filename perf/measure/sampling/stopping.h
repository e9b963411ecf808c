// When to stop sampling: the reported quantile is precise enough, or the budget is spent.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "perf/measure/sampling/sample.h"

namespace ratchet::timing {

struct StoppingRule {
  double quantile = 0.5;  ///< the reported quantile of the samples
  /// Precise enough: half the width of the quantile's interval over the quantile is at most this.
  double precision = 0.002;
  double confidence = 0.95;
  std::size_t min_samples = 10;  ///< before the precision counts
  std::size_t max_samples =
      5000;               ///< more would not help: launches differ by more than this resolves
  double budget_s = 1.0;  ///< for the samples, without warm-up; checked between runs
};

enum class StopReason { running, precision, budget, samples };
std::string_view to_string(StopReason reason);

/// Takes one time after another and decides when to stop. Uses no clock and no GPU.
class Stopping {
 public:
  Stopping(const StoppingRule& rule, double start_s) : rule_(rule), start_s_(start_s) {}

  /// `seconds`: the sample; `now_s`: its end, by the clock of `start_s`.
  StopReason add(double seconds, double now_s);
  /// Whether the budget is spent, when time passed without a kept sample.
  bool out_of_budget(double now_s) const { return now_s - start_s_ >= rule_.budget_s; }
  /// Half the width of the quantile's interval over the quantile, at the longer side. It uses order
  /// statistics, so outliers only widen it. Nothing with too few samples for the confidence; 0 if
  /// the quantile is 0.
  std::optional<double> relative_half_width() const;

 private:
  StoppingRule rule_;
  double start_s_;
  std::vector<double> sorted_;
};

// When a stage is warm: its time and the SM clock are steady.
//
// A fixed number of runs warms nothing if a run takes microseconds, and wastes minutes if it takes
// seconds. So the rule examines the last samples, as many as fill a window of time. They are steady
// if they scatter little and both halves agree, in time and in clock.

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
