// How many launches are needed, and what can be seen with those there are.
#pragma once

#include <cstddef>

namespace ratchet::stats {

/// The error that each of `claims` may have so that all of them together are wrong with probability
/// `total` at most, whatever their dependence (Bonferroni): total / claims. Rows of one run share
/// the drift of their machine, so the slightly larger Sidak level, which assumes independence, is
/// not used.
double error_per_claim(double total, std::size_t claims);

/// The smallest number n of launches a side with 2 / C(n + other, n) <= alpha: below it the rule of
/// stats/ratio.h cannot speak at all against a baseline of `other` launches. 0 when no n up to 1000
/// is enough.
std::size_t least_launches(std::size_t other, double alpha);

/// Minimum detectable effect: the relative change r (0.02 is 2 %) that, added to a side, moves the
/// whole interval of ratio_bounds(alpha / 2) away from where it was centred in a fraction `power`
/// of runs, when launches have a relative standard deviation `spread` and m and n launches are
/// made. The interval's lower end exceeds 0 exactly when the added shift exceeds -D_(k), so the
/// effect is exp(spread q) - 1 with q the `power`-quantile of -D_(k) for standard normal launches;
/// q is found by simulation with a fixed seed (4000 draws, about 1 % accurate) and remembered.
/// Infinity where shift_rank(m, n, alpha) is 0. A verdict needs tolerance + minimum detectable
/// effect.
double minimum_detectable_effect(std::size_t m, std::size_t n, double spread, double alpha,
                                 double power = 0.9);

}  // namespace ratchet::stats
