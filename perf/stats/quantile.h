// Quantiles of a sample and their distribution-free confidence intervals.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ratchet::stats {

/// A closed interval and its actual coverage, which is at least the requested one.
struct Interval {
  double low = 0;
  double high = 0;
  double coverage = 0;
};

/// Two one-sided bounds, each wrong with probability `error` at most: the quantity is at least
/// `low`, and it is at most `high`. `error` is the actual one, at most the requested one.
struct Bounds {
  double low = 0;
  double high = 0;
  double error = 0;
};

/// The middle value, or the mean of the two middle ones. Throws std::invalid_argument when empty.
double median(std::vector<double> values);

/// The `p`-quantile of the sample, interpolated between neighbours (R. J. Hyndman, Y. Fan, Am.
/// Stat. 50, 1996, type 7). Throws std::invalid_argument when empty.
double quantile(std::vector<double> values, double p);
/// The same for values in ascending order.
double sorted_quantile(const std::vector<double>& sorted, double p);

/// Interquartile range over the median; 0 for fewer than two values or a median of 0.
double relative_spread(std::vector<double> values);

/// 1.4826 times the median absolute deviation, which estimates the standard deviation of normal
/// values and is insensitive to outliers. Throws as median.
double robust_deviation(std::vector<double> values);

/// Order statistics, counted from 1, that enclose a quantile of the population.
struct Ranks {
  std::size_t low = 0;
  std::size_t high = 0;
  double coverage = 0;
};

/// The ranks that enclose the `p`-quantile (0 < p < 1) at the given confidence, with half of the
/// error on each side. low is the largest with P(Binomial(n, p) <= low - 1) within that half; high
/// is the smallest likewise. Exact for every continuous distribution, conservative with ties.
/// Nothing where n is too small: at 95 % the median needs 6 values, a quartile 13. Cached by (n, p,
/// confidence). Source: W. J. Conover, Practical Nonparametric Statistics, 3rd ed., sec. 3.2.
std::optional<Ranks> quantile_ranks(std::size_t n, double p, double confidence);

/// The values at those ranks; nothing where there are none.
std::optional<Interval> quantile_interval(std::vector<double> values, double p, double confidence);

/// Standard deviation of the natural logarithms, pooled over two samples about their own means
/// (n1 + n2 - 2 degrees of freedom): the relative spread between launches. All values must be
/// positive. 0 when neither sample has two values.
double pooled_log_spread(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace ratchet::stats
