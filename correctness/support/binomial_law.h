// The exact law of the ones in a battle, Binomial(turns, 1/4), and of the maximum over N battles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ratchet::correctness {

/// Binomial(trials, p), tabulated.
class BinomialLaw {
 public:
  explicit BinomialLaw(unsigned trials, double p = 0.25);

  unsigned trials() const { return trials_; }
  double mean() const { return trials_ * p_; }
  double variance() const { return trials_ * p_ * (1 - p_); }
  /// Fourth central moment.
  double fourth_moment() const;
  /// P(X = k) for k = 0..trials.
  const std::vector<double>& pmf() const { return pmf_; }
  /// P(X >= k), accurate far into the tail (relative error below 1e-12); 0 beyond `trials`.
  double tail(unsigned k) const { return k < tail_.size() ? tail_[k] : 0; }

  /// P(maximum over `battles` independent draws <= k).
  double maximum_cdf(unsigned k, std::uint64_t battles) const;
  /// P(that maximum = k) for k = 0..trials.
  std::vector<double> maximum_pmf(std::uint64_t battles) const;

 private:
  unsigned trials_;
  double p_;
  std::vector<double> pmf_, tail_;
};

/// One line of the oracle correctness/graveler/oracles/order_stats.tsv: exact integers and 60-digit
/// decimals, made without any simulation.
struct OrderStatistic {
  unsigned ones = 0;
  double pmf = 0, tail = 0;                 ///< of one battle
  double maximum_cdf = 0, maximum_pmf = 0;  ///< of the maximum over 10^9 battles
};

/// Reads the oracle: 232 lines, ones = 0..231. Throws `Error` naming file and line when it cannot.
std::vector<OrderStatistic> read_order_statistics(const std::string& path);

}  // namespace ratchet::correctness
