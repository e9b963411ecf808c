// The decision rule. README.md in this folder says it in prose; this is the same, sentence by
// sentence.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perf/baseline/fingerprint.h"
#include "perf/stats/centre.h"

namespace ratchet::gate {

enum class Verdict {
  slower,      ///< the whole alarm interval lies below the tolerance
  failed,      ///< its check failed, it crashed, hung or reported an error
  unverified,  ///< timed, but nobody checked what it computes
  missing,     ///< in the baseline, not in this build
  changed,     ///< the work of one call is another than in the baseline
  fresh,       ///< "new": measured, but not in the baseline
  undecided,
  faster,
  same,
  uncompared,   ///< no baseline of this fingerprint
  unavailable,  ///< known, but cannot run on this machine
};

/// The word for people and files: "slower", "new", ...
std::string to_string(Verdict verdict);

struct Rule {
  double false_alarms = 0.01;  ///< P(any row is wrongly called slower or faster) in a whole run
  double same_error = 0.05;    ///< P(a row beyond its tolerance is called same), twice, per row
  std::size_t looks = 3;       ///< how often at most the same row is judged in one run
};

struct Decision {
  Verdict verdict = Verdict::undecided;
  double ratio = 1;  ///< throughput now over baseline: the median ratio of launches
  std::optional<stats::Interval>
      alarm;  ///< corrected for all rows and looks; decides slower, faster
  std::optional<stats::Interval> plain;  ///< per row; decides same
  /// The smallest slowdown called slower nine times in ten with these launches and this spread,
  /// tolerance included; infinity when the launches are too few to call anything slower.
  double detectable = 0;
  std::string reason;  ///< a short clause, often empty
};

/// Tolerance of a row that states none: 1 % on a GPU, 3 % where a CPU takes part.
double default_tolerance(Device device);

/// Judges one row of `rows` by the throughputs of its launches (all positive). `tolerance` is
/// relative.
Decision decide(const std::vector<double>& baseline, const std::vector<double>& current,
                double tolerance, std::size_t rows, const Rule& rule = {});

/// The build against itself: launches 0, 2, 4, ... against 1, 3, 5, ... by the same rule.
Decision decide_against_itself(const std::vector<double>& launches, double tolerance,
                               std::size_t rows, const Rule& rule = {});

}  // namespace ratchet::gate
