// When enough samples are taken: the quantile that is reported is known well enough, or the time is
// up.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace ratchet::timing {

struct StoppingRule {
  double quantile = 0.5;  ///< of the samples: what is reported, and is to be known
  /// Enough: half the width of the quantile's interval, over the quantile, is at most this.
  double precision = 0.002;
  double confidence = 0.95;
  std::size_t min_samples = 10;  ///< before precision is believed
  std::size_t max_samples =
      5000;               ///< more cannot matter: launches differ by more than this resolves
  double budget_s = 1.0;  ///< time for the samples, warm-up apart; checked between runs
};

enum class StopReason { running, precision, budget, samples };
std::string_view to_string(StopReason reason);

/// Fed with one time after another, says when to stop. No clock and no GPU inside.
class Stopping {
 public:
  Stopping(const StoppingRule& rule, double start_s) : rule_(rule), start_s_(start_s) {}

  /// `seconds`: the sample; `now_s`: when it was over, by the clock of `start_s`.
  StopReason add(double seconds, double now_s);
  /// Whether the budget is spent, for time that passed without a sample to keep.
  bool out_of_budget(double now_s) const { return now_s - start_s_ >= rule_.budget_s; }
  /// Half the width of the quantile's interval over the quantile, at the longer side: order
  /// statistics, so outliers only widen it. Nothing while the samples are too few for the
  /// confidence asked; 0 when the quantile is 0.
  std::optional<double> relative_half_width() const;

 private:
  StoppingRule rule_;
  double start_s_;
  std::vector<double> sorted_;
};

}  // namespace ratchet::timing
