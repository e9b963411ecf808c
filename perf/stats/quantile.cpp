#include "perf/stats/quantile.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

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

/// The largest k with P(Binomial(n, p) <= k - 1) <= error: the k-th smallest value lies above the
/// p-quantile with that probability, stored in `missed`. 0 where there is no such k.
std::size_t lower_rank(std::size_t n, double p, double error, double& missed) {
  const boost::math::binomial_distribution<double> at_most(static_cast<double>(n), p);
  const auto below = [&](std::size_t k) {
    return boost::math::cdf(at_most, static_cast<double>(k) - 1);
  };
  // Boost may round the quantile either way, and a computed error may differ from an exact
  // probability in the last bit.
  const double allowed = error * (1 + 1e-9);
  auto k = static_cast<std::size_t>(std::max(0.0, boost::math::quantile(at_most, error)));
  while (k < n && below(k + 1) <= allowed) ++k;
  while (k > 0 && below(k) > allowed) --k;
  missed = k > 0 ? below(k) : 0;
  return k;
}

std::optional<Ranks> find_ranks(std::size_t n, double p, double confidence) {
  if (n == 0) return std::nullopt;
  const double error = (1 - confidence) / 2;
  double below = 0, above = 0;
  const std::size_t low = lower_rank(n, p, error, below);
  const std::size_t mirrored = lower_rank(n, 1 - p, error, above);
  if (low == 0 || mirrored == 0) return std::nullopt;
  return Ranks{low, n + 1 - mirrored, 1 - below - above};
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("a median needs at least one value");
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + middle, values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  return (*std::max_element(values.begin(), values.begin() + middle) + upper) / 2;
}

double quantile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  return sorted_quantile(values, p);
}

double sorted_quantile(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) throw std::invalid_argument("a quantile needs at least one value");
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double relative_spread(std::vector<double> values) {
  if (values.size() < 2) return 0;
  std::sort(values.begin(), values.end());
  const double middle = sorted_quantile(values, 0.5);
  return middle > 0 ? (sorted_quantile(values, 0.75) - sorted_quantile(values, 0.25)) / middle : 0;
}

double robust_deviation(std::vector<double> values) {
  const double middle = median(values);
  for (double& value : values) value = std::abs(value - middle);
  return 1.4826 * median(std::move(values));
}

std::optional<Ranks> quantile_ranks(std::size_t n, double p, double confidence) {
  static thread_local std::map<std::tuple<std::size_t, double, double>, std::optional<Ranks>> known;
  const auto [entry, added] = known.try_emplace({n, p, confidence});
  if (added) entry->second = find_ranks(n, p, confidence);
  return entry->second;
}

std::optional<Interval> quantile_interval(std::vector<double> values, double p, double confidence) {
  const auto ranks = quantile_ranks(values.size(), p, confidence);
  if (!ranks) return std::nullopt;
  std::sort(values.begin(), values.end());
  return Interval{values[ranks->low - 1], values[ranks->high - 1], ranks->coverage};
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
