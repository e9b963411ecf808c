// The number of launches that a verdict needs, and the effect that given launches can detect.
#pragma once

#include <cstddef>

namespace ratchet::stats {

/// The Bonferroni level: total / claims. With this error for each claim, the probability that any
/// claim is wrong is `total` at most, whatever their dependence. The slightly larger Sidak level
/// assumes independence, but rows of one run share the drift of their machine.
double error_per_claim(double total, std::size_t claims);

/// The fewest launches n with 2 / C(n + other, n) <= alpha: with fewer, stats/ratio.h gives no
/// bounds against a baseline of `other` launches. 0 when no n up to 1000 is enough.
std::size_t least_launches(std::size_t other, double alpha);

/// Minimum detectable effect: the relative change (0.02 is 2 %) of one side that ratio_bounds(alpha
/// / 2) detect in a fraction `power` of runs, with m and n launches of relative standard deviation
/// `spread`. The interval's lower end exceeds 0 exactly when the shift exceeds -D_(k), so the
/// effect is exp(spread q) - 1, with q the `power`-quantile of -D_(k) for standard normal launches.
/// q is simulated with a fixed seed (4000 draws, about 1 % accurate) and cached. Infinity where
/// shift_rank(m, n, alpha) is 0. A verdict needs tolerance + minimum detectable effect.
double minimum_detectable_effect(std::size_t m, std::size_t n, double spread, double alpha,
                                 double power = 0.9);

}  // namespace ratchet::stats
