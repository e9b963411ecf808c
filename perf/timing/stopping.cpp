#include "perf/timing/stopping.h"

#include <algorithm>

#include "perf/timing/order.h"

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

double MedianInterval::relative_half_width() const {
  return median > 0 ? std::max(high - median, median - low) / median : 0;
}

StopReason Stopping::add(double seconds, double now_s) {
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), seconds), seconds);
  if (sorted_.size() >= rule_.min_samples) {
    const MedianInterval known = interval();
    if (known.reached && known.relative_half_width() <= rule_.precision)
      return StopReason::precision;
  }
  if (sorted_.size() >= rule_.max_samples) return StopReason::samples;
  return out_of_budget(now_s) ? StopReason::budget : StopReason::running;
}

MedianInterval Stopping::interval() const {
  if (sorted_.empty()) return {};
  const Ranks ranks = median_ranks(sorted_.size(), rule_.confidence);
  const std::size_t half = sorted_.size() / 2;
  const double middle =
      sorted_.size() % 2 ? sorted_[half] : (sorted_[half - 1] + sorted_[half]) / 2;
  return {middle, sorted_[ranks.low], sorted_[ranks.high], ranks.reached};
}

}  // namespace ratchet::timing
