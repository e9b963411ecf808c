// The group-sequential plan: after how many launches a row is analysed, and the error probability
// of each interim analysis.
#pragma once

#include <cstddef>
#include <vector>

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
// therefore calls any row slower with probability false_alarms at most, any row faster likewise,
// and a row beyond its tolerance is called same with probability same_error at most. A row's share
// of false_alarms is false_alarms / rows. The plans throw std::invalid_argument unless both errors
// lie between 0 and 1 and there is a row.

/// The plan of a run of `rows` rows compared in pairs (stats/paired.h). The first analysis screens
/// only: it has the fewest pairs at which "same" is possible with two thirds of same_error, and
/// cannot give slower or faster. Five analyses with all verdicts follow, with n pairs and then
/// twice as many each time; n is the fewest with bounds at a fifth of the row's share. Signed-rank
/// probabilities are discrete; the error that an analysis cannot spend goes to the later ones.
std::vector<Analysis> plan_pairs(std::size_t rows, double false_alarms = kFalseAlarms,
                                 double same_error = kSameError);

/// The plan of a run of `rows` rows compared with stored launches (stats/ratio.h): the first
/// analysis at `launches` launches of this build, then two with half as many more each. Each has a
/// third of the errors.
std::vector<Analysis> plan_stored(std::size_t launches, std::size_t rows,
                                  double false_alarms = kFalseAlarms,
                                  double same_error = kSameError);

}  // namespace ratchet::stats
