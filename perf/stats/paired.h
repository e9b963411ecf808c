// Comparing two builds launched in pairs: one launch of A and one of B to a block, in random order.
//
// Within this file d[b] = ln(throughput of B / throughput of A) in block b. The order within each
// block is drawn at random, so that without a change each d[b] is as likely as -d[b] given all the
// others, whatever the machine did meanwhile: drift, autocorrelation and heavy tails are allowed.
// Everything here is exact under these sign flips and needs no other assumption.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "perf/stats/quantile.h"

namespace ratchet::stats {

/// P(W <= w) for Wilcoxon's signed-rank statistic W, the sum of the ranks of the positive among n
/// differences without ties, under the null hypothesis. Exact up to n = 500 by the recurrence
/// f(n, w) = (f(n-1, w) + f(n-1, w-n)) / 2 and remembered; beyond, by the normal approximation with
/// continuity correction. 0 for negative w. Source: F. Wilcoxon, Biometrics Bull. 1, 1945.
double signed_rank_cdf(std::size_t n, long w);

/// The largest k with P(W <= k-1) <= error: the k-th smallest Walsh average is then a lower bound
/// that is wrong with that probability at most. 0 where even k = 1, the smallest difference, is
/// wrong more often: 2^-n > error.
std::size_t signed_rank_order(std::size_t n, double error);

/// The fewest pairs that can speak at this error: the smallest n with 2^-n <= error. Throws
/// std::invalid_argument unless 0 < error < 1.
std::size_t least_pairs(double error);

/// Hodges-Lehmann: the ratio of throughputs B / A, exp of the median of all n(n+1)/2 Walsh averages
/// (d_i + d_j) / 2, i <= j. Throws std::invalid_argument when d is empty or not finite.
/// Source: J. L. Hodges, E. L. Lehmann, Ann. Math. Stat. 34, 1963.
double paired_estimate(const std::vector<double>& d);

/// One-sided bounds of the ratio B / A, each wrong with probability `error` at most: exp of the
/// order statistics of the Walsh averages, the inversion of the signed-rank test. Conservative with
/// ties. Nothing where 2^-n > error. Throws as paired_estimate.
/// Source: M. Hollander, D. A. Wolfe, Nonparametric Statistical Methods, 2nd ed., section 3.3.
std::optional<Bounds> paired_bounds(const std::vector<double>& d, double error);

/// How much of the control workload's log ratio r[b] (B / A, measured inside the very same
/// launches, of code that the change cannot touch) to take off d[b], so that a neighbour who slows
/// both down cancels: between 0 and 1. d and r have one entry a block.
///
/// Exactness: the result depends on d - centre and r only through what flipping the signs of both
/// in any block leaves alone, so that under ln(B / A) = centre the adjusted differences are as
/// symmetric about `centre` as d was, and every error of this file stays exact there. Use centre 0
/// for alarms (exact when nothing changed) and the tolerance's edge for "same".
///
/// The usual slope, sum d r / sum r^2, is even in that sense too, but it takes a real change of the
/// row for part of the slope, and one wild r ruins it. Instead: of the slopes 0, 0.05, ... 1 the
/// one at which the sizes |d - centre - s r| scatter least about their median. Where nothing
/// changed the sizes are small then, where something did they all are near its size; either way
/// they agree best at the true slope. A block's part in the scatter is limited to three median
/// sizes, and the slope is 0 unless it makes the scatter a fifth smaller, for fitted to nothing it
/// saves a little by chance. Throws std::invalid_argument when sizes differ or values are not
/// finite.
double covariate_slope(const std::vector<double>& d, const std::vector<double>& r,
                       double centre = 0);

/// d - slope r with the slope above. A block whose r is beyond five typical ones and explains
/// nothing (it would take d further from `centre`) is left as it is: the reference's own hiccup
/// must not become the row's. The choice does not depend on signs either. Throws as
/// covariate_slope.
std::vector<double> adjusted(const std::vector<double>& d, const std::vector<double>& r,
                             double centre = 0);

/// Minimum detectable effect of n pairs: the relative change r (0.02 is 2 %) that moves the whole
/// one-sided paired_bounds at `error` away from where it was centred in a fraction `power` of runs,
/// when d is normal with standard deviation `spread`: exp(spread q) - 1 with q the `power`-quantile
/// of minus the k-th smallest Walsh average of n standard normal values, found by simulation with a
/// fixed seed (4000 draws, about 1 % accurate) and remembered. Infinity where 2^-n > error.
/// A verdict needs tolerance + minimum detectable effect.
double paired_detectable(std::size_t n, double spread, double error, double power = 0.9);

}  // namespace ratchet::stats
