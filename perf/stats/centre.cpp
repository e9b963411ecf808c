#include "perf/stats/centre.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <stdexcept>

namespace ratchet::stats {
namespace {

/// Sum of squared deviations of log(values) from their mean.
double log_squares(const std::vector<double>& values) {
  double mean = 0;
  for (const double v : values) mean += std::log(v) / static_cast<double>(values.size());
  double squares = 0;
  for (const double v : values) squares += (std::log(v) - mean) * (std::log(v) - mean);
  return squares;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("the median of no values");
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + middle, values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  return (*std::max_element(values.begin(), values.begin() + middle) + upper) / 2;
}

std::optional<Interval> median_interval(std::vector<double> values, double confidence) {
  if (values.empty()) return std::nullopt;
  const auto n = values.size();
  const boost::math::binomial_distribution<double> below(static_cast<double>(n), 0.5);
  const auto miss = [&](std::size_t k) {  // 2 P(at most k-1 values lie below the median)
    return 2 * boost::math::cdf(below, static_cast<double>(k) - 1);
  };
  std::size_t k = 0;
  while (k + 1 <= n / 2 && miss(k + 1) <= (1 - confidence) * (1 + 1e-9)) ++k;
  if (k == 0) return std::nullopt;
  std::sort(values.begin(), values.end());
  return Interval{values[k - 1], values[n - k], 1 - miss(k)};
}

double pooled_log_spread(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0;
  double freedom = 0;
  for (const auto* sample : {&a, &b}) {
    if (sample->size() < 2) continue;
    squares += log_squares(*sample);
    freedom += static_cast<double>(sample->size()) - 1;
  }
  return freedom > 0 ? std::sqrt(squares / freedom) : 0;
}

}  // namespace ratchet::stats
