#include "perf/timing/order.h"

#include <algorithm>
#include <cmath>

#include "perf/stats/centre.h"

namespace ratchet::timing {
namespace {

/// Value at the fraction `p` of sorted values, between neighbours by their distance.
double sorted_quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

double median(std::vector<double> values) {
  return values.empty() ? 0 : stats::median(std::move(values));
}

double quantile(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return sorted_quantile(values, p);
}

double relative_spread(std::vector<double> values) {
  if (values.size() < 2) return 0;
  std::sort(values.begin(), values.end());
  const double middle = sorted_quantile(values, 0.5);
  return middle > 0 ? (sorted_quantile(values, 0.75) - sorted_quantile(values, 0.25)) / middle : 0;
}

Ranks median_ranks(std::size_t n, double confidence) {
  if (n == 0) return {};
  // P(fewer than k of n values lie below the median) is a Binomial(n, 1/2) tail. Walk up from rank
  // 0 while the tail below stays within half of the error allowed; logarithms keep 2^-n from
  // vanishing.
  const double allowed = (1 - confidence) / 2;
  double tail = 0;
  std::size_t low = 0;
  bool reached = false;
  for (std::size_t k = 0; k < n / 2; ++k) {
    const double log_term = std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) -
                            static_cast<double>(n) * std::log(2.0);
    tail += std::exp(log_term);
    if (tail > allowed) break;
    low = k;
    reached = true;
  }
  return {low, n - 1 - low, reached};
}

}  // namespace ratchet::timing
