// Comparing two builds launched in pairs: each block has one launch of A and one of B, in random
// order.
//
// In this file d[b] = ln(throughput of B / throughput of A) in block b. The order within each block
// is random. So without a change d[b] and -d[b] are equally likely given all other blocks, whatever
// the machine does: drift, autocorrelation and heavy tails are allowed. All error probabilities
// here are exact under these sign flips, without any other assumption.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "perf/stats/quantile.h"

namespace ratchet::stats {

/// P(W <= w) for Wilcoxon's signed-rank statistic W, the sum of the ranks of the positive among n
/// differences without ties, under the null hypothesis. Exact up to n = 500, by the recurrence f(n,
/// w) = (f(n-1, w) + f(n-1, w-n)) / 2, and cached. Beyond that, the normal approximation with
/// continuity correction. 0 for negative w. Source: F. Wilcoxon, Biometrics Bull. 1, 1945.
double signed_rank_cdf(std::size_t n, long w);

/// The largest k with P(W <= k-1) <= error: the k-th smallest Walsh average is then a lower bound
/// that is wrong with that probability at most. 0 where there is no such k: 2^-n > error.
std::size_t signed_rank_order(std::size_t n, double error);

/// The fewest pairs that give bounds at this error: the smallest n with 2^-n <= error. Throws
/// std::invalid_argument unless 0 < error < 1.
std::size_t least_pairs(double error);

/// Hodges-Lehmann: the ratio of throughputs B / A, exp of the median of all n(n+1)/2 Walsh averages
/// (d_i + d_j) / 2, i <= j. Throws std::invalid_argument when d is empty or not finite.
/// Source: J. L. Hodges, E. L. Lehmann, Ann. Math. Stat. 34, 1963.
double paired_estimate(const std::vector<double>& d);

/// One-sided bounds of the ratio B / A, each wrong with probability `error` at most. They are exp
/// of order statistics of the Walsh averages: the inversion of the signed-rank test. Conservative
/// with ties. Nothing where 2^-n > error. Throws as paired_estimate. Source: M. Hollander, D. A.
/// Wolfe, Nonparametric Statistical Methods, 2nd ed., section 3.3.
std::optional<Bounds> paired_bounds(const std::vector<double>& d, double error);

/// The slope, between 0 and 1, of d on a covariate r. The covariate is the log ratio B / A of the
/// control workload, which runs inside the same launches and whose code the change cannot touch.
/// Subtracting slope * r cancels a disturbance that slows both down. d and r have one entry for
/// each block.
///
/// Exactness: flipping the signs of d - centre and r in any block does not change the slope.
/// Therefore, under ln(B / A) = centre, the adjusted differences are as symmetric about `centre` as
/// d, and all errors of this file stay exact there. Use centre 0 for "slower" and "faster" (exact
/// when nothing changed) and the edge of the tolerance for "same".
///
/// The least-squares slope, sum d r / sum r^2, has the same symmetry. But a real change of the row
/// biases it, and one outlier of r spoils it. Instead, of the slopes s = 0, 0.05, ... 1 this takes
/// the one at which the sizes |d - centre - s r| scatter least about their median. Without a change
/// the sizes are then small; with a change they are all near its size. In both cases they agree
/// best at the true slope. A block's part in the scatter is limited to three median sizes. The
/// slope is 0 unless it reduces the scatter by a fifth, because some slope always reduces it a
/// little by chance. Throws std::invalid_argument when sizes differ or values are not finite.
double covariate_slope(const std::vector<double>& d, const std::vector<double>& r,
                       double centre = 0);

/// d - slope r with the slope above. A block whose |r| exceeds five median sizes is left unadjusted
/// where the adjustment would move d away from `centre`: then only the control workload was
/// disturbed. This choice does not depend on signs either. Throws as covariate_slope.
std::vector<double> adjusted(const std::vector<double>& d, const std::vector<double>& r,
                             double centre = 0);

/// Minimum detectable effect of n pairs: a relative change (0.02 is 2 %). At this change the
/// one-sided paired_bounds at `error` exclude zero change in a fraction `power` of runs, when d is
/// normal with standard deviation `spread`. It is exp(spread q) - 1, with q the `power`-quantile of
/// minus the k-th smallest Walsh average of n standard normal values. q is simulated with a fixed
/// seed (4000 draws, about 1 % accurate) and cached; of more than 200 pairs it is approximated.
/// Infinity where 2^-n > error. A verdict needs tolerance + minimum detectable effect.
double paired_detectable(std::size_t n, double spread, double error, double power = 0.9);

}  // namespace ratchet::stats
