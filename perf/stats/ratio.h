// Comparing two independent samples of launches by the ratio of their centres, distribution-free.
//
// In this file x are the launches of the baseline and y those of the build under test: throughputs
// or times, all positive. The ratio is y over x.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "perf/stats/quantile.h"

namespace ratchet::stats {

/// P(U <= u) for the Mann-Whitney U of two samples of m and n values without ties under the null
/// hypothesis: exact, by the recurrence f(m,n,u) = f(m-1,n,u-n) + f(m,n-1,u) on the counts of
/// arrangements (H. B. Mann, D. R. Whitney, Ann. Math. Stat. 18, 1947). 0 for negative u.
double mann_whitney_cdf(std::size_t m, std::size_t n, long u);

/// The largest k with 2 P(U <= k-1) <= alpha, so that [D_(k), D_(mn+1-k)] of the sorted differences
/// is a 1-alpha interval. 0 where there is no such k: 2 / C(m+n, n) > alpha. Exact up to m*n =
/// 10^4; beyond, by the normal approximation with continuity correction.
std::size_t shift_rank(std::size_t m, std::size_t n, double alpha);

/// Hodges-Lehmann: the median of all ratios y_j / x_i. Throws std::invalid_argument when either
/// sample is empty or holds a value that is not positive and finite.
double ratio_estimate(const std::vector<double>& x, const std::vector<double>& y);

/// One-sided bounds of the ratio of centres, each wrong with probability `error` at most. They are
/// order statistics of all m*n ratios at rank shift_rank(m, n, 2 error): the inversion of the
/// Mann-Whitney test on the logarithms. Exact whenever the two distributions differ by a factor
/// only, whatever their shape; conservative with ties. Nothing where 1 / C(m+n, n) > error. Throws
/// as ratio_estimate. Source: M. Hollander, D. A. Wolfe, Nonparametric Statistical Methods, 2nd
/// ed., sections 4.2, 4.3.
std::optional<Bounds> ratio_bounds(const std::vector<double>& x, const std::vector<double>& y,
                                   double error);

}  // namespace ratchet::stats
