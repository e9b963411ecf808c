#include "perf/measure/sampling/stopping.h"

#include <algorithm>

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

}  // namespace ratchet::timing
