#include "perf/measure/sampling/stopping.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "perf/stats/quantile.h"

namespace ratchet::timing {

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::running:
      return "running";
    case StopReason::precision:
      return "precision";
    case StopReason::budget:
      return "budget";
    case StopReason::samples:
      return "samples";
  }
  return "unknown";
}

StopReason Stopping::add(double seconds, double now_s) {
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), seconds), seconds);
  if (sorted_.size() >= rule_.min_samples) {
    const auto half_width = relative_half_width();
    if (half_width && *half_width <= rule_.precision) return StopReason::precision;
  }
  if (sorted_.size() >= rule_.max_samples) return StopReason::samples;
  return out_of_budget(now_s) ? StopReason::budget : StopReason::running;
}

std::optional<double> Stopping::relative_half_width() const {
  const auto ranks = stats::quantile_ranks(sorted_.size(), rule_.quantile, rule_.confidence);
  if (!ranks) return std::nullopt;
  const double known = stats::sorted_quantile(sorted_, rule_.quantile);
  if (!(known > 0)) return 0;
  return std::max(sorted_[ranks->high - 1] - known, known - sorted_[ranks->low - 1]) / known;
}

namespace {

/// Relative difference between the medians of the first and the second half.
double trend_of(const std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  const double early = stats::median({values.begin(), values.begin() + half});
  const double late = stats::median({values.end() - half, values.end()});
  return early > 0 ? std::abs(late / early - 1) : 0;
}

}  // namespace

std::string_view to_string(WarmupEnd end) {
  switch (end) {
    case WarmupEnd::running:
      return "running";
    case WarmupEnd::steady:
      return "steady";
    case WarmupEnd::time_cap:
      return "time cap";
    case WarmupEnd::skipped:
      return "skipped";
    case WarmupEnd::one_run:
      return "one run";
  }
  return "unknown";
}

WarmupEnd Warmup::add(const Sample& sample, double now_s) {
  const double begin_s = last_s_ < 0 ? start_s_ : last_s_;
  last_s_ = now_s;
  ++count_;
  window_.push_back({begin_s, sample.seconds, sample.sm_clock_mhz});
  trim(now_s);
  if (full(now_s) && steady()) return WarmupEnd::steady;
  return now_s - start_s_ >= rule_.cap_s ? WarmupEnd::time_cap : WarmupEnd::running;
}

bool Warmup::full(double now_s) const {
  return window_.size() >= rule_.min_samples && now_s - window_.front().begin_s >= rule_.window_s;
}

void Warmup::trim(double now_s) {
  // Drop the oldest while the rest still fills the window.
  while (window_.size() > rule_.min_samples && now_s - window_[1].begin_s >= rule_.window_s)
    window_.pop_front();
}

bool Warmup::steady() const {
  std::vector<double> seconds, clocks;
  for (const Entry& entry : window_) {
    seconds.push_back(entry.seconds);
    if (entry.clock_mhz > 0) clocks.push_back(entry.clock_mhz);
  }
  if (stats::relative_spread(seconds) > rule_.spread || trend_of(seconds) > rule_.trend)
    return false;
  return clocks.size() < 2 || trend_of(clocks) <= rule_.clock_trend;
}

}  // namespace ratchet::timing
