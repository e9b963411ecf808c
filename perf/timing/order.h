// Order statistics of a handful of samples: what warm-up and stopping need to look at.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace ratchet::timing {

/// The middle value, or the mean of the two middle values; 0 for an empty list.
double median(std::vector<double> values);

/// The value below which the share `p` of the values lies, between neighbours by their distance; 0
/// for an empty list.
double quantile(std::vector<double> values, double p);

/// Interquartile range over the median; 0 for fewer than two values or a median of 0.
double relative_spread(std::vector<double> values);

/// Ranks (from 0) of the order statistics that enclose the median of the population with at least
/// the given confidence, whatever the distribution: exact binomial tails. {0, n-1} when n is too
/// small for that confidence; `reached` says which.
struct Ranks {
  std::size_t low = 0;
  std::size_t high = 0;
  bool reached = false;
};
Ranks median_ranks(std::size_t n, double confidence);

}  // namespace ratchet::timing
