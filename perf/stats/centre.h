// The centre of a sample and its distribution-free confidence interval.
#pragma once

#include <optional>
#include <vector>

namespace ratchet::stats {

/// A closed interval and the coverage it really has, at least what was asked for.
struct Interval {
  double low = 0;
  double high = 0;
  double coverage = 0;
};

/// Two one-sided statements, each wrong with probability `error` at most: that the quantity is at
/// least `low`, and that it is at most `high`. `error` is what is really spent, at most what was
/// asked for.
struct Bounds {
  double low = 0;
  double high = 0;
  double error = 0;
};

/// The middle value, or the mean of the two middle ones. Throws std::invalid_argument when empty.
double median(std::vector<double> values);

/// Confidence interval of the population median by order statistics: [x_(k), x_(n+1-k)] with the
/// largest k for which 2 P(Binomial(n, 1/2) <= k-1) <= 1 - confidence. Exact for every continuous
/// distribution, conservative with ties. Nothing when n is too small for that confidence: even
/// [min, max] covers only 1 - 2^(1-n), so 95 % needs 6 values.
/// Source: W. J. Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2.
std::optional<Interval> median_interval(std::vector<double> values, double confidence);

/// Standard deviation of the natural logarithms, pooled over two samples about their own means
/// (n1 + n2 - 2 degrees of freedom): the relative spread between launches. All values must be
/// positive. 0 when neither sample has two values.
double pooled_log_spread(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace ratchet::stats
