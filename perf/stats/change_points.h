// Change points of a series of measurements: changes that are too small for a single comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ratchet::stats {

/// A change of level between index - 1 and index.
struct ChangePoint {
  std::size_t index;  ///< the first point of the new regime
  double before;      ///< median of the regime that ends here
  double after;       ///< median of the regime that begins here
  double p_value;     ///< of the hypothesis of no change in the segment that was split here
};

/// The change points of a series in order of time (one figure for each commit, in any unit), in
/// increasing order of index. In a series of exchangeable values (no change, no autocorrelation), a
/// change point is found with probability false_alarms at most, whatever the distribution. A regime
/// of fewer than three points is not found.
///
/// Method: a scan of Wilcoxon rank sums over seeded intervals (S. Kovacs et al., Biometrika 110,
/// 2023). The largest standardised sum is tested by permutation; the series is split there, and
/// both parts are searched again (as J. O. Vostrikova 1981). Each change is placed where two
/// medians fit best. The permutation test and the splitting are those of E-divisive (D. S.
/// Matteson, N. A. James, J. Am. Stat. Assoc. 109, 2014). Ranks replace its energy distances,
/// because a permutation then costs O(n log n) instead of O(n^2), and steps and drifts are found as
/// well. The scan needs intervals of all lengths, because a dip and its repair cancel over the
/// whole series (FindAsMuchAsEDivisive in the tests).
///
/// An autocorrelated series (a machine that drifts from day to day) has changes of level in this
/// sense. Each part of a split series is tested at the same false-alarm rate again.
///
/// 1000 points take some tenths of a second. The permutations depend only on `seed`. Throws
/// std::invalid_argument for a false_alarms below 1/1000, which 999 permutations cannot resolve,
/// for false_alarms >= 1, and for a value that is not finite.
std::vector<ChangePoint> change_points(const std::vector<double>& series,
                                       double false_alarms = 0.01, std::uint64_t seed = 1);

}  // namespace ratchet::stats
