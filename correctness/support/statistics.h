// Statistics of the correctness checks: p-values, pooled goodness of fit, multiple testing, power.
// Pure functions on top of Boost.Math; no I/O, no stage, no device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "correctness/support/test_result.h"

namespace ratchet::correctness {

/// P(|Z| >= |z|) of a standard normal.
double two_sided_p(double z);

/// The z that a two-sided normal test with `tests` simultaneous statistics rejects at, at
/// kFalseAlarm.
double critical_z(double tests = 1);

/// The shift, in standard deviations, which such a test catches with probability kDetection.
double detectable_z(double tests = 1);

/// Bonferroni: the p-value of the smallest of `tests` p-values, whatever their dependence.
double bonferroni(double smallest_p, double tests);

/// Holm's step-down: adjusted p-values in the order given; rejecting those below alpha keeps the
/// chance of any false rejection below alpha, whatever the dependence.
std::vector<double> holm(std::span<const double> p_values);

/// P(X >= x) of a chi-square with `degrees` degrees of freedom.
double chi_square_p(double x, double degrees);

/// Noncentrality that a chi-square test at kFalseAlarm catches with probability kDetection.
double detectable_noncentrality(double degrees);

/// Two-sided exact p-value (twice the smaller tail) of `hits` out of `trials` at probability `p`.
double binomial_p(std::uint64_t hits, std::uint64_t trials, double p);

struct GoodnessOfFit {
  double chi_square = 0;  ///< Pearson's statistic
  double g = 0;           ///< likelihood-ratio statistic
  double degrees = 0;     ///< bins after pooling, less one
  double p = 1;           ///< smaller of the two p-values, times two
};

/// Tests counts against probabilities. Neighbouring bins are pooled until each expects at least
/// `min_expected`, for far out in the tail the chi-square law of thin bins is wrong. Fewer than two
/// pooled bins, sizes that differ or an empty histogram give p = NaN, which rejects.
GoodnessOfFit goodness_of_fit(std::span<const std::uint64_t> observed,
                              std::span<const double> probability, double min_expected = 200);

/// Many z-scores of one kind, uncorrelated under a correct stage. Keeps the worst and the sum of
/// squares, so that one strong and many weak deviations both show.
class ZScan {
 public:
  explicit ZScan(std::string test) : test_(std::move(test)) {}
  void add(double z, const std::string& where);
  void add(double z, std::size_t where_a,
           std::size_t where_b);  ///< cheaper: formats the worst only
  std::size_t size() const { return count_; }
  /// `unit` is the bias of one standard deviation: power is stated as `detectable * unit` of
  /// `quantity`.
  TestResults tests(double unit, const std::string& quantity) const;

 private:
  bool is_worst(double z);
  std::string test_, worst_where_ = "none";
  double worst_ = 0, sum_of_squares_ = 0;
  std::size_t count_ = 0;
};

}  // namespace ratchet::correctness
