// When to stop sampling: the reported quantile is precise enough, or the budget is spent.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

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

}  // namespace ratchet::timing
