// The decision rule. README.md in this folder says it in prose; this is the same, sentence by
// sentence.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "perf/gate/rule/reason.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/stats/nodes.h"
#include "perf/stats/occasions.h"
#include "perf/stats/quantile.h"
#include "perf/stats/sequential.h"

namespace ratchet::gate {

struct Decision {
  Verdict verdict = Verdict::undecided;
  double ratio = 1;  ///< throughput now over before
  /// Bounds that decide slower and faster, each wrong with an error corrected for all rows and
  /// analyses; nothing while the launches are too few to speak.
  std::optional<stats::Bounds> simultaneous;
  std::optional<stats::Bounds> per_comparison;  ///< bounds per row; decide same
  /// The smallest slowdown called slower nine times in ten with these launches and this spread,
  /// tolerance included; infinity when the launches are too few to call anything slower.
  double detectable = 0;
  Reason reason;  ///< often none
};

/// How the launches of the two sides were taken.
enum class Comparison {
  stored,  ///< in two occasions, maybe weeks apart
  paired   ///< side by side, in one session
};

/// Tolerance of a row that states none: where a CPU takes part 3 % against a stored baseline and
/// 1 % side by side; on a GPU 0.5 % and 0.25 %.
double default_tolerance(Device device, Comparison comparison = Comparison::stored);

/// Judges one row by the throughputs of its launches (all positive), taken in two occasions, at one
/// analysis of stats::plan_stored. `tolerance` is relative.
Decision decide_stored(const std::vector<double>& baseline, const std::vector<double>& current,
                       double tolerance, const stats::Analysis& analysis);

/// Launches of two builds taken in pairs, in random order within each.
struct Pairs {
  std::vector<double> log_ratios;  ///< ln(throughput now / before), a pair
  /// The same of the control workload that ran inside the launches; empty where none did.
  std::vector<double> reference = {};
  /// The same of the GPU's clock while the row ran; empty where that is not known.
  std::vector<double> clock = {};
};

/// How far the sides lie apart, a pair, less what the control workload explains
/// (stats::adjusted), or where none ran, the clock: unless the clocks of the sides differ by more
/// than chance explains (1 % a side), for then the code may be what moves them.
std::vector<double> differences(const Pairs& pairs, double centre = 0);

/// Judges the differences of pairs at one analysis of stats::plan_pairs: for the alarm with centre
/// 0, so that its error is exact when nothing changed, and for each side of "same" with its edge of
/// the tolerance as centre. What is decided at equal clocks has to lie on that side of the
/// tolerance as measured, too.
Decision decide_pairs(const Pairs& pairs, double tolerance, const stats::Analysis& analysis);

/// Two judgements of one row, by its throughput as measured and by that over the speed of the
/// control workload: a verdict stands where both agree. The looser bounds of the two are shown.
Decision agreed(const Decision& measured, const Decision& normalised, double machine_ratio);

/// What may lie between two occasions on a machine of one kind, whatever the code, where neither
/// earlier occasions nor rows of identical work tell: a factor on throughput. Rows of identical
/// work ran at 0.68 to 1.5 of their stored speed on a shared CPU; on a GPU kernels that are bound
/// by local memory moved by 4 %.
double occasion_allowance(Device device);

/// A decision by the launches of two occasions, with what lies between occasions in its bounds:
/// where `shift` tells, its centre is taken off the ratio, and its reach is added to every bound;
/// else the allowance is added to the bounds that can alarm. `look`: whose errors the reach may
/// have, besides those of the launches.
Decision across_occasions(const Decision& by_launches,
                          const std::optional<stats::OccasionShift>& shift, Device device,
                          double tolerance, const stats::Analysis& analysis);

/// Judges what nodes of one kind say of a row, ln(throughput now / before) one figure a node, for
/// the kind. `look`: whose errors the bounds may have.
Decision decide_nodes(const std::vector<double>& logs, stats::Reference reference, double tolerance,
                      const stats::Analysis& analysis);

/// The build against itself: launches 0, 2, 4, ... against 1, 3, 5, ... by the same rule.
Decision decide_against_itself(const std::vector<double>& launches, double tolerance,
                               const stats::Analysis& analysis);

}  // namespace ratchet::gate
