// The decision rule of perf/gate/README.md, sentence by sentence.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/rule/reason.h"
#include "perf/identity/row_id.h"
#include "perf/stats/nodes.h"
#include "perf/stats/quantile.h"
#include "perf/stats/sequential.h"

namespace ratchet::gate {

struct Decision {
  Verdict verdict = Verdict::undecided;
  double ratio = 1;  ///< throughput now over before
  /// Simultaneous bounds, which decide slower and faster: their errors are corrected for all rows
  /// and analyses. Nothing while the launches are too few for them.
  std::optional<stats::Bounds> simultaneous;
  std::optional<stats::Bounds> per_comparison;  ///< bounds for this row alone, which decide same
  /// The minimum detectable effect: a slowdown, or the speedup of its inverse, that is called so in
  /// nine runs of ten with these launches and this spread, tolerance included; infinity where the
  /// launches are too few to call anything slower.
  double detectable = 0;
  Reason reason;  ///< may be empty
};

/// Whether an undecided row's bounds exclude no change.
inline bool seems_moved(const Decision& decision) {
  return decision.simultaneous &&
         (decision.simultaneous->low > 1 || decision.simultaneous->high < 1);
}

/// How the launches of the two sides were taken.
enum class Comparison {
  stored,  ///< on two occasions, maybe weeks apart
  paired,  ///< side by side, in one run
  rows     ///< the same of two rows, which may do other amounts of work a call
};

/// In tolerances, how far wall time may have moved where the CPU time of threads decides.
inline constexpr double wall_time_band = 5;

/// Tolerance of a row that states none. For rows with CPU work 3 % against a stored baseline and 1
/// % side by side; for GPU rows 0.5 % and 0.25 %.
double default_tolerance(Device device, Comparison comparison = Comparison::stored);

/// Judges one row by the throughputs of its launches (all positive) on two occasions, at one
/// interim analysis of stats::plan_stored. `tolerance` is relative.
Decision decide_stored(const std::vector<double>& baseline, const std::vector<double>& current,
                       double tolerance, const stats::Analysis& analysis);

/// Launches of two builds in pairs, each pair in random order.
struct Pairs {
  std::vector<double> log_ratios;  ///< ln(throughput now / before), one for each pair
  /// The same for the control workload inside the launches; empty where it did not run.
  std::vector<double> reference = {};
  /// The same for the GPU's clock while the row ran; empty where unknown.
  std::vector<double> clock = {};
};

/// The log ratios of the pairs, adjusted by the control workload as a covariate (stats::adjusted).
/// Where it did not run, the clock is the covariate. It is not if the clocks of the sides differ by
/// more than chance (1 % on each side): then the code may cause the difference.
std::vector<double> differences(const Pairs& pairs, double centre = 0);

/// Judges pairs at one interim analysis of stats::plan_pairs. Slower and faster use centre 0, so
/// that their error is exact when nothing changed; each side of "same" uses its edge of the
/// tolerance as centre. A verdict that was adjusted by the clock stands only if the measured ratio
/// lies on the same side of the tolerance.
Decision decide_pairs(const Pairs& pairs, double tolerance, const stats::Analysis& analysis);

/// Judges a size or a count that is the same in every launch of a side, by its throughputs.
Decision decide_exact(double before, double now, double tolerance);

/// Combines two decisions of one row, by its throughput and by its throughput over the speed of the
/// control workload. The verdict stands where both agree. The bounds are the wider of the two.
Decision agreed(const Decision& measured, const Decision& normalised, double machine_ratio);

/// The change of throughput, as a factor, that is allowed for between two occasions on one kind of
/// machine. It holds where neither earlier occasions nor rows of identical work show it. Rows of
/// identical work ran at 0.68 to 1.5 of their stored speed on a shared CPU. On a GPU, kernels bound
/// by local memory moved by 4 %.
double occasion_allowance(Device device);

/// A decision by the launches of two occasions, whose bounds include the shift between occasions.
/// Where `shift` is known, its centre is removed from the ratio and its reach widens every bound;
/// otherwise the allowance widens the simultaneous bounds. `analysis`: the errors that the reach
/// may have, in addition to those of the launches.
Decision across_occasions(const Decision& by_launches,
                          const std::optional<stats::OccasionShift>& shift, Device device,
                          double tolerance, const stats::Analysis& analysis);

/// Judges a row for a kind of machine, by ln(throughput now / before) of each node. `analysis`: the
/// errors that the bounds may have.
Decision decide_nodes(const std::vector<double>& logs, stats::Reference reference, double tolerance,
                      const stats::Analysis& analysis);

/// Compares a build with itself: launches 0, 2, 4, ... against 1, 3, 5, ... by the same rule.
Decision decide_against_itself(const std::vector<double>& launches, double tolerance,
                               const stats::Analysis& analysis);

// Tolerances from the command line, for every row or for those that a filter selects.

struct StatedTolerance {
  std::string rows;  ///< a filter (kernels/contract/row_filter.h); empty: every row
  double share = 0;  ///< relative: 0.03 is 3 %
};

/// Parses "0.03" or "ROWS=0.1"; ROWS may contain '='. Throws `Error` quoting the text for anything
/// that is not a number from 0.0001 to 0.9999.
StatedTolerance read_tolerance(const std::string& text);

/// Those of the run's rows; `say` gets a line for each that is of other `listed` rows alone, which
/// the run leaves out. One of no row at all stays, for tolerances_for().
std::vector<StatedTolerance> of_this_run(std::vector<StatedTolerance> stated,
                                         const std::set<RowId>& rows, const std::set<RowId>& listed,
                                         const std::function<void(const std::string&)>& say);

/// The tolerance of each of `rows` that is selected; the last one that selects a row counts. Throws
/// `Error` for a filter that selects none of the rows (unless there are none), or that is not a
/// regular expression.
std::map<RowId, double> tolerances_for(const std::vector<StatedTolerance>& stated,
                                       const std::set<RowId>& rows);

}  // namespace ratchet::gate
