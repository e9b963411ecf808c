// Where the level of a series of measurements changed: for a history that no single comparison
// sees.
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
  double p_value;     ///< of "nothing changed" in the stretch that was split here
};

/// The change points of a series in order of time (one figure a commit, in any unit), in increasing
/// order of index. In a series whose values are exchangeable (nothing changed, no memory) any
/// change point at all is found with probability false_alarms at most, whatever the distribution.
/// Regimes shorter than three points are not told from noise.
///
/// Method: a scan of Wilcoxon rank sums over seeded intervals (S. Kovacs et al., Biometrika 110,
/// 2023), the largest standardised one tested by permutation and the series split there, then again
/// in both parts (as J. O. Vostrikova 1981), and each change placed where two medians fit best. The
/// permutation test and the splitting are those of E-divisive (D. S. Matteson, N. A. James, J. Am.
/// Stat. Assoc. 109, 2014). Ranks instead of its energy distances, because a permutation then costs
/// O(n log n) instead of O(n^2) and steps and drifts are found as well; intervals of all lengths,
/// because a dip and its repair cancel over the whole series (FindAsMuchAsEDivisive in the tests).
///
/// A series with a memory (a machine that wanders from day to day) has changes of level in this
/// sense. Every part of a series that was split may err at the same rate again.
///
/// 1000 points take some tenths of a second. The permutations come from `seed`: same input, same
/// answer. A false_alarms below 1/1000 is refused, for the 999 permutations cannot show less.
/// Throws std::invalid_argument for that, for false_alarms >= 1, and for a value that is not
/// finite.
std::vector<ChangePoint> change_points(const std::vector<double>& series,
                                       double false_alarms = 0.01, std::uint64_t seed = 1);

}  // namespace ratchet::stats
