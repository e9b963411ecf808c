// The group-sequential plan: after how many launches a row is analysed, and the error probability
// of each interim analysis.
#pragma once

#include <cstddef>
#include <vector>

#include "perf/stats/quantile.h"

namespace ratchet::stats {

/// An interim analysis: the number of launches of each side (or of pairs), and the one-sided errors
/// of its verdicts. With an error of 0, the analysis cannot give that verdict.
struct Analysis {
  std::size_t launches = 0;
  double simultaneous_error = 0;  ///< P("slower") when nothing changed; the same for "faster"
  double same_error = 0;          ///< P("same") when the row is beyond its tolerance
};

/// P(any row of a run is wrongly called slower); the same for faster.
inline constexpr double kFalseAlarms = 0.01;
/// P(a row beyond its tolerance is called same), for each row.
inline constexpr double kSameError = 0.05;

// The errors of a row's analyses sum to the row's share (union bound). A run over unchanged code
// therefore calls any row slower with probability false_alarms at most, and any row faster
// likewise. A row beyond its tolerance is called same with probability same_error at most. A row's
// share of false_alarms is false_alarms / rows. The plans throw std::invalid_argument unless both
// errors lie between 0 and 1 and there is a row.

/// The plan of a run of `rows` rows compared in pairs (stats/paired.h). The first analysis screens
/// only: it has the fewest pairs at which "same" is possible with two thirds of same_error, and
/// cannot give slower or faster. Five analyses with all verdicts follow. The first of these has n
/// pairs, the fewest with bounds at a fifth of the row's share; each further one has twice as many.
/// Signed-rank probabilities are discrete; the error that an analysis cannot spend goes to the
/// later ones.
std::vector<Analysis> plan_pairs(std::size_t rows, double false_alarms = kFalseAlarms,
                                 double same_error = kSameError);

/// The plan of a run of `rows` rows compared with stored launches (stats/ratio.h). The first
/// analysis has `launches` launches of this build; two more follow, with half as many more each.
/// Each has a third of the errors.
std::vector<Analysis> plan_stored(std::size_t launches, std::size_t rows,
                                  double false_alarms = kFalseAlarms,
                                  double same_error = kSameError);

/// What pairs showed of a row that they did not decide.
struct SeenPairs {
  double ratio = 1;      ///< estimated, of throughputs
  Bounds bounds;         ///< of the ratio
  std::size_t pairs = 0;
  double tolerance = 0;  ///< relative
};

/// The fewest pairs, no fewer than those seen, after which an analysis of a new run decides the row
/// with this probability. 0 where no analysis of the plan does. Normal theory; it counts the
/// chance errors of the ratio and of the spread that were seen, which promise too much of few
/// pairs. Throws std::invalid_argument where the bounds have no error between 0 and 0.5.
std::size_t pairs_to_decide(const SeenPairs& seen, const std::vector<Analysis>& plan,
                            double probability = 0.8);

// The number of launches that a verdict needs, and the effect that given launches can detect.

/// The Bonferroni level: total / claims. With this error for each claim, the probability that any
/// claim is wrong is `total` at most, whatever their dependence. The slightly larger Sidak level
/// assumes independence, but rows of one run share the drift of their machine.
double error_per_claim(double total, std::size_t claims);

/// The fewest launches n with 2 / C(n + other, n) <= alpha: with fewer, stats/ratio.h gives no
/// bounds against a baseline of `other` launches. 0 when no n up to 1000 is enough.
std::size_t least_launches(std::size_t other, double alpha);

/// Minimum detectable effect: a relative change (0.02 is 2 %) of one side. ratio_bounds(alpha / 2)
/// detect it in a fraction `power` of runs, with m and n launches of relative standard deviation
/// `spread`. The interval's lower end exceeds 0 exactly when the shift exceeds -D_(k). So the
/// effect is exp(spread q) - 1, with q the `power`-quantile of -D_(k) for standard normal launches.
/// q is simulated with a fixed seed (4000 draws, about 1 % accurate) and cached; of more than 10 000
/// pairs of launches it is that of the normal law of their ranks, up to 5 % larger. Infinity where
/// shift_rank(m, n, alpha) is 0. A verdict needs tolerance + minimum detectable effect.
double minimum_detectable_effect(std::size_t m, std::size_t n, double spread, double alpha,
                                 double power = 0.9);

}  // namespace ratchet::stats
