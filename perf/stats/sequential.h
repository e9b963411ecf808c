// The sequential design: when a row is looked at, and what each analysis may get wrong.
#pragma once

#include <cstddef>
#include <vector>

namespace ratchet::stats {

/// One look at a row: how many launches a side (pairs) it has then, and the one-sided errors its
/// statements may have. An error of 0 means that no such statement is made at this analysis.
struct Analysis {
  std::size_t launches = 0;
  double simultaneous_error = 0;  ///< of "slower" when nothing changed; the same again of "faster"
  double same_error = 0;          ///< of "same" when the row is beyond its tolerance
};

/// P(any row is wrongly called slower) in a whole run, and the same again for faster.
inline constexpr double kFalseAlarms = 0.01;
/// P(a row beyond its tolerance is called same), for each row.
inline constexpr double kSameError = 0.05;

// The errors of a row's analyses add up to its share, so that by the union bound looking again
// costs nothing: a whole run over unchanged code calls any row slower with probability false_alarms
// at most, any row faster likewise, and a row beyond its tolerance is called same with probability
// same_error at most. A row's share of false_alarms is false_alarms / rows. The plans throw
// std::invalid_argument unless both errors lie between 0 and 1 and there is a row.

/// The analyses of a run of `rows` rows compared in pairs (stats/paired.h). The first analysis only
/// screens: it has the fewest pairs at which "same" can be said with two thirds of same_error, and
/// no alarm. Five analyses that can alarm follow, with n pairs and each time twice as many; n is
/// the fewest that can speak at a fifth of the row's share. What an analysis cannot spend, because
/// signed-rank probabilities come in steps, is left to the later ones.
std::vector<Analysis> plan_pairs(std::size_t rows, double false_alarms = kFalseAlarms,
                                 double same_error = kSameError);

/// The analyses of a run of `rows` rows compared with stored launches (stats/ratio.h): a first one
/// at `launches` launches of this build, then two with half as many more each. Each has a third of
/// the errors.
std::vector<Analysis> plan_stored(std::size_t launches, std::size_t rows,
                                  double false_alarms = kFalseAlarms,
                                  double same_error = kSameError);

}  // namespace ratchet::stats
