// The sequential design: when a row is looked at, and what each look may get wrong.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "perf/stats/centre.h"

namespace ratchet::stats {

/// One look at a row: how many pairs (or launches) it has then, and the one-sided errors its
/// statements may have. An error of 0 means that no such statement is made at this look.
struct Look {
  std::size_t pairs = 0;
  double alarm_error = 0;  ///< of "slower" when nothing changed; the same again of "faster"
  double same_error = 0;   ///< of "same" when the row is beyond its tolerance
};

/// The looks of a run of `rows` rows compared in pairs (stats/paired.h). The first look only
/// screens: it has the fewest pairs at which "same" can be said with two thirds of same_error, and
/// no alarm. Five looks that can alarm follow, with n pairs and each time half as many again; n is
/// the fewest that can speak at a fifth of the row's share, false_alarms / rows.
///
/// The errors of a row's looks add up to its share exactly, so that by the union bound looking
/// again costs nothing: a whole run over unchanged code calls any row slower with probability
/// false_alarms at most, any row faster likewise, and a row beyond its tolerance is called same
/// with probability same_error at most. What a look cannot spend, because signed-rank probabilities
/// come in steps, is left to the later ones. Throws std::invalid_argument unless both errors lie
/// between 0 and 1 and there is a row.
std::vector<Look> plan_looks(std::size_t rows, double false_alarms = 0.01,
                             double same_error = 0.05);

/// The same against a baseline of `baseline` stored launches (stats/ratio.h): Look::pairs counts
/// the launches of this build. The first look that can alarm has the fewest launches that can
/// speak; the two after it have 1.5 times as many as the one before, and no fewer than the first
/// and the last look in pairs. Empty where the baseline is too small for any count up to 1000 to
/// alarm.
std::vector<Look> plan_launches(std::size_t baseline, std::size_t rows, double false_alarms = 0.01,
                                double same_error = 0.05);

enum class Finding { slower, same, faster, open };

struct Judgement {
  Finding finding = Finding::open;
  double ratio = 1;             ///< throughput of B over A, the estimate
  std::optional<Bounds> alarm;  ///< at the look's alarm error; nothing where there is none
  std::optional<Bounds> same;   ///< at the look's same error
};

/// Judges one row at one look. d as in stats/paired.h, tolerance relative (0.01 is 1 %). Slower:
/// the alarm's upper bound lies below 1 - tolerance; faster: its lower one above 1 + tolerance;
/// same: both bounds of `same` lie within the tolerance; else open. Throws as paired_estimate.
Judgement judge(const std::vector<double>& d, const Look& look, double tolerance);

/// With the log ratios r of the reference workload taken off as in adjusted(): the alarm with
/// centre 0, so that its error is exact when nothing changed, and each side of "same" with its edge
/// of the tolerance as centre. The ratio is that of the alarm's differences. Throws as adjusted.
Judgement judge(const std::vector<double>& d, const std::vector<double>& r, const Look& look,
                double tolerance);

/// Launches y of this build against stored launches x, by ratio_bounds. Throws as ratio_estimate.
Judgement judge_launches(const std::vector<double>& x, const std::vector<double>& y,
                         const Look& look, double tolerance);

}  // namespace ratchet::stats
