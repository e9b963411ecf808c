// Measuring and judging in turn, look by look: against stored launches, or two builds side by side.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/rule/verdicts.h"
#include "perf/gate/run/session.h"
#include "perf/stats/sequential.h"

namespace ratchet::gate {

/// Measures a session of one side by stats::plan_stored, within its budget, and judges: worst row
/// first. Rows that execute what their baseline executed get a few short launches, for the table
/// and the history, and are the same.
std::vector<RowReport> measure_and_judge_stored(Session& session, const BaselineStore& store,
                                                const Executed& executed);

struct PairOptions {
  std::optional<double> tolerance;           ///< of every row; otherwise the row's, or the default
  std::map<std::string, double> tolerances;  ///< of rows whose baseline states its own
  /// Stages whose kernels are the same machine code in both builds.
  std::set<std::string> same_code;
  std::set<std::string> same_work;            ///< rows that execute the same in both builds
  bool added_rows_fail = true;                ///< rows that only the new build has
  double false_alarms = stats::kFalseAlarms;  ///< of the whole session, by stats::plan_pairs
  double same_error = stats::kSameError;      ///< of each row
};

/// Measures a session of two sides (base first) by stats::plan_pairs until every row is decided or
/// the budget spent, and judges: worst row first. A row that only the base has is missing, one that
/// only the new build has is new.
std::vector<RowReport> measure_and_judge_pairs(Session& session, const PairOptions& options);

}  // namespace ratchet::gate
