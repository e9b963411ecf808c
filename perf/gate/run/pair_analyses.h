// The pairs of two sides, looked at by a plan (stats/sequential.h), within a budget.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "perf/gate/rule/verdicts.h"
#include "perf/gate/run/run.h"
#include "perf/stats/sequential.h"

namespace ratchet::gate {

// Spends the rest of the budget on the rows that it can still decide, the cheapest first.

/// A row that is still undecided.
struct OpenRow {
  RowId name;
  std::vector<double> differences;  ///< of its pairs so far (rule.h)
  double tolerance = 0;
  double pair_s = 0;                     ///< wall time of a pair
  std::size_t next_analysis = 0;         ///< an index into the plan
  std::vector<double> of_cpu_time = {};  ///< differences by it, of a row of several threads
};

/// The first analysis from `row.next_analysis` on that may well decide the row, given the
/// scatter of its pairs and their distance from the tolerance. Nothing where no analysis is, or
/// where the pairs are too few to estimate their scatter.
std::optional<std::size_t> likely_analysis(const OpenRow& row,
                                           const std::vector<stats::Analysis>& analyses);

/// The row to measure next with `seconds` left: the cheapest row that is likely decided within that
/// time or whose scatter is unknown. If there is none, it is the row with the cheapest next
/// analysis, also if a later one is likely to decide it. What looks slower, beyond its tolerance,
/// comes before the rest: it is what the run is to find. Nothing when no row fits.
std::optional<RowId> worth_measuring(const std::vector<OpenRow>& rows,
                                     const std::vector<stats::Analysis>& analyses, double seconds);

/// The plan for the rest of a budget into which no next analysis fits: those after the first with
/// all verdicts take three quarters of their pairs. Their bounds stay valid with fewer pairs.
std::vector<stats::Analysis> earlier(std::vector<stats::Analysis> analyses);

/// Launches of each side in a pair, odd and at most nine, of which so many fit.
std::size_t launches_that_fit(double fit);

/// What is known of a row, at one interim analysis.
using FactsAt = std::function<Facts(const RowId& row, const stats::Analysis& analysis)>;

class PairAnalyses {
 public:
  /// `tolerance`: of a row; `facts_at`: by the pairs that it has in the run.
  PairAnalyses(Run& run, const std::set<RowId>& rows, std::vector<stats::Analysis> analyses,
               std::function<double(const RowId&)> tolerance, FactsAt facts_at);

  /// Takes one pair of each row, then the rows that the budget can still decide from analysis to
  /// analysis, until there is none.
  void measure();
  /// After measure(): goes on with what the budget has by now, since other work may have left some
  /// of the time that was set aside for it, and then to earlier() analyses. Rows that are still
  /// open are then judged with the pairs that they have.
  /// Returns the facts of every row that has not failed.
  std::map<RowId, Facts> settle();

 private:
  void measure_what_fits();
  std::set<RowId> open_names() const;
  double least_seconds(const RowId& row) const;
  std::vector<OpenRow> open_rows(const std::set<RowId>& but = {}) const;
  void drop_failed();
  std::set<RowId> measured_with(const RowId& row) const;
  std::size_t lacking(const RowId& row) const;
  std::size_t launches_a_pair(const RowId& row) const;
  void take_to_next_analysis(const RowId& row);
  void look(const RowId& row);
  void look_last(const RowId& row);

  Run& run_;
  std::vector<stats::Analysis> analyses_;
  std::function<double(const RowId&)> tolerance_;
  FactsAt facts_at_;
  std::map<RowId, std::size_t> next_analysis_;  ///< of the rows that are undecided
  std::map<RowId, Facts> known_;
};

}  // namespace ratchet::gate
